import Storekeeper
import StorekeeperCompanion
import StorekeeperJWS

/// The settings of a webhook of the companion service.
///
/// Each setting is read from its environment variable, else from its key under `serve.webhooks` in storekeeper.yaml.
///
/// For example, the setting `giveUpAfter` of the webhook `billing` has the variable
/// `STOREKEEPER_SERVE_WEBHOOKS_BILLING_GIVE_UP_AFTER`. The variable `STOREKEEPER_SERVE_WEBHOOKS_BILLING_SECRET`
/// contains the secrets themselves and not the path of a file.
struct WebhookSettings: Sendable {
    /// The endpoint with its secrets.
    let endpoint: WebhookEndpoint
    /// The file with the secrets, if they are in a file.
    let secretFile: String?

    private static let prefix = ConfigurationVariable.webhooksPrefix
    private static let secret = "SECRET"
    /// The longest permitted value of `giveUpAfter`: thirty days, in milliseconds.
    private static let longestRetries: Int64 = 30 * 86_400_000

    /// Reads the settings of all webhooks.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - file: The values of `serve.webhooks` in storekeeper.yaml, by name.
    /// - Throws: ``CommandError`` with status 64 for a wrong setting, 65 for a malformed file of secrets, 66 for an
    ///   unreadable file of secrets.
    static func all(
        environment: [String: String], file: [String: [WebhookKey: String]]
    ) throws(CommandError) -> [WebhookSettings] {
        var (values, secrets) = (file, [String: String]())
        let names = Dictionary(file.keys.map { (Self.variable($0), $0) }) { first, _ in first }
        for (variable, value) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(prefix) && !value.isEmpty {
            let rest = variable.dropFirst(prefix.count)
            func name(before suffix: String) -> String? {
                guard rest.hasSuffix("_\(suffix)") else { return nil }
                let name = String(rest.dropLast(suffix.count + 1))
                return names[name] ?? name.lowercased().replacing("_", with: "-")
            }
            if let name = name(before: secret) {
                secrets[name] = value
            } else if let key = WebhookKey.allCases.first(where: { name(before: $0.suffix) != nil }),
                let name = name(before: key.suffix)
            {
                values[name, default: [:]][key] = value
            } else {
                let known = WebhookKey.allCases.map(\.suffix) + [secret]
                throw .usage(
                    "it does not end in a setting of a webhook", at: variable, "use \(known.joined(separator: ", "))")
            }
        }
        for name in secrets.keys where values[name] == nil { values[name] = [:] }
        var all: [WebhookSettings] = []
        for (name, values) in values.sorted(by: { $0.key < $1.key }) {
            let secret = secrets[name]
            if secret != nil, let variable = Self.given(name, .secretFile, in: environment) {
                throw .bothGiven(prefix + Self.variable(name) + "_\(Self.secret)", variable)
            }
            all.append(try WebhookSettings(name, values, secret: secret))
        }
        return all
    }

    /// Returns the name of the environment variable of a setting; `nil` if the variable is not set.
    private static func given(_ name: String, _ key: WebhookKey, in environment: [String: String]) -> String? {
        let variable = "\(prefix)\(variable(name))_\(key.suffix)"
        return environment[variable]?.isEmpty == false ? variable : nil
    }

    private static func variable(_ name: String) -> String { name.uppercased().replacing("-", with: "_") }

    private init(_ name: String, _ values: [WebhookKey: String], secret: String?) throws(CommandError) {
        func refusal(_ key: WebhookKey, _ what: String, _ remedy: String) -> CommandError {
            .usage("\(key.rawValue) \(what)", at: "serve.webhooks.\(name).\(key.rawValue)", remedy)
        }
        func span(_ key: WebhookKey, else standard: Int64, limit: Int64) throws(CommandError) -> Duration {
            guard let text = values[key] else { return .milliseconds(standard) }
            guard let span = LeewayDuration.milliseconds(text, limit: limit), span > 0 else {
                throw refusal(key, "is '\(text)'", "use a time such as 10s, 5m or 3d")
            }
            return .milliseconds(span)
        }
        guard let url = values[.url] else { throw refusal(.url, "is missing", "give the address of the receiver") }
        let allowsHTTP: Bool
        switch values[.allowHttp] {
        case nil, "false", "no": allowsHTTP = false
        case "true", "yes": allowsHTTP = true
        case let word?: throw refusal(.allowHttp, "is '\(word)'", "use true or false")
        }
        let secrets: WebhookSecrets
        if let secret {
            secrets = try Self.secrets(secret, at: Self.prefix + Self.variable(name) + "_\(Self.secret)")
            secretFile = nil
        } else {
            guard let path = values[.secretFile] else {
                throw refusal(
                    .secretFile, "is missing", "make one with 'storekeeper serve --new-webhook-secret FILE'")
            }
            secrets = try Self.secrets(in: path)
            secretFile = path
        }
        let timeout = try span(.timeout, else: 15_000, limit: LeewayDuration.limitInMilliseconds)
        let end = try span(.giveUpAfter, else: 3 * 86_400_000, limit: Self.longestRetries)
        do throws(WebhookEndpointFault) {
            endpoint = try WebhookEndpoint(
                name: name, url: url, secrets: secrets, allowsPlainHTTP: allowsHTTP,
                timeout: timeout, givesUpAfter: end)
        } catch {
            throw .usage(error.description, at: "serve.webhooks.\(name)", "see 'storekeeper serve --help'")
        }
    }

    /// Reads the secrets from a file, in which white space separates them.
    private static func secrets(in path: String) throws(CommandError) -> WebhookSecrets {
        let bytes = try InputFile.contents(of: path, limit: 16 << 10)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.malformedInput, "the file of secrets is not UTF-8", at: path, "correct it")
        }
        return try secrets(text, at: path)
    }

    private static func secrets(_ text: String, at place: String) throws(CommandError) -> WebhookSecrets {
        let words = text.split { $0.isWhitespace || $0 == "," }.map(String.init)
        do throws(WebhookError) { return try WebhookSecrets(words) } catch {
            throw CommandError(.malformedInput, error.message, at: place, "correct it")
        }
    }

    // MARK: Reloading

    /// The bytes of the file of secrets, which are compared with earlier bytes to detect changes; `nil` if there is no
    /// file, or if it cannot be read.
    var contents: [UInt8]? { secretFile.flatMap { try? InputFile.contents(of: $0, limit: 16 << 10) } }

    /// Reads the secrets of the file again.
    ///
    /// - Throws: ``CommandError`` with status 65 if the file is malformed, 66 if it cannot be read. In both cases, the
    ///   previous secrets stay in use.
    func reload() throws(CommandError) {
        if let secretFile { endpoint.replaceSecrets(with: try Self.secrets(in: secretFile)) }
    }
}
