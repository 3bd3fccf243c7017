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
    /// The values of the settings.
    struct Values {
        var url: String?
        var secretFile: String?
        var allowHttp = false
        /// The limit of an attempt, in milliseconds.
        var timeout: Int64 = 15_000
        /// The time for retries, in milliseconds.
        var giveUpAfter: Int64 = 3 * 86_400_000

        static let settings = receiver + limits

        /// The settings that are checked before the secrets are read.
        static let receiver: [Setting<Values>] = [
            Setting(
                "serve.webhooks.NAME.url", optional: \.url, .url, absence: "none; needed",
                "The address to which changes of answers are posted."),
            Setting(
                "serve.webhooks.NAME.secretFile", optional: \.secretFile, .path, isSecret: true,
                absence: "none; needed",
                """
                The file with the secret that signs the messages, or several, one per line. The variable that ends in \
                `_SECRET` contains the secrets themselves.
                """),
            Setting(
                "serve.webhooks.NAME.allowHttp", \.allowHttp, .flag,
                "Whether the address may use `http`, although it is of another machine."),
        ]

        /// The settings that are checked after the secrets were read.
        static let limits: [Setting<Values>] = [
            Setting(
                "serve.webhooks.NAME.timeout", \.timeout,
                .span(1...LeewayDuration.limitInMilliseconds, "a duration of at most 30 seconds", remedy),
                "How long an attempt may take."),
            Setting(
                "serve.webhooks.NAME.giveUpAfter", \.giveUpAfter,
                .span(1...30 * 86_400_000, "a duration of at most 30 days", remedy),
                "How long a message is retried before it is parked."),
        ]

        private static let remedy = "use a time such as 10s, 5m or 3d"
    }

    /// The endpoint with its secrets.
    let endpoint: WebhookEndpoint
    /// The file with the secrets, if they are in a file.
    let secretFile: String?

    private static let prefix = Variables.webhooksPrefix
    private static let secret = "SECRET"

    /// Reads the settings of all webhooks.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - file: The values of `serve.webhooks` in storekeeper.yaml, by name.
    /// - Throws: ``CommandError`` with status 64 for a wrong setting, 65 for a malformed file of secrets, 66 for an
    ///   unreadable file of secrets.
    static func all(
        environment: [String: String], file: [String: [String: String]]
    ) throws(CommandError) -> [WebhookSettings] {
        let (values, secrets) = try texts(environment: environment, file: file)
        var all: [WebhookSettings] = []
        for (name, values) in values.sorted(by: { $0.key < $1.key }) {
            let secret = secrets[name]
            let variable = prefix + Self.variable(name) + "_\(Self.secret)"
            if secret != nil, Variables.text(variable + "_FILE", in: environment) != nil {
                throw .bothGiven(variable, variable + "_FILE")
            }
            all.append(try WebhookSettings(name, values, secret: secret))
        }
        return all
    }

    /// Returns the texts of the settings and the secrets of all webhooks, by name; see ``all(environment:file:)``.
    static func texts(
        environment: [String: String], file: [String: [String: String]]
    ) throws(CommandError) -> (settings: [String: [String: String]], secrets: [String: String]) {
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
            } else if let setting = Values.settings.first(where: { name(before: Self.suffix($0)) != nil }),
                let name = name(before: Self.suffix(setting))
            {
                values[name, default: [:]][setting.name] = value
            } else {
                let known = Values.settings.map(Self.suffix) + [secret]
                throw .usage(
                    "it does not end in a setting of a webhook", at: variable, "use \(known.joined(separator: ", "))")
            }
        }
        for name in secrets.keys where values[name] == nil { values[name] = [:] }
        return (values, secrets)
    }

    /// Returns the end of the environment variable's name, such as `GIVE_UP_AFTER`.
    private static func suffix(_ setting: Setting<Values>) -> String { setting.name.divided(by: "_").uppercased() }

    private static func variable(_ name: String) -> String { name.uppercased().replacing("-", with: "_") }

    private init(_ name: String, _ texts: [String: String], secret: String?) throws(CommandError) {
        func refusal(_ setting: String, _ what: String, _ remedy: String) -> CommandError {
            .usage("\(setting) \(what)", at: "serve.webhooks.\(name).\(setting)", remedy)
        }
        var values = Values()
        func take(_ settings: [Setting<Values>]) throws(CommandError) {
            for setting in settings {
                guard let text = texts[setting.name] else { continue }
                do throws(SettingFault) { try setting.take(text, into: &values) } catch {
                    throw refusal(setting.name, "is '\(text)'", error.remedy)
                }
            }
        }
        guard let url = texts["url"] else { throw refusal("url", "is missing", "give the address of the receiver") }
        try take(Values.receiver)
        let secrets: WebhookSecrets
        if let secret {
            secrets = try Self.secrets(secret, at: Self.prefix + Self.variable(name) + "_\(Self.secret)")
            secretFile = nil
        } else {
            guard let path = values.secretFile else {
                throw refusal(
                    "secretFile", "is missing", "make one with 'storekeeper serve --new-webhook-secret FILE'")
            }
            secrets = try Self.secrets(in: path)
            secretFile = path
        }
        try take(Values.limits)
        do throws(WebhookEndpointFault) {
            endpoint = try WebhookEndpoint(
                name: name, url: url, secrets: secrets, allowsPlainHTTP: values.allowHttp,
                timeout: .milliseconds(values.timeout), givesUpAfter: .milliseconds(values.giveUpAfter))
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
