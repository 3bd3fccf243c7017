import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// `storekeeper doctor`.
struct DoctorCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks a set-up from end to end, and says what to do about what is wrong.",
        discussion: """
            A line for each check, in the order in which one sets things up: the app, the root certificate, the key and \
            who may read it, the server and the clock, whether the key is taken, a test notification to your own server \
            and back, the vault, its file, the disk, and whether the catalog has what customers bought.

            Nothing is changed. With a key the App Store is asked to post a notification of the type TEST.

            EXIT STATUS
              0   all is well, or there are warnings only
              1   something has failed
              64  wrong usage

            EXAMPLES
              storekeeper doctor

              storekeeper doctor --api-key key.p8 --key-id K --issuer-id I \\
                --bundle-id com.example.game --app-apple-id 123456789 \\
                --root AppleRootCA-G3.cer --catalog Store.storekit
            """)

    @Flag(name: .long, help: "Do not let the App Store post a test notification.")
    var noTestNotification = false

    @OptionGroup(title: "Server options") var server: ServerOptions
    @OptionGroup(title: "Vault options") var vault: VaultPathOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        var findings: [Finding] = []
        func note(_ finding: Finding) {
            findings.append(finding)
            guard output.format == .text else { return }
            console.output.line(finding.line(console.style))
            console.output.flush()
        }
        if let settings = settings(on: console, note) {
            if server.isNamed(on: console) {
                await checkServer(settings, on: console, note)
            } else {
                note(
                    .warning(
                        "key", "no key is named, so that the App Store is not asked",
                        "add --api-key FILE --key-id ID --issuer-id ID; App Store Connect gives a key out under Users and "
                            + "Access, Integrations, In-App Purchase"))
            }
            await checkVault(settings, note)
        }
        let failures = findings.count { $0.verdict == .failure }
        let warnings = findings.count { $0.verdict == .warning }
        if output.format == .json {
            console.output.json(
                .object([
                    "checks": .array(findings.map(\.json)), "failures": .whole(failures), "warnings": .whole(warnings),
                ]), .pretty)
        } else {
            console.output.line(Self.summary(failures: failures, warnings: warnings))
        }
        return failures == 0 ? .success : .no
    }

    private static func summary(failures: Int, warnings: Int) -> String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        if failures == 0, warnings == 0 { return "All is well." }
        return [failures > 0 ? count(failures, "failure") : nil, warnings > 0 ? count(warnings, "warning") : nil]
            .compactMap(\.self).joined(separator: ", ") + "."
    }

    // MARK: The checks

    private func settings(on console: Console, _ note: (Finding) -> Void) -> Settings? {
        let settings: Settings
        do throws(CommandError) {
            settings = try Settings(
                EvidenceOptions(trust: trust, list: list, question: question), source: .intake, on: console)
        } catch {
            note(.failure("settings", error))
            return nil
        }
        for finding in TrustCheckup.findings(
            bundleID: settings.bundleID, appAppleID: settings.appAppleID, environments: settings.environments,
            roots: settings.roots, isOwnServer: server.server != nil)
        { note(finding) }
        return settings
    }

    private func checkServer(_ settings: Settings, on console: Console, _ note: (Finding) -> Void) async {
        do throws(CommandError) {
            let key = try server.key(on: console)
            note(.ok("key", "a private key for in-app purchases"))
            if let path = server.keyPath(on: console), let status = SystemFile.status(of: path) {
                note(TrustCheckup.secret("key file", path, mode: status.mode))
            }
            note(TrustCheckup.ids(keyID: key.keyID, issuerID: key.issuerID, isOwnServer: server.server != nil))
            try await AppStoreConnection.with(server, settings, on: console) { client, transport in
                try await ServerCheckup(
                    client: client, transport: transport, clock: WallClock(), ownServer: server.server,
                    sendsTestNotification: !noTestNotification
                ).run(note)
            }
        } catch {
            note(.failure("key", error))
        }
    }

    private func checkVault(_ settings: Settings, _ note: (Finding) -> Void) async {
        do throws(CommandError) {
            let checkup = VaultCheckup(
                place: try VaultPlace(argument: vault.vault ?? settings.vault), tokens: settings.accountTokens,
                catalog: try Catalog(of: settings), bundleID: settings.bundleID)
            await checkup.run(note)
        } catch {
            note(.failure("vault", error))
        }
    }
}
