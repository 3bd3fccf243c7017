import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// Connects to the App Store for the duration of a command.
enum AppStoreConnection {
    /// Runs work with a client and a verifier of its responses.
    ///
    /// - Parameters:
    ///   - options: The server and the key.
    ///   - revocation: How the verifier treats possibly revoked certificates.
    /// - Throws: ``CommandError`` with status 64 or 65 for missing or malformed input, 69 if the server returns no
    ///   valid response, 77 if the server refuses the key.
    static func with<Value: Sendable>(
        _ options: ServerOptions, _ settings: Settings, revocation: RevocationPolicy = .off, on console: Console,
        _ work: (AppStoreServerClient, JWSVerifier) async throws -> Value
    ) async throws(CommandError) -> Value {
        guard settings.bundleID != nil else { throw missingApp }
        let key = try options.key(on: console)
        // Wrong environments are reported before any connection is made.
        _ = try options.lookup(settings.environments)
        let reports = RevocationReports()
        defer { reports.print(on: console) }
        do {
            return try await options.connection.with(on: console) { connections in
                var configuration = settings.verifierConfiguration
                configuration.revocation = OCSPChecker(revocation, over: connections) { reports.add($0) }
                let verifier = JWSVerifier(configuration)
                let transport = AsyncHTTPTransport(connections)
                let client = try client(options, settings, key: key, verifier: verifier, transport: transport)
                do { return try await work(client, verifier) } catch let error as AppStoreServerError
                    where error.code == .unauthorized
                {
                    let sandbox = try sandbox(options, settings, key: key, verifier: verifier, transport: transport)
                    throw try await CommandError(
                        refusingKey: error, at: options.place, in: settings.environments, sandbox: sandbox)
                }
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(asking: error, at: options.place, in: settings.environments)
        }
    }

    /// Makes a client.
    ///
    /// - Parameter environments: The environments to ask; `nil` for those of the settings.
    /// - Throws: ``CommandError`` with status 64 if the app or the server is not named.
    static func client(
        _ options: ServerOptions, _ settings: Settings, in environments: Set<AppStore.Environment>? = nil,
        key: AppStoreKey, verifier: JWSVerifier, transport: any HTTPTransport
    ) throws(CommandError) -> AppStoreServerClient {
        guard let bundleID = settings.bundleID else { throw missingApp }
        return AppStoreServerClient(
            AppStoreServerConfiguration(
                bundleID: bundleID, appAppleID: settings.appAppleID,
                lookup: try options.lookup(environments ?? settings.environments)),
            key: key, verifier: verifier, transport: transport)
    }

    /// Makes a client that asks Apple's sandbox about a key that production refuses; `nil` for a custom server, or if
    /// production is not an environment of the settings.
    static func sandbox(
        _ options: ServerOptions, _ settings: Settings, key: AppStoreKey, verifier: JWSVerifier,
        transport: any HTTPTransport
    ) throws(CommandError) -> AppStoreServerClient? {
        guard options.server == nil, settings.environments.contains(.production) else { return nil }
        return try client(
            options, settings, in: [.sandbox], key: key, verifier: verifier, transport: transport)
    }

    private static var missingApp: CommandError {
        .usage("no app is given", at: "--bundle-id", "add --bundle-id ID, or bundleID to storekeeper.yaml")
    }
}

extension CommandError {
    /// Creates the error for a key that the App Store refuses, after asking the sandbox about the key.
    ///
    /// - Parameter sandbox: A client of the sandbox; `nil` if the sandbox cannot clear up the refusal.
    /// - Throws: `CancellationError`.
    init(
        refusingKey error: AppStoreServerError, at place: String, in environments: Set<AppStore.Environment>,
        sandbox: AppStoreServerClient?
    ) async throws {
        self.init(asking: error, at: place, in: environments)
        guard let sandbox, let isAccepted = try await ServerCheckup.accepts(sandbox) else { return }
        if isAccepted {
            (what, advice) = ServerCheckup.unreleased(sandbox.configuration.bundleID)
        } else {
            advice = "check --key-id, --issuer-id, --api-key and --bundle-id; the sandbox refuses the key as well"
        }
    }

    /// Creates the error for a failure of the App Store's server.
    ///
    /// The status is 1 for an unknown transaction, 64 or 65 for wrong input of the user, 69 if the server returns no
    /// usable response, and 77 if the server refuses the key or its response cannot be verified.
    ///
    /// - Parameters:
    ///   - error: The client's error.
    ///   - place: The name of the server.
    ///   - environments: The requested environments; an empty set means any environment.
    init(asking error: any Error, at place: String, in environments: Set<AppStore.Environment> = []) {
        guard let error = error as? AppStoreServerError else {
            self.init(.bug, "\(error)", at: place, "report it")
            return
        }
        switch error.code {
        case .unauthorized:
            // Apple's production server refuses every token for an app that was never released.
            self.init(
                .refused, error.message, at: place,
                "check --key-id, --issuer-id, --api-key and --bundle-id"
                    + (environments == [.production]
                        ? "; if the app was never released, add --environment Sandbox" : ""))
        case .unverifiedResponse:
            self.init(.refused, error.message, at: place, "check --root, --bundle-id and --app-apple-id")
        case .unreachable, .deadlineExceeded, .serverFailure, .suspended, .rateLimited:
            let remedy = (error.cause as? TransportError)?.remedy ?? "try again later"
            self.init(.unreachableService, error.message, at: place, remedy)
        case .refused where error.apiCode == .transactionIDNotFound:
            // Apple has separate servers for the sandbox and for production. Each server reports a transaction of the
            // other server as not found.
            let advice =
                environments == [.production]
                ? "check the id; for the sandbox, TestFlight or a local App Store, add --environment Sandbox"
                : "check the id and --environment"
            self.init(.no, error.message, at: place, advice)
        case .invalidRequest, .consentMissing, .noHost, .invalidHost:
            self.init(.usage, error.message, at: place, "correct it")
        case .invalidKey: self.init(.malformedInput, error.message, at: place, "use the .p8 file")
        case .mismatchedResponse:
            self.init(.unreachableService, error.message, at: place, "check --environment, --bundle-id and --server")
        case .malformedResponse:
            self.init(
                .unreachableService, error.message, at: place, "check --server; if a proxy answers, set NO_PROXY")
        default: self.init(.unreachableService, error.message, at: place, "try again; if the error persists, report it")
        }
    }
}
