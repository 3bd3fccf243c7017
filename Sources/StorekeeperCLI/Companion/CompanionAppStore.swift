import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// Makes the client with which the companion service asks Apple about orders, histories and receipts.
///
/// The client uses the key that environment variables name. If they name no key, it uses the key that signs offers.
struct CompanionAppStore {
    private let key: AppStoreKey
    private let configuration: AppStoreServerConfiguration

    /// Reads the key; returns `nil` if no key exists, or if Apple serves none of the environments.
    ///
    /// - Throws: ``CommandError`` with status 65 if the variables name a key that is not valid.
    init?(
        _ settings: Settings, bundleID: String, offerKey: AppStoreKey?, on console: Console
    ) throws(CommandError) {
        let environment = console.environment
        let isNamed = ["APP_STORE_PRIVATE_KEY", "APP_STORE_PRIVATE_KEY_FILE"].contains {
            environment[$0]?.isEmpty == false
        }
        var found = offerKey
        if isNamed {
            do throws(AppStoreServerError) { found = try AppStoreKey(environment: environment) } catch {
                throw CommandError(.malformedInput, error.message, at: "APP_STORE_PRIVATE_KEY", "use the .p8 file")
            }
        }
        let environments = settings.environments
        let lookup: EnvironmentLookup
        switch (environments.contains(.production), environments.contains(.sandbox)) {
        case (true, true): lookup = .productionThenSandbox
        case (true, false): lookup = .production
        case (false, true): lookup = .sandbox
        case (false, false): return nil
        }
        guard let found else { return nil }
        key = found
        // A person or an app waits for the answer, so the deadline is short.
        configuration = AppStoreServerConfiguration(
            bundleID: bundleID, appAppleID: settings.appAppleID, lookup: lookup, deadline: .seconds(20),
            maximumAttempts: 2)
    }

    func client(over connections: HTTPConnections, _ verifier: JWSVerifier) -> AppStoreServerClient {
        AppStoreServerClient(
            configuration, key: key, verifier: verifier, transport: AsyncHTTPTransport(connections))
    }
}
