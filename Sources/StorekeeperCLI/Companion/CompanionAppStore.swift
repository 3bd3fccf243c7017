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
    /// - Parameter server: The base URL of a server other than Apple's, such as a local App Store. It is not accepted
    ///   for Production, so that the evidence of real customers comes from Apple alone.
    /// - Throws: ``CommandError`` with status 64 if the server is not accepted or the key is given twice, 65 if it is not
    ///   valid, 66 if its file cannot be read.
    init?(
        _ settings: Settings, bundleID: String, server: String?, offerKey: AppStoreKey?, on console: Console
    ) throws(CommandError) {
        let environment = console.environment
        let isNamed = ["APP_STORE_PRIVATE_KEY", "APP_STORE_PRIVATE_KEY_FILE"].contains {
            environment[$0]?.isEmpty == false
        }
        var found = offerKey
        if isNamed { found = try .named(in: environment) }
        let environments = settings.environments
        let lookup: EnvironmentLookup
        if let server {
            let option = ServiceSettings.setting(\.appStoreServer)?.sameOption ?? ""
            guard !environments.contains(.production) else {
                throw .usage(
                    "only Apple's server is asked about Production", at: option,
                    "leave it out, or accept another environment with --environment Sandbox")
            }
            lookup = .only(try .custom(server, of: environments, at: option))
            guard found != nil else {
                throw .usage(
                    "the server needs a key", at: option,
                    "set APP_STORE_PRIVATE_KEY_FILE, APP_STORE_KEY_ID and APP_STORE_ISSUER_ID; a local App Store makes a "
                        + "key with --new-api-key")
            }
        } else {
            switch (environments.contains(.production), environments.contains(.sandbox)) {
            case (true, true): lookup = .productionThenSandbox
            case (true, false): lookup = .production
            case (false, true): lookup = .sandbox
            case (false, false): return nil
            }
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
