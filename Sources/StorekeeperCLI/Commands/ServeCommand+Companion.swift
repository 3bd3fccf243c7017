import CoreMetrics
import FoundationEssentials
import Logging
import Storekeeper
import StorekeeperAppStore
import StorekeeperCompanion
import StorekeeperJWS
import StorekeeperPages

extension ServeCommand {
    /// Runs the companion service until the process receives a signal to end.
    ///
    /// If the options request new keys, creates the keys and does not run the service.
    func serveCompanion(on console: Console) async throws(CommandError) -> ExitStatus {
        let file = try Configuration.find(companion.trust.config, on: console)
        let told = try ServiceSettings(
            options: options, environment: console.environment, file: file.serve)
        if companion.isReady { return try await ReadinessProbe(of: told).run(format, on: console) }
        let keyFile = KeyFile(path: told.keys)
        if try make(keysOf: keyFile, on: console) { return .success }
        if let first = local.scenarios.first {
            throw .usage(
                "the companion service does not use scenarios", at: first,
                "use 'storekeeper local-app-store', or leave it out")
        }
        let keys = try keyFile.accessKeys()
        let leases = try await leases(told)
        let webhooks = try WebhookSettings.all(environment: console.environment, file: file.webhooks)
        let offerKey = try told.offerSigner.map { key throws(CommandError) in try Self.offerKey(key) }
        var configuration = CompanionServer.Configuration(address: told.address, connections: told.connections)
        configuration.limitsAddresses = told.service.openRate != nil
        configuration.healthPort = told.healthPort
        let identity = try told.identity.map { files throws(CommandError) in try ServedIdentity(files) }
        configuration.tls = identity?.identity.configuration
        var notes: [String] = []
        let settings = try Settings(
            companion.evidenceOptions, source: .intake, report: { notes.append($0) }, on: console)
        guard let bundleID = settings.bundleID else {
            throw .usage(
                "no app is given", at: "--bundle-id", "add --bundle-id ID, or bundleID to storekeeper.yaml")
        }
        let appStore = try CompanionAppStore(
            settings, bundleID: bundleID, server: told.appStoreServer, offerKey: offerKey, on: console)
        let catalog = try Catalog(of: settings)
        let catalogChangedAt = settings.catalogs.compactMap(SystemFile.changedAt).max()
        let place = try settings.vault(companion.vault.vault, patience: companion.vault.patienceSpan)
        let logger = Self.logger(told)
        warnOfReadableSecrets(told, webhooks, place, logger)
        if let server = told.appStoreServer, file.isFound,
            told.place(of: \.appStoreServer) == ServiceSettings.setting(\.appStoreServer)?.key
        {
            notes.append(
                "the App Store server \(server) is named by \(Configuration.defaultName) in this folder; it gets "
                    + "tokens of the key of App Store Connect")
        }
        for note in notes { logger.warning("\(note.onOneLine)") }
        for product in catalog.products where product.type == .consumable && product.grants.isEmpty {
            logger.warning("\(Diagnostic.ungranted(product.id).message)", metadata: ["code": "noGrants"])
        }
        // The metrics system must be set up before anything is counted, because earlier counts would be lost.
        MetricsSystem.bootstrap(PrometheusMetrics.shared)
        Gauge(label: "storekeeper.build.info", dimensions: [("version", StorekeeperCommand.version)]).record(1)
        await place.waitForDatabase { error in
            logger.warning("the start waits for the database: \(error.message)")
        }
        return try await place.with(for: .writing, tokens: settings.accountTokens) { vault in
            try await withConnections(
                !webhooks.isEmpty || appStore != nil, told.revocation, logger, on: console
            ) { connections, checker in
                var verification = settings.verifierConfiguration
                verification.revocation = checker
                let verifier = JWSVerifier(verification)
                // Other processes may serve the same vault, so leases divide the work among the processes.
                let lease = WakeLease(node: UUID().uuidString)
                let pool = StorePool(
                    configuration: StorePool.Configuration(
                        store: StoreConfiguration(
                            catalog: catalog, policy: settings.entitlementPolicy,
                            // A vault in a file does not report writes by other processes, such as 'storekeeper vault
                            // grant'. The pool reads such a vault again at this interval.
                            refreshInterval: vault.sharing == nil ? .seconds(5) : nil),
                        readsHistories: false, wakeLease: lease), vault: vault, verifier: verifier,
                    report: { logger.log(level: $0.level, "\($0)") })
                let storage = VaultStorage(place)
                let sender = try connections.map { try Self.sender(webhooks, pool, over: $0, logger) }
                var offered = told.service
                offered.environments = settings.environments.sorted { $0.rawValue < $1.rawValue }
                offered.leases = leases
                offered.metrics = .shared
                offered.storageFault = { storage?.fault }
                offered.catalogChangedAt = { catalogChangedAt }
                offered.offerSigner = offerKey.map { OfferSigner(key: $0, bundleID: bundleID) }
                offered.webhooks = webhooks.isEmpty ? nil : sender
                offered.appStore = connections.flatMap { appStore?.client(over: $0, verifier) }
                offered.receiptVerifier = ReceiptVerifier(settings.verifierConfiguration)
                let service = CompanionService(
                    pool: pool, receiver: NotificationReceiver(verifier: verifier, pool: pool), keys: keys,
                    bundleID: bundleID, configuration: offered)
                let reloading = Reloading(
                    keyFile: keyFile, keys: keys, identity: identity, webhooks: webhooks, logger: logger)
                do {
                    try await serve(
                        service, configuration, reloading, of: place, logger,
                        announcesInLog: told.logTo == .output, on: console)
                } catch let error as VaultError {
                    throw error
                } catch let fault as HealthListenerFault {
                    let address = ListenAddress(host: told.address.host, port: told.healthPort ?? 0)
                    throw CommandError(serving: fault.cause, at: address)
                } catch {
                    throw CommandError(serving: error, at: told.address)
                }
                return .success
            }
        }
    }

    /// Creates the sender of webhooks.
    private static func sender(
        _ webhooks: [WebhookSettings], _ pool: StorePool, over connections: HTTPConnections, _ logger: Logger
    ) throws(CommandError) -> WebhookSender {
        do throws(WebhookEndpointFault) {
            return try WebhookSender(
                webhooks.map(\.endpoint), pool: pool,
                transport: { AsyncHTTPTransport(connections, requestTimeout: $0.timeout) }, logger: logger)
        } catch {
            throw .usage(error.description, at: "serve.webhooks", "correct it")
        }
    }

    /// Runs work with connections to other servers and a checker of revoked certificates.
    ///
    /// The checker is `nil` if the policy is off. In this case, the connections are also `nil` unless the work needs
    /// them.
    private func withConnections<Value: Sendable>(
        _ isNeeded: Bool, _ policy: RevocationPolicy, _ logger: Logger, on console: Console,
        _ work: (HTTPConnections?, OCSPChecker?) async throws -> Value
    ) async throws -> Value {
        guard policy != .off || isNeeded else { return try await work(nil, nil) }
        return try await connection.with(on: console) { connections in
            guard policy != .off else { return try await work(connections, nil) }
            let checker = OCSPChecker(policy, over: connections) { logger.warning("\($0)") }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await checker?.run() }
                defer { group.cancelAll() }
                return try await work(connections, checker)
            }
        }
    }

    /// The values of the command-line options, by setting.
    private var options: [String: String] {
        var options = companion.settings
        options["host"] = listening.host
        options["port"] = listening.port.map(String.init)
        options["allowRemote"] = listening.allowRemote ? "true" : nil
        return options
    }

    /// Creates the keys that the options request, and returns whether any key was requested.
    private func make(keysOf file: KeyFile, on console: Console) throws(CommandError) -> Bool {
        if let path = companion.newLeaseKey {
            try OutputFile.writePrivate(Array((LeaseKeys.make() + "\n").utf8), to: path, replaces: false)
            console.note("\(path) signs leases; every process that serves these customers needs it")
        }
        if let path = companion.newWebhookSecret {
            try OutputFile.writePrivate(Array((WebhookSecrets.make() + "\n").utf8), to: path, replaces: false)
            console.note("\(path) signs webhooks; give the secret to their receiver")
        }
        guard let name = companion.newKey else {
            for (option, isGiven) in [
                ("--scope", companion.scope != nil), ("--rate", companion.rate != nil),
                ("--expires", companion.expires != nil),
            ] where isGiven {
                throw .usage("\(option) describes a new key", at: option, "add --new-key NAME, or leave it out")
            }
            return companion.newLeaseKey != nil || companion.newWebhookSecret != nil
        }
        guard let scope = companion.scope else {
            throw .usage("the new key has no scope", at: "--new-key", "add --scope \(Scope.list)")
        }
        let end = try Instant(option: companion.expires, at: "--expires")
        if let end, end <= console.now {
            throw .usage("\(end) has passed", at: "--expires", "give a future time")
        }
        let isAdded = try file.add(name, scope: scope, rate: companion.rate, until: end) { key in
            console.print(
                format, json: .object(["key": .string(key), "name": .string(name), "scope": .string(scope)]),
                lines: [key])
            console.output.flush()
            return console.output.failure == nil
        }
        // If the key could not be written to standard output, this failure is reported when the process ends.
        if isAdded { console.note("the key is shown only now; \(file.path) contains its hash") }
        return true
    }

    private func leases(_ told: ServiceSettings) async throws(CommandError) -> LeaseKeys? {
        guard let path = told.leaseKey else { return nil }
        let pem = String(decoding: try InputFile.contents(of: path, limit: 64 << 10), as: UTF8.self)
        do throws(LeaseKeyFault) { return try await LeaseKeys(pem: pem, life: told.leaseLife) } catch {
            throw CommandError(.malformedInput, error.description, at: path, "correct the file")
        }
    }

    private static func offerKey(
        _ key: (file: String, id: String, issuerID: String)
    ) throws(CommandError) -> AppStoreKey {
        let pem = String(decoding: try InputFile.contents(of: key.file, limit: 16_384), as: UTF8.self)
        do throws(AppStoreServerError) {
            return try AppStoreKey(keyID: key.id, issuerID: key.issuerID, pem: pem)
        } catch {
            throw CommandError(.malformedInput, error.message, at: key.file, "use the .p8 file")
        }
    }

    private static func logger(_ told: ServiceSettings) -> Logger {
        let descriptor = told.logTo == .output ? SystemFile.standardOutput : SystemFile.standardError
        // A failed write to the log cannot be reported.
        let write: @Sendable (String) -> Void = { try? SystemFile.write(Array($0.utf8), to: descriptor) }
        return CompanionServer.logger(
            from: told.log, toOutput: told.logTo == .output, json: told.logFormat == .json ? write : nil)
    }

    /// Warns of files with secrets that other users of this machine can read.
    private func warnOfReadableSecrets(
        _ told: ServiceSettings, _ webhooks: [WebhookSettings], _ place: VaultLocation, _ logger: Logger
    ) {
        var paths = told.secretFiles + webhooks.compactMap(\.secretFile)
        if case .file(let path) = place { paths.append(path) }
        for path in paths {
            guard let status = SystemFile.status(of: path), status.isRegular, status.mode & 0o077 != 0 else { continue }
            logger.warning("others on this machine can read or write \(path); use chmod 600 \(path)")
        }
    }

    /// The time for completing requests in progress, shorter than the time-outs of the files in `Deployment`.
    private static let shutdownLimit = Duration.seconds(25)

    private func serve(
        _ service: CompanionService, _ configuration: CompanionServer.Configuration, _ reloading: Reloading,
        of place: VaultLocation, _ logger: Logger, announcesInLog: Bool, on console: Console
    ) async throws {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let server = CompanionServer(service, configuration, logger: logger) { running.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { running.finish() }
                try await server.runUntilSignal(within: Self.shutdownLimit) {
                    logger.error("the vault has not answered since the signal; no acknowledged change is lost")
                    SystemFile.end(.unreachableService)
                }
            }
            group.addTask { await reloading.run() }
            for await port in ports {
                let url = configuration.url(port: port)
                if announcesInLog {
                    logger.notice(
                        "the companion service is at \(url)",
                        metadata: ["vault": "\(place.name)", "keys": "\(service.keys.count)"])
                } else {
                    announce(url, service, of: place, on: console)
                }
            }
            // The server has ended, so the task that reloads files is cancelled.
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func announce(_ url: String, _ service: CompanionService, of place: VaultLocation, on console: Console) {
        switch format {
        case .json:
            console.output.json(
                .object([
                    "url": .string(url), "vault": .string(place.name), "keys": .whole(service.keys.count),
                    "leases": .bool(service.configuration.leases != nil),
                ]))
        case .text:
            console.output.line("The companion service is at \(url)")
            console.output.line("  vault   \(place.name)")
            console.output.line(
                "  keys    \(service.keys.count), created with 'storekeeper serve --new-key NAME --scope SCOPE'")
            console.output.line("  Apple   posts notifications to \(url)\(CompanionRoute.notifications.path)")
            if service.configuration.hasDesk {
                console.output.line(
                    "  page    \(url)\(CompanionRoute.desk.path): any name, and a desk or admin key as the password")
            }
            if service.configuration.leases != nil {
                console.output.line("  leases  are verified with \(url)\(CompanionRoute.publishedKeys.path)")
            }
            console.output.line("Press Ctrl-C to stop; \(url)/openapi.yaml describes the API.")
        }
        console.output.flush()
    }
}
