import Storekeeper
import Yams

/// The settings in `storekeeper.yaml`.
///
/// A setting in the environment replaces the setting in the file.
///
/// Relative paths in the file are relative to the folder of the file.
struct ConfigurationFile {
    static let defaultName = "storekeeper.yaml"

    var roots: [String]?
    /// Whether this is the file in the working directory, which neither an option nor a variable names.
    private(set) var isFound = false
    /// Whether ``roots`` are those of such a file.
    private(set) var hasFoundRoots = false
    var bundleID: String?
    var appAppleID: Int64?
    var environments: Set<AppStore.Environment>?
    var catalogs: [String]?
    var vault: String?
    /// The file or the variable that names the vault, for messages.
    var vaultSource: String?
    var accountTokens: AccountTokenRule?
    /// The renewal leeway in milliseconds.
    var renewalLeeway: Int64?
    var graceEntitles: Bool?
    var billingRetryEntitles: Bool?
    var refunds: RefundPolicy?
    /// The settings of the companion service.
    var serve: [ServiceKey: String] = [:]
    /// The settings of the webhooks of the companion service, by name.
    var webhooks: [String: [WebhookKey: String]] = [:]

    /// Reads the file that an option or the environment names, or else the file in the working directory if it exists.
    ///
    /// - Returns: The settings of the file and the environment; `nil` if neither contains a setting.
    /// - Throws: ``CommandError`` with status 64 for an invalid variable, 66 for an unreadable file, 65 for an invalid
    ///   file.
    static func find(_ path: String?, on console: Console) throws(CommandError) -> ConfigurationFile? {
        if console.beginsCheckOfVariables() {
            for (name, known) in ConfigurationVariable.misspelled(in: console.environment) {
                console.warn("the variable \(name) is not a setting and is ignored: did you mean \(known)?")
            }
        }
        let variables = ConfigurationVariable.values(in: console.environment)
        let found = try read(path ?? variables[.config])
        guard found != nil || !variables.isEmpty else { return nil }
        var file = found ?? ConfigurationFile()
        file.isFound = found != nil && path == nil && variables[.config] == nil
        file.hasFoundRoots = file.isFound && file.roots != nil && variables[.root] == nil
        try file.override(with: variables)
        return file
    }

    private static func read(_ path: String?) throws(CommandError) -> ConfigurationFile? {
        if path == nil {
            do {
                try SystemFile.checkReadable(defaultName)
            } catch {
                // Errors other than a missing file are reported when the file is read.
                if error.isMissingFile { return nil }
            }
        }
        let path = path ?? defaultName
        let bytes = try InputFile.contents(of: path, limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.malformedInput, "the configuration is not UTF-8", at: path, "save it as UTF-8")
        }
        return try ConfigurationFile(text, path: path)
    }

    init() {}

    init(_ text: String, path: String) throws(CommandError) {
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            throw CommandError(
                .malformedInput, "the key '\(keys.first ?? "")' is given twice",
                at: "\(path): line \(context.mark.line)", "keep one of them")
        } catch {
            throw CommandError(
                .malformedInput, "the configuration is not YAML", at: Self.place(path, of: error), "correct it")
        }
        guard let node, node != Node("", .implicit) else { return }
        let reader = ConfigurationReader(path: path)
        let members = try reader.members(
            of: node, named: nil,
            allowed: [
                "root", "bundleID", "appAppleID", "environments", "catalogs", "vault", "accountTokens", "policy",
                "serve",
            ])
        try take(members, reader)
    }

    /// Replaces the settings for which environment variables are set.
    private mutating func override(with variables: [ConfigurationVariable: String]) throws(CommandError) {
        for variable in ConfigurationVariable.allCases {
            guard let text = variables[variable], var name = variable.key.last else { continue }
            var node =
                variable.isList
                ? Node(Self.words(text).map { Node($0) }) : Node(text, .implicit)
            for key in variable.key.dropLast().reversed() {
                node = Node([(Node(name), node)])
                name = key
            }
            try take([name: node], ConfigurationReader(path: variable.rawValue, status: .usage))
        }
    }

    /// Returns the elements of a list that are separated by commas.
    private static func words(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    }

    private mutating func take(_ members: [String: Node], _ reader: ConfigurationReader) throws(CommandError) {
        if let node = members["root"] { roots = try reader.strings(node, "root").map(reader.resolved) }
        if let node = members["bundleID"] { bundleID = try reader.string(node, "bundleID") }
        if let node = members["appAppleID"] {
            guard let number = Int64(try reader.string(node, "appAppleID")), number >= 0 else {
                throw reader.malformed("appAppleID", "is not a number")
            }
            appAppleID = number
        }
        if let node = members["environments"] {
            var environments: Set<AppStore.Environment> = []
            for word in try reader.strings(node, "environments") {
                guard let environment = AppStore.Environment(word: word) else {
                    throw CommandError(
                        reader.status, "'\(word)' is not an environment", at: "\(reader.path): environments",
                        AppStore.Environment.wordAdvice)
                }
                environments.insert(environment)
            }
            guard !environments.isEmpty else { throw reader.malformed("environments", "is empty") }
            self.environments = environments
        }
        if let node = members["catalogs"] { catalogs = try reader.strings(node, "catalogs").map(reader.resolved) }
        if let node = members["vault"] {
            vault = reader.vault(try reader.string(node, "vault"))
            vaultSource = reader.path
        }
        if let node = members["accountTokens"] {
            guard let rule = AccountTokenRule(rawValue: try reader.string(node, "accountTokens")) else {
                throw reader.malformed("accountTokens", "must be asIDs or opaque")
            }
            accountTokens = rule
        }
        if let node = members["serve"] {
            let members = try reader.members(
                of: node, named: "serve", allowed: ServiceKey.allCases.map(\.rawValue) + ["webhooks"])
            for key in ServiceKey.allCases {
                guard let node = members[key.rawValue] else { continue }
                let text = try reader.string(node, "serve.\(key.rawValue)")
                serve[key] = key.isPath ? reader.resolved(text) : text
            }
            if let node = members["webhooks"] { try take(webhooks: node, reader) }
        }
        guard let node = members["policy"] else { return }
        let policy = try reader.members(
            of: node, named: "policy", allowed: ["renewalLeeway", "grace", "billingRetryEntitles", "refunds"])
        if let node = policy["renewalLeeway"] {
            guard let leeway = LeewayDuration.milliseconds(try reader.string(node, "policy.renewalLeeway")) else {
                throw reader.malformed("policy.renewalLeeway", "is not a duration of at most 24 hours, such as PT1H")
            }
            renewalLeeway = leeway
        }
        if let node = policy["grace"] { graceEntitles = try reader.bool(node, "policy.grace") }
        if let node = policy["billingRetryEntitles"] {
            billingRetryEntitles = try reader.bool(node, "policy.billingRetryEntitles")
        }
        if let node = policy["refunds"] {
            guard let refunds = RefundPolicy(rawValue: try reader.string(node, "policy.refunds")) else {
                throw reader.malformed("policy.refunds", "must be debt, floorAtZero or freeze")
            }
            self.refunds = refunds
        }
    }

    private mutating func take(webhooks node: Node, _ reader: ConfigurationReader) throws(CommandError) {
        for (name, node) in try reader.members(of: node, named: "serve.webhooks", allowed: nil) {
            let place = "serve.webhooks.\(name)"
            let members = try reader.members(of: node, named: place, allowed: WebhookKey.allCases.map(\.rawValue))
            webhooks[name] = [:]
            for key in WebhookKey.allCases {
                guard let node = members[key.rawValue] else { continue }
                let text = try reader.string(node, "\(place).\(key.rawValue)")
                webhooks[name]?[key] = key == .secretFile ? reader.resolved(text) : text
            }
        }
    }

    private static func place(_ path: String, of error: any Error) -> String {
        switch error as? YamlError {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
            "\(path): line \(mark.line)"
        default: path
        }
    }
}

/// Reads the values of a configuration, and throws an error that names an invalid value.
private struct ConfigurationReader {
    /// The path of the file, or the name of the variable.
    let path: String
    /// The exit status for an invalid value.
    var status = ExitStatus.malformedInput

    /// - Parameter allowed: The permitted keys; `nil` permits any key.
    func members(of node: Node, named name: String?, allowed: [String]?) throws(CommandError) -> [String: Node] {
        guard let mapping = node.mapping else {
            throw malformed(name ?? "the configuration", "is not a mapping of keys to values")
        }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            let word = key.string ?? "a key that is not a word"
            guard let allowed, !allowed.contains(word) else {
                guard members.updateValue(value, forKey: word) == nil else { throw malformed(word, "is given twice") }
                continue
            }
            throw CommandError(
                .malformedInput, "the key '\(name.map { $0 + "." } ?? "")\(word)' is unknown", at: path,
                "use \(allowed.joined(separator: ", "))")
        }
        // A key without a value is ignored.
        return members.filter { $0.value.null == nil }
    }

    func string(_ node: Node, _ name: String) throws(CommandError) -> String {
        guard let string = node.scalar?.string, !string.isEmpty else { throw malformed(name, "is not text") }
        return string
    }

    func strings(_ node: Node, _ name: String) throws(CommandError) -> [String] {
        guard let sequence = node.sequence else { return [try string(node, name)] }
        var strings: [String] = []
        for element in sequence { strings.append(try string(element, name)) }
        return strings
    }

    func bool(_ node: Node, _ name: String) throws(CommandError) -> Bool {
        guard let bool = node.bool else { throw malformed(name, "is neither true nor false") }
        return bool
    }

    /// Resolves a path relative to the directory of the configuration.
    func resolved(_ text: String) -> String {
        guard !text.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return text }
        return path[...slash] + text
    }

    /// Resolves the location of a vault: a path is resolved like other paths, but a connection string is returned
    /// unchanged, even if it is mistyped.
    func vault(_ text: String) -> String {
        let isPath = !VaultLocation.isConnectionString(text) && !VaultLocation.resemblesConnectionString(text)
        return isPath ? resolved(text) : text
    }

    func malformed(_ name: String, _ problem: String) -> CommandError {
        let command = name == "serve" || name.hasPrefix("serve.") ? "storekeeper serve" : "storekeeper"
        return CommandError(status, "\(name) \(problem)", at: path, "correct it; see '\(command) --help'")
    }
}
