import Storekeeper

/// An environment variable that overrides a key of `storekeeper.yaml`.
///
/// ``ServiceKey`` defines the variables for the keys of `serve`.
enum ConfigurationVariable: String, CaseIterable {
    case config = "STOREKEEPER_CONFIG"
    case root = "STOREKEEPER_ROOT"
    case bundleID = "STOREKEEPER_BUNDLE_ID"
    case appAppleID = "STOREKEEPER_APP_APPLE_ID"
    case environments = "STOREKEEPER_ENVIRONMENTS"
    case catalogs = "STOREKEEPER_CATALOGS"
    case vault = "STOREKEEPER_VAULT"
    case accountTokens = "STOREKEEPER_ACCOUNT_TOKENS"
    case renewalLeeway = "STOREKEEPER_POLICY_RENEWAL_LEEWAY"
    case grace = "STOREKEEPER_POLICY_GRACE"
    case billingRetryEntitles = "STOREKEEPER_POLICY_BILLING_RETRY_ENTITLES"
    case refunds = "STOREKEEPER_POLICY_REFUNDS"

    /// The path of the key in the file: the keys of the enclosing mappings, then the key itself.
    ///
    /// The path is empty for the variable that names the file.
    var key: [String] {
        switch self {
        case .config: []
        case .root: ["root"]
        case .bundleID: ["bundleID"]
        case .appAppleID: ["appAppleID"]
        case .environments: ["environments"]
        case .catalogs: ["catalogs"]
        case .vault: ["vault"]
        case .accountTokens: ["accountTokens"]
        case .renewalLeeway: ["policy", "renewalLeeway"]
        case .grace: ["policy", "grace"]
        case .billingRetryEntitles: ["policy", "billingRetryEntitles"]
        case .refunds: ["policy", "refunds"]
        }
    }

    /// Whether the value is a list whose elements are separated by commas.
    var isList: Bool { self == .environments || self == .catalogs }

    /// The variable that names a file with the value.
    ///
    /// Only the vault has such a variable, because only its value can contain a password.
    var fileVariable: String? { self == .vault ? rawValue + "_FILE" : nil }

    /// Returns the values of the variables that are set.
    ///
    /// An empty variable counts as not set.
    static func values(in environment: [String: String]) -> [Self: String] {
        var values: [Self: String] = [:]
        for variable in allCases { values[variable] = text(variable.rawValue, in: environment) }
        return values
    }

    private static let prefix = "STOREKEEPER_"
    /// The beginning of the names of variables with settings of webhooks.
    static let webhooksPrefix = prefix + "SERVE_WEBHOOKS_"

    /// Returns the set variables whose names are probably misspelled names of settings, each with the correct name.
    ///
    /// Other unknown names are left out, because scripts have variables of their own. `serve` checks the variables of
    /// webhooks itself.
    static func misspelled(in environment: [String: String]) -> [(name: String, known: String)] {
        let names = environment.keys.filter { $0.hasPrefix(prefix) && !$0.hasPrefix(webhooksPrefix) }
        guard !names.isEmpty else { return [] }
        let known =
            allCases.map(\.rawValue) + allCases.compactMap(\.fileVariable) + ServiceKey.allCases.map(\.variable)
        let words = known.map { String($0.dropFirst(prefix.count)) }
        // Kubernetes sets these variables if a service has the name `storekeeper`.
        let others = ["PORT", "SERVICE_HOST", "SERVICE_PORT"]
        return names.sorted().compactMap { name -> (name: String, known: String)? in
            let word = String(name.dropFirst(prefix.count))
            guard text(name, in: environment) != nil, !words.contains(word), !others.contains(word),
                let near = NearestWord.near(word, among: words)
            else { return nil }
            return (name, prefix + near)
        }
    }

    /// Returns the location of the vault from the file that the variable ``fileVariable`` names, and the name of this
    /// variable; `nil` if the variable is not set.
    ///
    /// Call this only if no option names the vault, because an option must override the variable even if the variable
    /// is wrong.
    ///
    /// - Throws: ``CommandError`` with status 64 if another variable names the vault directly, 66 for an unreadable
    ///   file, 65 for a malformed file.
    static func vaultInFile(
        _ environment: [String: String]
    ) throws(CommandError) -> (value: String, variable: String)? {
        guard let name = vault.fileVariable, let path = text(name, in: environment) else { return nil }
        guard text(vault.rawValue, in: environment) == nil else { throw .bothGiven(vault.rawValue, name) }
        let value = try secret(path, of: name)
        // Without this check, a mistyped connection string would be treated as a path, and messages would show its
        // password.
        guard !VaultLocation.resemblesConnectionString(value) else {
            throw CommandError(
                .malformedInput, "the file of \(name) is neither a path nor a connection string", at: path,
                VaultLocation.mistypedAdvice)
        }
        return (value, name)
    }

    /// Returns the value of a variable; `nil` if it is not set or empty.
    static func text(_ name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the text of a file, without the line breaks at its end.
    private static func secret(_ path: String, of name: String) throws(CommandError) -> String {
        let bytes = try InputFile.contents(of: path, limit: 64 << 10)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.malformedInput, "the file of \(name) is not UTF-8", at: path, "correct it")
        }
        let value = text.prefix(upTo: text.lastIndex { !$0.isNewline }.map(text.index(after:)) ?? text.startIndex)
        guard !value.isEmpty else {
            throw CommandError(.malformedInput, "the file of \(name) is empty", at: path, "write the value into it")
        }
        return String(value)
    }
}

extension CommandError {
    /// Returns the error for a secret that is given twice: in a variable, and in the file that another variable names.
    static func bothGiven(_ variable: String, _ fileVariable: String) -> CommandError {
        .usage("\(variable) and \(fileVariable) are both set", at: fileVariable, "set only one of them")
    }
}
