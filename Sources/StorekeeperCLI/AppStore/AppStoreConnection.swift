import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// Asks the App Store for the time of a command.
enum AppStoreConnection {
    /// Makes a client for the time of some work, and a verifier of what it brings.
    ///
    /// - Parameters:
    ///   - options: Which server is asked, and with which key.
    ///   - revocation: What the verifier makes of certificates that may have been revoked.
    /// - Throws: ``CommandError``: 64 and 65 for what it needs, 69 if the server does not give an answer that counts, 77 if
    ///   it refuses the key.
    static func with<Value: Sendable>(
        _ options: ServerOptions, _ settings: Settings, revocation: RevocationPolicy = .off, on console: Console,
        _ work: (AppStoreServerClient, JWSVerifier) async throws -> Value
    ) async throws(CommandError) -> Value {
        guard settings.bundleID != nil else { throw missingApp }
        let key = try options.key(on: console)
        // Before anything is connected to.
        _ = try options.lookup(settings.environments)
        let reports = RevocationReports()
        defer { reports.print(on: console) }
        do {
            return try await options.connection.with(on: console) { connections in
                var configuration = settings.verifierConfiguration
                configuration.revocation = OCSPChecker(revocation, over: connections) { reports.add($0) }
                let verifier = JWSVerifier(configuration)
                let client = try client(
                    options, settings, key: key, verifier: verifier, transport: AsyncHTTPTransport(connections))
                return try await work(client, verifier)
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(asking: error, at: options.place, in: settings.environments)
        }
    }

    /// Makes a client.
    ///
    /// - Throws: ``CommandError`` with 64 if the app or the server is not named.
    static func client(
        _ options: ServerOptions, _ settings: Settings, key: AppStoreKey, verifier: JWSVerifier,
        transport: any HTTPTransport
    ) throws(CommandError) -> AppStoreServerClient {
        guard let bundleID = settings.bundleID else { throw missingApp }
        return AppStoreServerClient(
            AppStoreServerConfiguration(
                bundleID: bundleID, appAppleID: settings.appAppleID,
                lookup: try options.lookup(settings.environments)),
            key: key, verifier: verifier, transport: transport)
    }

    private static var missingApp: CommandError {
        .usage("the app is not named", at: "--bundle-id", "add --bundle-id ID, or bundleID to storekeeper.yaml")
    }
}

extension CommandError {
    /// What went wrong with the App Store's server.
    ///
    /// What the user gave ends with 64 or 65, what a server answers or fails to answer with 69, what was refused with 77.
    ///
    /// - Parameters:
    ///   - error: What the client says.
    ///   - place: Who was asked.
    ///   - environments: Where the server was asked; none: anywhere.
    init(asking error: any Error, at place: String, in environments: Set<AppStore.Environment> = []) {
        guard let error = error as? AppStoreServerError else {
            self.init(.bug, "\(error)", at: place, "report it")
            return
        }
        switch error.code {
        case .unauthorized:
            self.init(.refused, error.message, at: place, "check --key-id, --issuer-id, --api-key and --bundle-id")
        case .unverifiedResponse:
            self.init(.refused, error.message, at: place, "check --root, --bundle-id and --app-apple-id")
        case .unreachable, .deadlineExceeded, .serverFailure, .suspended, .rateLimited:
            let remedy = (error.cause as? TransportError)?.remedy ?? "try again later"
            self.init(.unreachableService, error.message, at: place, remedy)
        case .refused where error.apiCode == .transactionIDNotFound:
            // Apple's servers keep sandbox and production apart, and each says of the other's that it does not exist.
            let advice =
                environments == [.production]
                ? "check the id; if it is of the sandbox, TestFlight or a local App Store, add --environment Sandbox"
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
        default: self.init(.unreachableService, error.message, at: place, "try again; if it stays so, report it")
        }
    }
}
