import ArgumentParser
import Storekeeper
import StorekeeperJWS

/// `storekeeper vault verify`.
struct VaultVerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Proves a vault: every signature, every sum, every binding, every link.",
        usage: "storekeeper vault verify [options]",
        discussion: """
            Checks each stored signature against the trusted root, adds up every balance, follows every entry of \
            every account to the purchase or request that caused it, looks up whose each purchase is, and goes \
            through the chain of hashes that links the entries, so that one that was changed, removed or put in by \
            other hands is found. It only reads.

            EXIT STATUS
              0   no fault
              1   at least one fault
              64  wrong usage
              65  the file is no vault
              66  there is no vault, or a file cannot be read
              69  it is locked

            EXAMPLES
              storekeeper vault verify --root AppleRootCA-G3.cer
              storekeeper vault verify --format json | jq '.faults'
            """)

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "A trusted root certificate, DER or PEM; may be repeated. Without it the file named by "
                + "STOREKEEPER_ROOT counts, else the root of storekeeper.yaml.", valueName: "file"),
        completion: .file())
    var root: [String] = []

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try VaultSettings(options)
        let roots = try Settings.roots(root, settings.configuration, on: console)
        var configuration = JWSVerifier.Configuration(roots: roots, bundleID: nil)
        configuration.environments = AppStore.Environment.known
        let verifier = JWSVerifier(configuration)
        let report = try await Self.audit(settings.path, by: verifier)
        switch output.format {
        case .json: console.output.json(Self.json(report), .pretty)
        case .text: for line in Self.lines(report, console.style) { console.output.line(line) }
        }
        return report.faults.isEmpty ? .success : .no
    }

    /// Audits a vault; one that cannot be read to its end has a fault, too.
    private static func audit(_ path: String, by verifier: JWSVerifier) async throws(CommandError) -> AuditReport {
        do {
            return try await VaultFile.opened(path, for: .reading) { vault in
                try await VaultAudit(vault: vault, verifier: verifier).run()
            }
        } catch let error as VaultError {
            guard error.code == .corrupt else { throw CommandError(error, of: path, isReading: true) }
            let message = error.message.replacing(path, with: "the vault")
            return AuditReport(faults: [VaultFault(.storage, "vault", message)])
        } catch {
            throw CommandError(.bug, "\(error)", at: path, "report it")
        }
    }

    private static func json(_ report: AuditReport) -> JSONText {
        .object([
            "signatures": .whole(report.signatures), "sums": .whole(report.sums),
            "bindings": .whole(report.bindings), "links": .whole(report.links),
            "faults": .array(
                report.faults.map { fault in
                    .object([
                        "kind": .string(fault.kind.rawValue), "subject": .string(fault.subject),
                        "message": .string(fault.message),
                    ])
                }),
        ])
    }

    private static func lines(_ report: AuditReport, _ style: TerminalStyle) -> [String] {
        let checked =
            "Checked \(count(report.signatures, "signature")), \(count(report.sums, "sum")), "
            + "\(count(report.bindings, "binding")) and \(count(report.links, "link"))"
        guard !report.faults.isEmpty else { return ["\(checked): \(style.green("all good"))."] }
        var table = TextTable("FAULT", "OF", "WHAT IS WRONG")
        for fault in report.faults { table.add(fault.kind.rawValue, fault.subject, fault.message) }
        return ["\(checked): \(style.red(count(report.faults.count, "fault"))).", ""]
            + table.lines(style, painting: 0) { text, _ in style.red(text) }
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension AppStore.Environment {
    /// All that this version knows.
    static let known: Set<AppStore.Environment> = [.production, .sandbox, .xcode, .localTesting]
}
