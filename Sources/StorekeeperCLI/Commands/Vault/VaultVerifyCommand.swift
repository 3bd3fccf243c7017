import ArgumentParser
import Storekeeper
import StorekeeperJWS

/// `storekeeper vault verify`.
struct VaultVerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Proves a vault: every signature, every sum, every binding, every link.",
        usage: "storekeeper vault verify [--contains HEAD] [options]",
        discussion: """
            Checks each stored signature against the trusted root, adds up every balance, follows every entry of \
            every account to the purchase or request that caused it, looks up whose each purchase is, goes through \
            the chain of hashes that links facts, bindings, entries and erasures, and compares the tables of a \
            file with those that a vault has. It only reads.

            FOUND: a fact, a binding, an entry or an erasure that was changed, removed or put in; a balance that is \
            not the sum of its entries; a purchase that was moved to another customer; in a file a trigger, a view \
            or a table of other hands, and damaged pages.

            FOUND WITH --contains ONLY: a vault whose last rows were cut off, with its head mended, and one that \
            was exchanged for another or for an older copy. Keep the head that 'verify' and 'backup' print where \
            those who can write the vault cannot, and name it later.

            NOT FOUND: what was parked, events, what is owed a delivery, notifications and the places in streams, \
            taken out or put in; and whatever somebody who can write the file made anew, all the hashes with it, \
            behind the last head that was kept.

            EXIT STATUS
              0   no fault
              1   at least one fault, or the chain does not contain the head
              64  wrong usage
              65  the file or database is no vault
              66  there is no vault, or a file cannot be read
              69  it is locked, or the database cannot be reached or refuses

            EXAMPLES
              storekeeper vault verify --root AppleRootCA-G3.cer
              storekeeper vault verify --format json | jq '.faults'

              Was anything cut off since yesterday?
                storekeeper vault verify --format json | jq -r .head > head.txt
                storekeeper vault verify --contains "$(cat head.txt)"
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("A head that was printed before, which the chain must still contain.", valueName: "head"))
    var contains: String?

    @OptionGroup var roots: RootOption

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try VaultSettings(options)
        if let contains, contains.utf8.count != 64 || !contains.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw .usage(
                "a head has 64 hexadecimal digits", at: "--contains", "give one that 'verify' or 'backup' has printed")
        }
        let roots = try Settings.roots(self.roots.root, settings.configuration, on: console)
        var configuration = JWSVerifier.Configuration(roots: roots, bundleID: nil)
        configuration.environments = AppStore.Environment.known
        let verifier = JWSVerifier(configuration)
        let report = try await Self.audit(settings, by: verifier, containing: contains, on: console)
        console.print(
            output.format, json: Self.json(report),
            lines: Self.lines(report, console.style, width: console.columns))
        return report.faults.isEmpty ? .success : .no
    }

    /// Audits a vault; one that cannot be read to its end has a fault, too.
    private static func audit(
        _ settings: VaultSettings, by verifier: JWSVerifier, containing head: String?, on console: Console
    ) async throws(CommandError) -> AuditReport {
        let place = settings.place
        do {
            return try await place.opened(for: .reading, tokens: settings.accountTokens) { vault in
                // Each fact is looked at for its signature, in its account, and in the end as a link.
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

    /// The report for a person.
    ///
    /// - Parameter width: How many columns a line may take; `nil`: as many as it needs.
    static func lines(_ report: AuditReport, _ style: TerminalStyle, width: Int?) -> [String] {
        let checked =
            "Checked \(count(report.signatures, "signature")), \(count(report.sums, "sum")), "
            + "\(count(report.bindings, "binding")) and \(count(report.links, "link"))"
        let head = report.head.map { ["Head: \($0)"] } ?? []
        let result = report.faults.isEmpty ? "all good" : count(report.faults.count, "fault")
        let paint = report.faults.isEmpty ? style.green : style.red
        // Coloured after it was broken into lines, so that no colour is counted as room.
        let summary = "\(checked): \(result).".wrapped(to: width).map { $0.painting(result, paint) }
        guard !report.faults.isEmpty else { return summary + head }
        var table = TextTable("FAULT", "OF", "WHAT IS WRONG")
        for fault in report.faults { table.add(fault.kind.rawValue, fault.subject, fault.message) }
        return summary + head + [""]
            + table.lines(style, width: width, painting: 0) { text, _ in style.red(text) }
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension String {
    /// The line with words in colour, where they stand whole in it.
    fileprivate func painting(_ words: String, _ paint: (String) -> String) -> String {
        guard let range = firstRange(of: words) else { return self }
        return self[..<range.lowerBound] + paint(words) + self[range.upperBound...]
    }
}

extension AppStore.Environment {
    /// All that this version knows.
    static let known: Set<AppStore.Environment> = [.production, .sandbox, .xcode, .localTesting]
}
