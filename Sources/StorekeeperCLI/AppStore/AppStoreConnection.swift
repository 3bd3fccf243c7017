import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// Asks the App Store for the time of a command.
enum AppStoreConnection {
    /// Makes a client for the time of some work, and what carries its requests.
    ///
    /// - Throws: ``CommandError``: 64 and 65 for what it needs, 69 where the server cannot be reached, 77 where it refuses
    ///   the key, 65 where it answers nonsense.
    static func with<Value: Sendable>(
        _ options: ServerOptions, _ settings: Settings, on console: Console,
        _ work: (AppStoreServerClient, any HTTPTransport) async throws -> Value
    ) async throws(CommandError) -> Value {
        guard let bundleID = settings.bundleID else {
            throw .usage(
                "the app is not named", at: "--bundle-id", "add --bundle-id ID, or bundleID to storekeeper.yaml")
        }
        let key = try options.key(on: console)
        let lookup = try options.lookup(settings.environments)
        let transport: AsyncHTTPTransport
        do { transport = try AsyncHTTPTransport() } catch {
            throw CommandError(.bug, "no connection can be made: \(error)", at: "storekeeper", "report it")
        }
        let client = AppStoreServerClient(
            AppStoreServerConfiguration(bundleID: bundleID, appAppleID: settings.appAppleID, lookup: lookup), key: key,
            verifier: JWSVerifier(settings.verifierConfiguration), transport: transport)
        let result: Result<Value, any Error>
        do { result = .success(try await work(client, transport)) } catch { result = .failure(error) }
        do { try await transport.close() } catch { console.errors.line("storekeeper: the connection: \(error)") }
        do { return try result.get() } catch let error as CommandError { throw error } catch {
            throw CommandError(asking: error, at: options.server ?? "the App Store")
        }
    }
}

extension CommandError {
    /// What went wrong with the App Store's server.
    init(asking error: any Error, at place: String) {
        guard let error = error as? AppStoreServerError else {
            self.init(.bug, "\(error)", at: place, "report it")
            return
        }
        switch error.code {
        case .unauthorized:
            self.init(.refused, error.message, at: place, "check --key-id, --issuer-id, --api-key and --bundle-id")
        case .unreachable, .deadlineExceeded, .serverFailure, .suspended, .rateLimited:
            self.init(.unreachableService, error.message, at: place, "try again later")
        case .refused where error.apiCode == .transactionIDNotFound:
            self.init(.no, error.message, at: place, "check the id and --environment")
        case .invalidRequest: self.init(.usage, error.message, at: place, "correct it")
        default: self.init(.malformedInput, error.message, at: place, "try again; if it stays so, report it")
        }
    }
}
