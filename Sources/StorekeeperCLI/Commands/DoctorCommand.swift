import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// `storekeeper doctor`.
struct DoctorCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks a set-up from end to end, and suggests a remedy for each problem.",
        discussion: """
            Checks, in this order: the app, the root certificate, the key, its id and file permissions, the server \
            and the clock, whether the App Store accepts the key, a test notification to your server, the vault, \
            its file, the disk, and whether the catalog contains the products that customers bought. A check that \
            cannot be made does not prevent the others.

            Nothing is changed. With a key, the App Store is asked to send a notification of the type TEST.

            EXIT STATUS
              0   no failures, or only warnings
              1   at least one check failed
              64  wrong usage

            EXAMPLES
              storekeeper doctor

              storekeeper doctor --api-key key.p8 --key-id K --issuer-id I \\
                --bundle-id com.example.game --app-apple-id 123456789 \\
                --root AppleRootCA-G3.cer --catalog Store.storekit
            """)

    @Flag(name: .long, help: "Do not request a test notification from the App Store.")
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
            for line in finding.lines(console.style, width: console.width) { console.output.line(line) }
            console.output.flush()
        }
        if let settings = settings(on: console, note) {
            let key = checkKey(on: console, note)
            await checkServer(settings, key, on: console, note)
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
        if failures == 0, warnings == 0 { return "No problems were found." }
        return [failures > 0 ? failures.of("failure") : nil, warnings > 0 ? warnings.of("warning") : nil]
            .compactMap(\.self).joined(separator: ", ") + "."
    }

    // MARK: The checks

    private func settings(on console: Console, _ note: (Finding) -> Void) -> Settings? {
        var settings: Settings
        let configuration: Configuration
        do throws(CommandError) {
            configuration = try Configuration.find(trust.config, on: console)
            settings = try Settings(
                evidenceOptions, source: .checkup, on: console)
        } catch {
            note(.failure("settings", error))
            return nil
        }
        var fault: CommandError?
        do throws(CommandError) {
            settings.roots = try Settings.roots(
                trust.root, configuration, source: .intake, report: { _ in }, on: console)
        } catch { fault = error }
        for finding in TrustCheckup.findings(
            bundleID: settings.bundleID, appAppleID: settings.appAppleID, environments: settings.environments,
            roots: settings.roots, isOwnServer: server.server != nil)
        where fault == nil || finding.check != "root" { note(finding) }
        if let fault { note(.failure("root", fault)) }
        return settings
    }

    /// Checks the key for the App Store Server API and the file of the key.
    ///
    /// - Returns: The key; `nil` if it cannot be used.
    private func checkKey(on console: Console, _ note: (Finding) -> Void) -> AppStoreKey? {
        guard server.isNamed(on: console) else {
            note(
                .warning(
                    "key", "no key is given, so the App Store is not contacted",
                    "add --api-key FILE --key-id ID --issuer-id ID; create a key in App Store Connect under Users and "
                        + "Access, Integrations, In-App Purchase"))
            return nil
        }
        var key: AppStoreKey?
        do throws(CommandError) {
            key = try server.key(on: console)
            note(.ok("key", "a private key for in-app purchases"))
        } catch { note(.failure("key", error)) }
        let ids = server.ids(on: console)
        if let path = server.keyPath(on: console) {
            if let status = SystemFile.status(of: path) {
                note(TrustCheckup.secret("key file", path, mode: status.mode, isFile: !status.isDirectory))
            }
            if let ids, let finding = TrustCheckup.keyName(path, keyID: ids.keyID) { note(finding) }
        }
        if let ids {
            note(TrustCheckup.ids(keyID: ids.keyID, issuerID: ids.issuerID, isOwnServer: server.server != nil))
        }
        return key
    }

    private func checkServer(
        _ settings: Settings, _ key: AppStoreKey?, on console: Console, _ note: (Finding) -> Void
    ) async {
        // If the user names neither a key nor a server, no server is checked.
        guard server.isNamed(on: console) || server.server != nil else { return }
        do {
            let hosts = try server.lookup(settings.environments).hosts
            try await server.connection.with(on: console) { connections in
                let transport = AsyncHTTPTransport(connections)
                let verifier = JWSVerifier(settings.verifierConfiguration)
                var (client, sandbox): (AppStoreServerClient?, AppStoreServerClient?)
                if let key, settings.bundleID != nil {
                    client = try AppStoreConnection.client(
                        server, settings, key: key, verifier: verifier, transport: transport)
                    sandbox = try AppStoreConnection.sandbox(
                        server, settings, key: key, verifier: verifier, transport: transport)
                }
                try await ServerCheckup(
                    hosts: hosts, client: client, sandbox: sandbox, transport: transport, clock: WallClock(),
                    sendsTestNotification: !noTestNotification
                ).run(note)
            }
        } catch let error as CommandError {
            note(.failure("server", error))
        } catch {
            note(.failure("server", CommandError(asking: error, at: server.place, in: settings.environments)))
        }
    }

    private func checkVault(_ settings: Settings, _ note: (Finding) -> Void) async {
        var catalog: Catalog?
        do throws(CommandError) { catalog = try Catalog(of: settings) } catch { note(.failure("catalog", error)) }
        do throws(CommandError) {
            let checkup = VaultCheckup(
                place: try settings.vault(vault.vault), tokens: settings.accountTokens, catalog: catalog,
                bundleID: settings.bundleID)
            await checkup.run(note)
        } catch {
            note(.failure("vault", error))
        }
    }
}
