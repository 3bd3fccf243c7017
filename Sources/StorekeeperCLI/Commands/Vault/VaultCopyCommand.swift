import ArgumentParser
import Storekeeper

/// `storekeeper vault copy FROM TO`.
struct VaultCopyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies a vault into another, and verifies the copy: from a file to PostgreSQL, or back.",
        usage: "storekeeper vault copy FROM TO [options]",
        discussion: """
            FROM and TO are files, or databases: postgres://… TO is empty, or contains an earlier copy of the same \
            FROM; a missing vault is created. An interrupted copy continues when the command is run again, and \
            duplicates nothing. A later run copies what FROM has learned since: copy, stop the servers, copy \
            again, and start them with TO. Do not run the copy again after that.

            The copy contains facts with their signatures, accounts with the numbers, times and keys of their \
            entries, owners of purchases, parked facts, pending deliveries, purchases waiting for approval, \
            events, cursors of streams, and the hashes of erased customers. It does not contain the proofs of \
            erasures, which refer to links of FROM. Keep FROM, or a backup of it, as long as you need them. Event \
            cursors differ in TO: clients read the events from the start.

            First the integrity of FROM is verified, because a copy would hide tampering. At the end each customer \
            is read from both and compared, and the integrity of TO is verified. Use 'storekeeper vault verify' to \
            check the signatures of facts. 'accountTokens' in storekeeper.yaml applies to both.

            EXIT STATUS
              0   TO is a complete copy of FROM
              1   there are differences; they are listed
              64  wrong usage
              65  one of them is not a vault, or FROM is damaged
              66  FROM does not exist
              69  one is locked, or a database cannot be reached, refuses, or
                  is read-only
              73  TO contains other data, or cannot be written

            EXAMPLES
              From a file to PostgreSQL:
                storekeeper vault copy storekeeper.sqlite \\
                  postgres://game@db.example.com/game

              And back:
                storekeeper vault copy postgres://game@db.example.com/game new.sqlite
            """)

    @Argument(
        help: ArgumentHelp("The vault to copy.", valueName: "from"), completion: .file(extensions: ["sqlite"]))
    var from: String

    @Argument(
        help: ArgumentHelp("The vault for the copy.", valueName: "to"),
        completion: .file(extensions: ["sqlite"]))
    var to: String

    @OptionGroup(title: "Vault options") var configuration: ConfigurationOption
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let source = try VaultLocation(argument: from, at: "FROM")
        let target = try VaultLocation(argument: to, at: "TO")
        guard source != target else {
            throw .usage("FROM and TO are the same vault", at: target.name, "name another place for the copy")
        }
        guard !source.isMissingFile else {
            throw CommandError(.unreadableFile, "there is no vault", at: source.name, "check the path of the source")
        }
        let tokens = try Configuration.find(configuration.config, on: console).accountTokens
        let report = try await source.with(for: .reading, tokens: tokens) { original in
            if target.isMissingFile { console.note("there is no vault \(target.name) yet; it is created") }
            return try await target.with(for: .making, tokens: tokens) { copy in
                do throws(VaultCopyFailure) {
                    return try await Self.run(VaultCopy(from: original, to: copy, at: console.now), on: console)
                } catch {
                    throw CommandError(error, from: source, to: target)
                }
            }
        }
        if report.erasures > 0 {
            console.note(
                "\(report.erasures.of("erasure")) \(report.erasures == 1 ? "is" : "are") recorded in "
                    + "\(source.name): the proofs stay there, so keep it, or a backup of it")
        }
        console.print(
            output.format, json: Self.json(report),
            lines: Self.lines(report, from: source, to: target, console.style, width: console.columns))
        return report.differences.isEmpty ? .success : .no
    }

    private static func run(
        _ copy: VaultCopy, on console: Console
    ) async throws(VaultCopyFailure) -> VaultCopyReport {
        var bars: (copying: ProgressBar, verifying: ProgressBar)?
        defer { bars?.verifying.end() }
        return try await copy.run { progress in
            switch progress {
            case .began(let count):
                bars = (
                    ProgressBar("Copying", of: count, unit: "customers", on: console),
                    ProgressBar("Verifying", of: count, unit: "customers", on: console)
                )
            case .copied: bars?.copying.advance()
            case .verified:
                bars?.copying.end()
                bars?.verifying.advance()
            }
        }
    }

    // MARK: Output

    private static func json(_ report: VaultCopyReport) -> JSONText {
        let differences: JSONText = .array(
            report.differences.map { difference in
                .object(["subject": .string(difference.subject), "message": .string(difference.message)])
            })
        return .object([
            "customers": .whole(report.customers), "facts": .whole(report.facts), "entries": .whole(report.entries),
            "links": .whole(report.links), "differences": report.differences.isEmpty ? .null : differences,
        ])
    }

    private static func lines(
        _ report: VaultCopyReport, from source: VaultLocation, to target: VaultLocation, _ style: TerminalStyle,
        width: Int?
    ) -> [String] {
        let what =
            "\(report.customers.of("customer")), \(report.facts.of("fact")) and "
            + (report.entries == 1 ? "1 entry" : "\(report.entries) entries")
        guard !report.differences.isEmpty else {
            return [
                "\(target.name) is a complete copy of \(source.name): \(what).".onOneLine,
                "All customers were compared; \(report.links.of("link")) of the copy checked.",
            ]
        }
        var table = TextTable("OF", "WHAT DIFFERS")
        for difference in report.differences { table.add(difference.subject, difference.message) }
        return [style.red("\(target.name) is not a complete copy of \(source.name); it has \(what).".onOneLine), ""]
            + table.lines(style, width: width)
    }
}

extension CommandError {
    /// Creates the error for a vault that cannot be copied.
    fileprivate init(_ failure: VaultCopyFailure, from source: VaultLocation, to target: VaultLocation) {
        self =
            switch failure {
            case .source(let error): CommandError(error, of: source, isReading: true)
            case .target(let error): CommandError(error, of: target, isReading: false)
            case .damagedSource(let faults):
                CommandError(
                    .malformedInput,
                    "the vault was damaged or changed (\(faults.of("fault"))), and a copy would hide this",
                    at: source.name, "run 'storekeeper vault verify', and restore a backup")
            case .targetInUse:
                CommandError(
                    .unwritableFile, "the vault is not empty and does not hold an unfinished copy", at: target.name,
                    "name an empty vault, or use 'storekeeper vault export' and 'import'")
            case .targetOfAnother:
                CommandError(
                    .unwritableFile, "the vault holds a copy of a different vault", at: target.name,
                    "name an empty vault")
            }
    }
}
