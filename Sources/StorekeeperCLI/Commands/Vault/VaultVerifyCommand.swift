import ArgumentParser
import Storekeeper
import StorekeeperJWS

/// `storekeeper vault verify`.
struct VaultVerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies a vault: every signature, sum, binding and link.",
        usage: "storekeeper vault verify [--contains HEAD] [options]",
        discussion: """
            Verifies each stored signature against the trusted root, adds up every balance, traces every entry of \
            every account to its purchase or request, checks the owner of each purchase, verifies the hash chain \
            of facts, bindings, entries and erasures, and compares the tables of a file with the schema of a \
            vault. The vault is opened only for reading.

            DETECTED: a fact, a binding, an entry or an erasure that was changed, removed or inserted; a balance \
            that is not the sum of its entries; a purchase that was moved to another customer; in a file also a \
            foreign trigger, view or table, and damaged pages.

            DETECTED ONLY WITH --contains: a vault whose last rows were removed and whose head was corrected, or \
            that was replaced by another vault or an older copy. Store the head that 'verify' and 'backup' print \
            in a place that writers of the vault cannot change, and pass it later.

            NOT DETECTED: removed or inserted parked facts, events, pending deliveries, notifications and stream \
            cursors; and rows after the last stored head that were rewritten together with all their hashes.

            EXIT STATUS
              0   no fault
              1   at least one fault, or the chain does not contain the head
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault, or a file cannot be read
              69  it is locked, or the database cannot be reached or refuses

            EXAMPLES
              storekeeper vault verify --root AppleRootCA-G3.cer
              storekeeper vault verify --format json | jq '.faults'

              Was anything removed since yesterday?
                storekeeper vault verify --format json | jq -r .head > head.txt
                storekeeper vault verify --contains "$(cat head.txt)"
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("An earlier head that the chain must still contain.", valueName: "head"))
    var contains: String?

    @Option(name: .long, parsing: .singleValue, help: .root, completion: .file())
    var root: [String] = []

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try VaultSettings(options, on: console)
        if let contains, contains.utf8.count != 64 || !contains.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw .usage(
                "a head has 64 hexadecimal digits", at: "--contains", "give a head that 'verify' or 'backup' printed")
        }
        let roots = try Settings.roots(root, settings.configuration, on: console)
        var configuration = JWSVerifier.Configuration(roots: roots, bundleID: nil)
        configuration.environments = AppStore.Environment.known
        let verifier = JWSVerifier(auditing: configuration)
        let report = try await Self.audit(settings, by: verifier, containing: contains, on: console)
        console.print(
            output.format, json: Self.json(report),
            lines: Self.lines(report, console.style, width: console.columns))
        return report.faults.isEmpty ? .success : .no
    }

    /// Audits a vault.
    ///
    /// A vault that cannot be read completely is reported as a fault, not as an error.
    private static func audit(
        _ settings: VaultSettings, by verifier: JWSVerifier, containing head: String?, on console: Console
    ) async throws(CommandError) -> AuditReport {
        let place = settings.place
        do {
            return try await place.opened(for: .reading, tokens: settings.configuration.accountTokens) { vault in
                // For each fact, the audit checks the signature, the account of the owner, and the link of the hash
                // chain.
                let bar = ProgressBar("Verifying", of: 3 * (try await vault.factCount()), unit: "checks", on: console)
                defer { bar.end() }
                return try await VaultAudit(vault: vault, verifier: verifier)
                    .run(containing: head) { bar.advance(by: $0) }
            }
        } catch let error as VaultError {
            guard error.code == .corrupt else { throw CommandError(error, of: place, isReading: true) }
            let message = error.message.replacing(place.name, with: "the vault")
            return AuditReport(faults: [VaultFault(.storage, "vault", message)])
        } catch {
            throw CommandError(.bug, "\(error)", at: place.name, "report it")
        }
    }

    private static func json(_ report: AuditReport) -> JSONText {
        .object([
            "signatures": .whole(report.signatures), "sums": .whole(report.sums),
            "bindings": .whole(report.bindings), "links": .whole(report.links), "head": .text(report.head),
            "faults": .array(
                report.faults.map { fault in
                    .object([
                        "kind": .string(fault.kind.rawValue), "subject": .string(fault.subject),
                        "message": .string(fault.message),
                    ])
                }),
        ])
    }

    /// Returns the report as text.
    ///
    /// - Parameter width: The maximum number of columns of a line; `nil` means no limit.
    static func lines(_ report: AuditReport, _ style: TerminalStyle, width: Int?) -> [String] {
        let checked =
            "Checked \(report.signatures.of("signature")), \(report.sums.of("sum")), "
            + "\(report.bindings.of("binding")) and \(report.links.of("link"))"
        let head = report.head.map { ["Head: \($0)"] } ?? []
        let result = report.faults.isEmpty ? "all good" : report.faults.count.of("fault")
        let paint = report.faults.isEmpty ? style.green : style.red
        // The summary is colored after wrapping, so that escape sequences do not count as columns.
        let summary = "\(checked): \(result).".wrapped(to: width).map { $0.painting(result, paint) }
        guard !report.faults.isEmpty else { return summary + head }
        var table = TextTable("FAULT", "OF", "WHAT IS WRONG")
        for fault in report.faults { table.add(fault.kind.rawValue, fault.subject, fault.message) }
        return summary + head + [""]
            + table.lines(style, width: width, painting: 0) { text, _ in style.red(text) }
    }
}

extension String {
    /// Returns the line with the given text colored; unchanged if the line does not contain the whole text.
    fileprivate func painting(_ words: String, _ paint: (String) -> String) -> String {
        guard let range = firstRange(of: words) else { return self }
        return self[..<range.lowerBound] + paint(words) + self[range.upperBound...]
    }
}

extension AppStore.Environment {
    /// All environments that this version defines.
    static let known: Set<AppStore.Environment> = [.production, .sandbox, .xcode, .localTesting]
}
