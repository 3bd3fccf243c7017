import ArgumentParser
import Storekeeper

/// `storekeeper vault copy FROM TO`.
struct VaultCopyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Brings all of one vault into another, and verifies it: from a file to PostgreSQL, or back.",
        usage: "storekeeper vault copy FROM TO [options]",
        discussion: """
            FROM and TO are files, or databases: postgres://… TO is empty, or holds a copy of the same FROM that was \
            begun before; where there is no vault, one is made. A copy \
            that was stopped goes on when the same is run again, and doubles nothing. Run again later it brings what \
            FROM has learned since: copy, stop the servers, copy again, and start them on TO. From then on it is \
            not to be run again.

            Brought are facts with their signatures, accounts with the numbers, times and keys of their entries, whose \
            each purchase is, what is parked, owed a delivery or waiting for approval, events, and how far streams \
            were read, and what is remembered of the erased. Not among them: the proofs of erasures, which speak of FROM's own links. Keep FROM, or a \
            backup of it, as long as you need them. Where reading on begins is another place in TO: who follows \
            events goes through them from the start.

            First FROM proves that it is as it was written, because a copy would hide what is not. In the end each \
            customer is read back from both and compared, and TO proves itself. The signatures of facts are \
            'storekeeper vault verify' to check. Whose a token is, 'accountTokens' in storekeeper.yaml says for both.

            EXIT STATUS
              0   TO holds all of FROM
              1   something differs; it is named
              64  wrong usage
              65  one of them is no vault, or FROM is damaged
              66  there is no FROM
              69  one is locked, or a database cannot be reached, refuses, or
                  can only be read
              73  TO holds something else, or cannot be written

            EXAMPLES
              From a file to PostgreSQL:
                storekeeper vault copy storekeeper.sqlite \\
                  postgres://game@db.example.com/game

              And back:
                storekeeper vault copy postgres://game@db.example.com/game new.sqlite
            """)

    @Argument(
        help: ArgumentHelp("The vault that is copied.", valueName: "from"), completion: .file(extensions: ["sqlite"]))
    var from: String

    @Argument(
        help: ArgumentHelp("The vault that is to hold the copy.", valueName: "to"),
        completion: .file(extensions: ["sqlite"]))
    var to: String

    @OptionGroup(title: "Vault options") var configuration: ConfigurationOption
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let source = try VaultPlace(argument: from, at: "FROM")
        let target = try VaultPlace(argument: to, at: "TO")
        guard source != target else {
            throw .usage("FROM and TO are one vault", at: target.name, "name another place for the copy")
        }
        let tokens = try ConfigurationFile.find(configuration.config)?.accountTokens ?? .asIDs
        let report = try await source.with(for: .reading, tokens: tokens) { original in
            if target.isMissingFile { console.note("there is no vault \(target.name) yet, it is made") }
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
                "\(Self.count(report.erasures, "erasure")) \(report.erasures == 1 ? "is" : "are") written down in "
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
        _ report: VaultCopyReport, from source: VaultPlace, to target: VaultPlace, _ style: TerminalStyle, width: Int?
    ) -> [String] {
        let what =
            "\(count(report.customers, "customer")), \(count(report.facts, "fact")) and "
            + (report.entries == 1 ? "1 entry" : "\(report.entries) entries")
        guard !report.differences.isEmpty else {
            return [
                "\(target.name) holds all of \(source.name): \(what).".onOneLine,
                "Compared one by one; \(count(report.links, "link")) of the copy checked.",
            ]
        }
        var table = TextTable("OF", "WHAT DIFFERS")
        for difference in report.differences { table.add(difference.subject, difference.message) }
        return [style.red("\(target.name) does not hold all of \(source.name); it has \(what).".onOneLine), ""]
            + table.lines(style, width: width)
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension CommandError {
    /// Why a vault cannot be copied.
    fileprivate init(_ failure: VaultCopyFailure, from source: VaultPlace, to target: VaultPlace) {
        self =
            switch failure {
            case .source(let error): CommandError(error, of: source, isReading: true)
            case .target(let error): CommandError(error, of: target, isReading: false)
            case .damagedSource(let faults):
                CommandError(
                    .malformedInput,
                    "the vault is not as it was written (\(faults) fault\(faults == 1 ? "" : "s")), which a copy would hide",
                    at: source.name, "see 'storekeeper vault verify', and restore a backup")
            case .targetInUse:
                CommandError(
                    .unwritableFile, "the vault holds something already, and no copy was begun there", at: target.name,
                    "name an empty one, or take customers in with 'storekeeper vault export' and 'import'")
            case .targetOfAnother:
                CommandError(
                    .unwritableFile, "the vault holds the copy of another vault than this", at: target.name,
                    "name an empty one")
            }
    }
}
