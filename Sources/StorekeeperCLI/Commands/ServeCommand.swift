import ArgumentParser
import FoundationEssentials
import Storekeeper
import StorekeeperAppStore
import StorekeeperCompanion
import StorekeeperJWS
import StorekeeperLocalStore
import StorekeeperPages
import StorekeeperSimulator

/// `storekeeper serve`: the companion service, or with `--local-app-store` a local App Store.
struct ServeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answers over HTTP what customers own; or serves a local App Store to any client.",
        usage: """
            storekeeper serve [--vault FILE] [--keys FILE] [options]
            storekeeper serve --new-key NAME --scope SCOPE [--keys FILE]
            storekeeper serve --local-app-store [options] [<scenario>] ...
            """,
        discussion: """
            THE COMPANION SERVICE runs beside a game: it takes Apple's notifications at /apple/notifications, keeps the \
            vault, and answers checks, explanations, timelines, balances, spends and grants under /v1; \
            /openapi.yaml tells all. The app, its roots, catalogs and vault stand in storekeeper.yaml or are options.

            Callers bear keys. A key may check; look at the page, claim, or spend, and check; or as admin do all. Make \
            one, and give it away:

              storekeeper serve --new-key game-server --scope spend

            The file storekeeper.keys holds its hash only; a change of it counts at once. Then ask:

              curl -H "Authorization: Bearer $KEY" \\
                http://127.0.0.1:8080/v1/customers/anna/entitlements

            A LOCAL APP STORE answers the App Store Server API as Apple documents it, on a simulated App Store: histories with revisions, \
            statuses, refunds, orders, extensions, consumption, notifications with their retries, error codes, \
            rate limits. What is signed is signed by a root of its own: write it with --root-out and trust it.

            With a scenario that is played first; time stands still at its end until a test moves it. With a \
            catalog (.storekit, .plist, .json) the store is empty, with one customer named 'customer'. A story \
            begins on 2026-01-01 unless it says otherwise: for a server that lives in the present, whose customers \
            would all have lapsed, begin it with --start now, or let the step 'advance to now' happen.

            What a test wants to happen it posts, in the words of scenarios:

              curl -H 'Content-Type: application/json' \\
                -d '{"step": "buy gold.monthly by customer"}' \\
                http://127.0.0.1:8080/local/v1/steps

            What can go wrong between the App Store and a server goes wrong by the step 'fault': answers with \
            errors, slow, cut or half bodies, notifications dropped, sent twice, late, in another order or with a \
            wrong signature:

              {"steps": ["fault history how 500 times 2",
                         "fault notifications how dropped times 1"]}

            In a browser the same address is a page that shows all of it, and has a form for everything that can happen.

            A GET of /local/v1 tells the time and who there is; of /local/v1/transactions?person=customer the ids \
            that the API takes; of /openapi.yaml all requests. Every bearer token is checked: ES256, aud, bid, exp, and \
            with --api-key its signature.

            EXIT STATUS
              0   it was stopped                 66  a file cannot be read
              1   an expectation of the story    69  it cannot listen there
                  is not met                     73  a file cannot be written
              64  wrong usage                    65  a scenario or key is malformed

            EXAMPLES
              The companion service:
                storekeeper serve --vault customers.sqlite --port 8080

              An App Store for a server's tests:
                storekeeper serve --local-app-store Store.storekit \\
                  --port 8080 --root-out root.pem

              After a scenario, with notifications posted to your own server:
                storekeeper serve --local-app-store grace.yaml --port 8080 \\
                  --webhook http://127.0.0.1:9000/apple

              Accept only tokens signed with this key:
                storekeeper serve --local-app-store grace.yaml \\
                  --new-api-key key.p8 --key-id K1 --issuer-id I1
            """)

    @OptionGroup(title: "Companion options") var companion: CompanionOptions

    @Flag(name: .long, help: "Serve a local App Store.")
    var localAppStore = false

    @Argument(
        help: ArgumentHelp("A scenario file, or catalogs.", valueName: "scenario"),
        completion: .file(extensions: ["yaml", "yml", "storekit", "json", "plist"]))
    var scenarios: [String] = []

    @Option(name: .long, help: ArgumentHelp("The port; 0 takes a free one. Default: 8080.", valueName: "n"))
    var port: Int?

    @Option(name: .long, help: ArgumentHelp("The address to listen at. Default: 127.0.0.1.", valueName: "address"))
    var host: String?

    @Flag(name: .long, help: "Let other machines in, with --host: they can let anything happen.")
    var allowRemote = false

    @Option(
        name: .long,
        help: ArgumentHelp("Write all that the scenario signed, a compact JWS a line.", valueName: "file"))
    var evidence: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the root certificate: DER if the name ends in .cer or .der, otherwise PEM.", valueName: "file"))
    var rootOut: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Begin the story at this time in place of the file's; 'now' is what this machine's clock shows.",
            valueName: "time"))
    var start: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Take only tokens of this key: a .p8 file, or its public key.", valueName: "file"))
    var apiKey: String?

    @Option(
        name: .long, help: ArgumentHelp("Make such a key, write it, and take only its tokens.", valueName: "file"))
    var newApiKey: String?

    @Option(name: .long, help: ArgumentHelp("The id of the key.", valueName: "id"))
    var keyID: String?

    @Option(name: .long, help: ArgumentHelp("Who issues tokens with the key.", valueName: "id"))
    var issuerID: String?

    @Option(name: .long, help: ArgumentHelp("Post notifications to this address.", valueName: "url"))
    var webhook: String?

    @Flag(name: .long, help: "Send failed notifications again after 1, 12, 24, 48 and 72 hours, in the sandbox too.")
    var webhookRetries = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Limit requests to this share of the App Store's own limits: 1 is production, 0.1 the sandbox.",
            valueName: "factor"))
    var rateLimit: Double?

    @Flag(
        name: .long,
        help: "Let certificates name this store as OCSP responder, at /ocsp; it needs a --port other than 0.")
    var ocsp = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Keep all that happens in this file, a scenario, and the authority's keys beside it; where it is there "
                + "already, go on from there.", valueName: "file"))
    var state: String?

    @Option(name: .long, help: ArgumentHelp("What chances are drawn from, in place of the file's.", valueName: "n"))
    var seed: UInt64?

    @OptionGroup(title: "Connection options") var connection: ConnectionOptions

    @Option(name: .long, help: ArgumentHelp("text for people, json for programs.", valueName: "text|json"))
    var format: OutputFormat = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard localAppStore else { return try await serveCompanion(on: console) }
        try checkUsage()
        let stateFile = state.map(LocalStateFile.init)
        var scenario: Scenario
        let staged: Result<Scenario, ScenarioFolder.Fault>
        let beginning = try StoryStart.instant(start)
        let kept = try stateFile?.scenario()
        if let kept {
            staged = kept
            if !scenarios.isEmpty || start != nil {
                console.errors.line("storekeeper: going on with \(stateFile?.path ?? "")")
            }
        } else {
            guard !scenarios.isEmpty else {
                throw .usage(
                    "no catalog and no scenario is named", at: "--local-app-store",
                    "add a catalog, such as Store.storekit, or a scenario, such as grace.yaml")
            }
            staged = try ScenarioFolder.stage(scenarios).1
        }
        switch staged {
        case .success(let read): scenario = read
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
        // A continued story has already begun.
        if kept == nil, let beginning { scenario.start = beginning }
        let key = try ServedKey(reading: apiKey, making: newApiKey, id: keyID, issuerID: issuerID)
        let authority = try authority(kept: stateFile)
        let runner = try await play(scenario, signedBy: authority)
        try write(runner)
        guard runner.report.isMet else {
            for failure in runner.report.failures {
                console.errors.line("line \(failure.line): expected \(failure.expected), found \(failure.found)")
            }
            return .no
        }
        if let stateFile, !stateFile.isThere {
            try stateFile.begin(runner, authority: authority, scenarioPath: scenarios.first ?? "scenario.yaml")
        }
        return try await serve(runner, key: key, stateFile, on: console)
    }

    private static let authorityName = "Simulated App Store"

    /// Returns the previous authority, or a new one.
    private func authority(kept stateFile: LocalStateFile?) throws(CommandError) -> LocalAuthority {
        // The certificates contain the address, so it is determined before the server listens.
        let responder = ocsp ? "\(address.url(port: address.port))/ocsp" : nil
        if let kept = try stateFile?.authority(name: Self.authorityName, ocspResponder: responder) { return kept }
        do {
            return try LocalAuthority(name: Self.authorityName, ocspResponder: responder)
        } catch {
            throw CommandError(.bug, "no certificates can be made: \(error)", at: "storekeeper serve", "report it")
        }
    }

    private func checkUsage() throws(CommandError) {
        guard (0...65_535).contains(address.port) else {
            throw .usage("\(address.port) is no port", at: "--port", "use 0 to 65535")
        }
        guard address.isLoopback || allowRemote else {
            throw .usage(
                "other machines could let anything happen here", at: "--host \(address.host)",
                "use 127.0.0.1, or say --allow-remote as well")
        }
        if let option = companion.named {
            throw .usage("\(option) is the companion service's", at: "--local-app-store", "leave out one of them")
        }
        if let rateLimit, !(rateLimit > 0 && rateLimit.isFinite) {
            throw .usage("\(rateLimit) is no share of a limit", at: "--rate-limit", "use a number above 0, such as 1")
        }
        guard !ocsp || address.port != 0 else {
            throw .usage("certificates name the port", at: "--ocsp", "add --port N")
        }
        guard !webhookRetries || webhook != nil else {
            throw .usage("--webhook-retries needs an address", at: "storekeeper serve", "add --webhook URL")
        }
        if let webhook, !webhook.hasPrefix("http://"), !webhook.hasPrefix("https://") {
            throw .usage("'\(webhook)' is no address on the web", at: "--webhook", "begin it with http:// or https://")
        }
    }

    private var address: ListenAddress {
        ListenAddress(host: host ?? "127.0.0.1", port: port ?? 8080)
    }

    private func play(
        _ scenario: Scenario, signedBy authority: LocalAuthority
    ) async throws(CommandError) -> ScenarioRunner {
        do {
            var runner = try await ScenarioRunner(scenario, seed: seed, authority: authority)
            _ = try await runner.run()
            return runner
        } catch {
            throw SimulateCommand.cannotBegin(error, at: scenarios.first ?? "serve")
        }
    }

    private func write(_ runner: ScenarioRunner) throws(CommandError) {
        if let path = evidence {
            let texts: [String]
            do { texts = try runner.evidence(.all) } catch {
                throw CommandError(.bug, "it cannot be signed: \(error)", at: path, "report it")
            }
            try ScenarioFolder.write(texts.map { $0 + "\n" }.joined(), to: path)
        }
        if let path = rootOut { try ScenarioFolder.write(root: runner.store.authority, to: path) }
    }

    private func serve(
        _ runner: ScenarioRunner, key: ServedKey?, _ stateFile: LocalStateFile?, on console: Console
    ) async throws(CommandError) -> ExitStatus {
        do {
            if let webhook {
                try await connection.with(on: console) { connections in
                    let webhook = HTTPWebhook(url: webhook, client: connections.client(for: webhook))
                    try await serve(runner, key, stateFile, webhook, on: console)
                }
            } else {
                try await serve(runner, key, stateFile, nil, on: console)
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(serving: error, at: address)
        }
        return .success
    }

    private func serve(
        _ runner: ScenarioRunner, _ key: ServedKey?, _ stateFile: LocalStateFile?, _ webhook: (any Webhook)?,
        on console: Console
    ) async throws {
        var configuration = LocalAppStore.Configuration()
        configuration.key = key?.rule
        configuration.rateFactor = rateLimit
        if webhookRetries { configuration.retriesNotifications = true }
        // A saved story must contain the seed that was actually used.
        var scenario = runner.scenario
        scenario.seed = runner.report.seed
        let local = await LocalAppStore(
            store: runner.store, scenario: scenario, webhook: webhook, configuration: configuration,
            attempts: try stateFile?.attempts() ?? [], journal: try stateFile?.openJournal())
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let server = LocalAppStoreServer(local, at: address) { running.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { running.finish() }
                try await server.runUntilSignal()
            }
            for await port in ports { announce(port, runner, key, on: console) }
            try await group.waitForAll()
        }
    }

    /// Prints the address of the store and how to use it.
    private func announce(_ port: Int, _ runner: ScenarioRunner, _ key: ServedKey?, on console: Console) {
        let url = address.url(port: port)
        let apps = runner.scenario.apps.map(\.bundleID)
        switch format {
        case .json:
            console.output.json(
                .object([
                    "url": .string(url), "environment": .string(runner.scenario.environment.rawValue),
                    "apps": .array(apps.map(JSONText.string)), "now": .time(runner.store.now),
                    "keyID": .text(key?.rule.id), "issuerID": .text(key?.rule.issuerID),
                    "webhook": .text(webhook),
                ]))
        case .text:
            console.output.line("A local App Store (\(runner.scenario.environment.rawValue)) is at \(url)")
            console.output.line("  app     \(apps.joined(separator: ", "))")
            console.output.line("  time    \(runner.store.now), until a test moves it")
            console.output.line(
                "  tokens  " + (key.map { "of the key '\($0.rule.id)'" } ?? "of any key, if they are right otherwise"))
            console.output.line("  page    \(url)/ in a browser, to see it and to let things happen")
            console.output.line("  root    " + (rootOut ?? "\(url)/local/v1/root.pem"))
            if let webhook { console.output.line("  posts   notifications to \(webhook)") }
            console.output.line("Ctrl-C ends it; 'storekeeper help serve' tells how to let things happen.")
        }
        console.output.flush()
    }
}
