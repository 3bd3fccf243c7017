import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// The options that name the App Store server and the key for its API.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The private key of App Store Connect, a .p8 file. Default: APP_STORE_PRIVATE_KEY_FILE or "
                + "APP_STORE_PRIVATE_KEY.", valueName: "file"), completion: .file(extensions: ["p8"]))
    var apiKey: String?

    @Option(name: .long, help: ArgumentHelp("The id of the key. Default: APP_STORE_KEY_ID.", valueName: "id"))
    var keyID: String?

    @Option(
        name: .long, help: ArgumentHelp("The issuer id of the team. Default: APP_STORE_ISSUER_ID.", valueName: "id"))
    var issuerID: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The base URL of a server other than Apple's, such as a local App Store: https, or http on this machine.",
            valueName: "url")
    )
    var server: String?

    @OptionGroup var connection: ConnectionOptions

    /// The name of the server in messages.
    var place: String { server ?? "the App Store" }

    /// Returns the key, from options or the environment.
    ///
    /// - Throws: ``CommandError`` with status 64 if the key, its id or the issuer id is missing, 65 if the key is not
    ///   valid, 66 if the key's file cannot be read.
    func key(on console: Console) throws(CommandError) -> AppStoreKey {
        var variables = console.environment
        if let keyID { variables["APP_STORE_KEY_ID"] = keyID }
        if let issuerID { variables["APP_STORE_ISSUER_ID"] = issuerID }
        if let apiKey {
            variables["APP_STORE_PRIVATE_KEY"] = nil
            variables["APP_STORE_PRIVATE_KEY_FILE"] = apiKey
        }
        for (name, option) in [("APP_STORE_KEY_ID", "--key-id"), ("APP_STORE_ISSUER_ID", "--issuer-id")] {
            guard variables[name]?.isEmpty == false else {
                throw .usage("the id of the key or issuer is missing", at: option, "add \(option) ID, or set \(name)")
            }
        }
        guard
            [variables["APP_STORE_PRIVATE_KEY"], variables["APP_STORE_PRIVATE_KEY_FILE"]].contains(where: {
                $0?.isEmpty == false
            })
        else {
            throw .usage(
                "no API key is given", at: "--api-key",
                "add --api-key FILE; create a key in App Store Connect, Users and Access, Integrations, In-App Purchase"
            )
        }
        return try .named(in: variables)
    }

    /// Returns the ids of the key and its issuer, from options or the environment; `nil` if one is missing.
    func ids(on console: Console) -> (keyID: String, issuerID: String)? {
        let (keyID, issuerID) = (
            keyID ?? console.environment["APP_STORE_KEY_ID"], issuerID ?? console.environment["APP_STORE_ISSUER_ID"]
        )
        guard let keyID, let issuerID, !keyID.isEmpty, !issuerID.isEmpty else { return nil }
        return (keyID, issuerID)
    }

    /// Returns whether an option or the environment names a key.
    func isNamed(on console: Console) -> Bool {
        apiKey != nil || keyID != nil || issuerID != nil
            || ["APP_STORE_PRIVATE_KEY", "APP_STORE_PRIVATE_KEY_FILE", "APP_STORE_KEY_ID"].contains {
                console.environment[$0]?.isEmpty == false
            }
    }

    /// Returns the path of the key's file; `nil` if the environment contains the key itself.
    func keyPath(on console: Console) -> String? { apiKey ?? console.environment["APP_STORE_PRIVATE_KEY_FILE"] }

    /// Returns the servers that have the data of the given environments, in the order in which they are asked.
    func lookup(_ environments: Set<AppStore.Environment>) throws(CommandError) -> EnvironmentLookup {
        guard let server else {
            switch (environments.contains(.production), environments.contains(.sandbox)) {
            case (true, true): return .productionThenSandbox
            case (false, true): return .sandbox
            case (true, false): return .production
            case (false, false):
                throw .usage(
                    "Apple's servers support production and the sandbox only", at: "--environment",
                    "choose one of these, or name a server with --server URL")
            }
        }
        return .only(try .custom(server, of: environments, at: "--server"))
    }
}

extension AppStoreKey {
    /// Reads the key that environment variables name; see ``init(environment:)``.
    ///
    /// - Throws: ``CommandError`` with status 64 if both the key and a file of it are set, 65 if the key is not valid, 66
    ///   if the file cannot be read.
    static func named(in environment: [String: String]) throws(CommandError) -> AppStoreKey {
        let (text, file) = ("APP_STORE_PRIVATE_KEY", "APP_STORE_PRIVATE_KEY_FILE")
        var variables = environment.filter { !$0.value.isEmpty }
        let path = variables[file]
        if let path {
            guard variables[text] == nil else { throw .bothGiven(text, file) }
            variables[text] = String(decoding: try InputFile.contents(of: path, limit: 16_384), as: UTF8.self)
        }
        do { return try AppStoreKey(environment: variables) } catch {
            throw CommandError(.malformedInput, error.message, at: path ?? text, "use the .p8 file")
        }
    }
}

extension AppStoreServerHost {
    /// Returns the server that an option names.
    ///
    /// - Throws: ``CommandError`` with status 64 if the URL is not accepted, or if there are several environments.
    static func custom(
        _ url: String, of environments: Set<AppStore.Environment>, at option: String
    ) throws(CommandError) -> AppStoreServerHost {
        guard environments.count == 1, let environment = environments.first else {
            throw .usage("a server has one environment", at: option, "name it with --environment NAME")
        }
        do { return try AppStoreServerHost(baseURL: url, environment: environment) } catch {
            throw CommandError(.usage, error.message, at: option, "use https://…, or http://127.0.0.1:PORT")
        }
    }
}
