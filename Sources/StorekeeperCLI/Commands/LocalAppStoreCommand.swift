import ArgumentParser
import FoundationEssentials
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperLocalStore
import StorekeeperPages
import StorekeeperSimulator

/// `storekeeper local-app-store`: a simulated App Store on this machine, with its server API and a web page.
///
/// `storekeeper serve --local-app-store` runs the same App Store.
struct LocalAppStoreCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "local-app-store",
        abstract: "Serves a simulated App Store, with its server API and a page, for tests.",
        usage: "storekeeper local-app-store [options] [<scenario>] ...",
        discussion: """
            Implements the App Store Server API as Apple documents it: transaction history with revisions, statuses, \
            refunds, orders, extensions, consumption, notifications with their retries, error codes and rate limits. \
            Everything is signed under a separate root certificate: write it with --root-out, and trust it.

            A scenario is run first; after it, time stands still until a test advances it. With a catalog (.storekit, \
            .plist, .json) the store is empty, with one customer named 'customer'. A scenario starts on 2026-01-01 \
            unless it says otherwise: for a server that uses the present time, for which all customers would have \
            lapsed, start it with --start now, or use the step 'advance to now'.

            Tests control it by steps, in the words of scenarios:

              curl -H 'Content-Type: application/json' \\
                -d '{"step": "buy gold.monthly by customer"}' \\
                http://127.0.0.1:8080/local/v1/steps

            The step 'fault' simulates failures between the App Store and a server: error responses, slow, cut or \
            incomplete bodies, and notifications that are dropped, sent twice, late, out of order or with an invalid \
            signature:

              {"steps": ["fault history how 500 times 2",
                         "fault notifications how dropped times 1"]}

            In a browser, the same address is a page that shows everything and has a form for every step.

            GET /local/v1 returns the time and the customers; GET /local/v1/transactions?person=customer returns the \
            ids that the API accepts; /openapi.yaml describes all requests. Every bearer token is checked: ES256, aud, \
            bid, exp, and with --api-key its signature.

            For a migration from receipts of the original StoreKit, GET /local/v1/people/customer/receipt makes one, \
            which 'storekeeper receipt' verifies. POST /verifyReceipt answers 410.

            'storekeeper serve --local-app-store' is the same command.

            EXIT STATUS
              0   stopped by the user            66  a file cannot be read
              1   an expectation is not met      69  the port cannot be used
              64  wrong usage                    73  a file cannot be written
              65  a scenario or key is malformed

            EXAMPLES
              An App Store for a server's tests:
                storekeeper local-app-store Store.storekit \\
                  --port 8080 --root-out root.pem

              After a scenario, with notifications sent to your own server:
                storekeeper local-app-store grace.yaml --port 8080 \\
                  --webhook http://127.0.0.1:9000/apple

              Create a key, and accept only tokens signed with it:
                storekeeper local-app-store grace.yaml \\
                  --new-api-key key.p8 --key-id K1 --issuer-id I1
            """)

    @OptionGroup var options: LocalAppStoreOptions
    @OptionGroup var listening: ListeningOptions
    @OptionGroup(title: "Connection options") var connection: ConnectionOptions

    @Option(name: .long, help: ArgumentHelp("text for people, json for programs.", valueName: "text|json"))
    var format: OutputFormat = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        try listening.check()
        try options.check(at: address)
        let stateFile = options.state.map(LocalStateFile.init)
        var scenario: Scenario
        let staged: Result<Scenario, ScenarioFolder.Fault>
        let beginning = try StoryStart.instant(options.start)
        let kept = try stateFile?.scenario()
        if let kept {
            staged = kept
            if !options.scenarios.isEmpty || options.start != nil {
                console.errors.line("storekeeper: resuming from \(stateFile?.path ?? "")")
            }
        } else {
            guard !options.scenarios.isEmpty else {
                throw .usage(
                    "no catalog or scenario is given", at: "storekeeper local-app-store",
                    "add a catalog, such as Store.storekit, or a scenario, such as grace.yaml")
            }
            staged = try ScenarioFolder.stage(options.scenarios, story: catalogStory).1
        }
        switch staged {
        case .success(let read): scenario = read
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
        // A resumed scenario begins at the instant that is stored in its state file, so `--start` does not change it.
        if kept == nil, let beginning { scenario.start = beginning }
        let key = try ServedKey(
            reading: options.apiKey, making: options.newApiKey, id: options.keyID, issuerID: options.issuerID)
        let authority = try authority(kept: stateFile)
        let runner = try await play(scenario, signedBy: authority)
        try write(runner)
        // The steps of a saved state have run before, so their expectations are not checked again.
        guard kept != nil || runner.report.isMet else {
            for failure in runner.report.failures {
                console.errors.line("line \(failure.line): expected \(failure.expected), found \(failure.found)")
            }
            return .no
        }
        if let stateFile, !stateFile.exists {
            try stateFile.begin(runner, authority: authority, scenarioPath: scenarioPath)
        }
        return try await serve(runner, key: key, stateFile, isResumed: kept != nil, on: console)
    }

    /// The title of the scenario that is made from catalogs if no scenario is given.
    private var catalogStory: String {
        let names = options.scenarios.map { $0.split(separator: "/").last?.onOneLine ?? $0.onOneLine }
        return "An App Store with \(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", …" : "")"
    }

    /// The path to which the names of catalogs are relative: the path of the scenario, or a path in the working
    /// directory if only catalogs are given.
    private var scenarioPath: String {
        options.scenarios.first.flatMap { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") ? $0 : nil } ?? "scenario.yaml"
    }

    private static let authorityName = "Simulated App Store"

    /// Returns the certificate authority whose keys are in the state file, or a new authority if the file contains no
    /// keys.
    private func authority(kept stateFile: LocalStateFile?) throws(CommandError) -> LocalAuthority {
        // The certificates contain the responder's address, so they are created before the store listens at this
        // address.
        let responder = options.ocsp ? "\(address.url(port: address.port))/ocsp" : nil
        if let kept = try stateFile?.authority(name: Self.authorityName, ocspResponder: responder) { return kept }
        do {
            return try LocalAuthority(name: Self.authorityName, ocspResponder: responder)
        } catch {
            throw CommandError(
                .bug, "no certificates can be created: \(error)", at: "storekeeper local-app-store", "report it")
        }
    }

    private var address: ListenAddress { listening.address }

    private func play(
        _ scenario: Scenario, signedBy authority: LocalAuthority
    ) async throws(CommandError) -> ScenarioRunner {
        do {
            var runner = try await ScenarioRunner(scenario, seed: options.seed, authority: authority)
            _ = try await runner.run()
            return runner
        } catch {
            throw SimulateCommand.cannotStart(error, at: options.scenarios.first ?? "local-app-store")
        }
    }

    private func write(_ runner: ScenarioRunner) throws(CommandError) {
        if let path = options.evidence {
            let texts: [String]
            do { texts = try runner.evidence(.all) } catch {
                throw CommandError(.bug, "signing failed: \(error)", at: path, "report it")
            }
            try ScenarioFolder.write(texts.map { $0 + "\n" }.joined(), to: path)
        }
        if let path = options.rootOut { try ScenarioFolder.write(root: runner.store.authority, to: path) }
    }

    private func serve(
        _ runner: ScenarioRunner, key: ServedKey?, _ stateFile: LocalStateFile?, isResumed: Bool, on console: Console
    ) async throws(CommandError) -> ExitStatus {
        do {
            try await connection.with(on: console) { connections in
                let webhook = options.webhook.map { HTTPWebhook(url: $0, client: connections.client(for: $0)) }
                let realtime = HTTPRealtimeSender { connections.client(for: $0) }
                try await serve(runner, key, stateFile, isResumed: isResumed, webhook, realtime, on: console)
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(serving: error, at: address)
        }
        return .success
    }

    private func serve(
        _ runner: ScenarioRunner, _ key: ServedKey?, _ stateFile: LocalStateFile?, isResumed: Bool,
        _ webhook: (any Webhook)?, _ realtime: any RealtimeSender, on console: Console
    ) async throws {
        var configuration = LocalAppStore.Configuration()
        configuration.realtime = realtime
        configuration.key = key?.rule
        configuration.rateFactor = options.rateLimit
        if options.webhookRetries { configuration.retriesNotifications = true }
        // The saved scenario must lead to the same results when it is replayed, so it contains the random seed of this
        // run.
        var scenario = runner.scenario
        scenario.seed = runner.report.seed
        let archive = isResumed ? try stateFile?.story(of: scenario, in: runner.store) : nil
        let local = await LocalAppStore(
            store: runner.store, scenario: scenario, webhook: webhook, configuration: configuration,
            attempts: try stateFile?.attempts() ?? [], messaging: try stateFile?.messaging() ?? [],
            journal: try stateFile?.openJournal(
                scenario, scenarioPath: isResumed ? nil : scenarioPath),
            archive: archive, isAsWritten: !isResumed)
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

    /// Prints the URL of the local App Store, and instructions for its use.
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
                    "webhook": .text(options.webhook),
                ]))
        case .text:
            console.output.line("A local App Store (\(runner.scenario.environment.rawValue)) is at \(url)")
            console.output.line("  app     \(apps.joined(separator: ", "))")
            console.output.line("  time    \(runner.store.now), until a test advances it")
            console.output.line(
                "  tokens  "
                    + (key.map { "are accepted if signed with the key '\($0.rule.id)'" }
                        ?? "are accepted with any key, if they are otherwise valid"))
            console.output.line("  page    \(url)/ shows the store in a browser, with a form for every step")
            console.output.line("  root    " + (options.rootOut ?? "\(url)/local/v1/root.pem"))
            if let webhook = options.webhook { console.output.line("  sends   notifications to \(webhook)") }
            console.output.line(
                "Press Ctrl-C to stop; 'storekeeper help local-app-store' explains how to control the store.")
        }
        console.output.flush()
    }
}
