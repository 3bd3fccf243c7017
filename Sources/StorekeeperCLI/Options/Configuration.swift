import Storekeeper
import Yams

/// The settings in `storekeeper.yaml`, and in the environment variables that override them.
///
/// Relative paths in the file are relative to the folder of the file.
struct Configuration {
    static let defaultName = "storekeeper.yaml"

    /// The paths of the trusted root certificates.
    var roots: [String] = []
    var bundleID: String?
    var appAppleID: Int64?
    var environments: Set<AppStore.Environment> = [.production]
    /// The paths of the catalog files.
    var catalogs: [String] = []
    var vault = "storekeeper.sqlite"
    /// The rule that assigns account tokens to customers.
    var accountTokens = AccountTokenRule.asIDs
    /// The app's rules for access and refunds, without the environments.
    var policy = EntitlementPolicy()

    static let settings: [Setting<Configuration>] = [
        Setting(
            "root", \.roots, .paths(isDivided: false), option: "--root", absence: "none; needed to verify evidence",
            example: "AppleRootCA-G3.cer           # or STOREKEEPER_ROOT in the environment"),
        Setting(
            "bundleID", optional: \.bundleID, .text(), option: "--bundle-id",
            absence: "none; bundle ids are not compared", example: "com.example.game"),
        Setting(
            "appAppleID", optional: \.appAppleID, .id, option: "--app-apple-id",
            absence: "none; the number is not compared", example: "123456789"),
        Setting(
            "environments", \.environments, .environments, option: "--environment", example: "[Production, Sandbox]"),
        Setting(
            "catalogs", \.catalogs, .paths(isDivided: true), option: "--catalog", absence: "none",
            example: "[Products.plist, Store.storekit]"),
        Setting("vault", \.vault, .vault, isSecret: true, option: "--vault", example: "customers.sqlite"),
        Setting(
            "accountTokens", \.accountTokens, .word(AccountTokenRule.allCases),
            example: "asIDs               # or opaque: see 'vault import --help'"),
        Setting(
            "policy.renewalLeeway", \.policy.renewalLeeway, .leeway, option: "--renewal-leeway", example: "PT1H"),
        Setting("policy.grace", \.policy.gracePeriodEntitles, .bool, option: "--no-grace", example: "true"),
        Setting(
            "policy.billingRetryEntitles", \.policy.billingRetryEntitles, .bool, option: "--billing-retry-entitles",
            example: "false"),
        Setting(
            "policy.refunds", \.policy.refundPolicy, .word(RefundPolicy.allCases), option: "--refunds", example: "debt"),
    ]

    /// Whether this is the file in the working directory, which neither an option nor a variable names.
    private(set) var isFound = false
    /// Whether ``roots`` are those of such a file.
    private(set) var hasFoundRoots = false
    /// The file or the variable that names the vault, for messages.
    private(set) var vaultSource = "--vault"
    /// The texts of the settings of the companion service, by name.
    private(set) var serve: [String: String] = [:]
    /// The texts of the settings of each webhook of the companion service.
    private(set) var webhooks: [String: [String: String]] = [:]

    /// Reads the file that an option or the environment names, or else the file in the working directory if it exists.
    ///
    /// - Throws: ``CommandError`` with status 64 for an invalid variable, 66 for an unreadable file, 65 for an invalid
    ///   file.
    static func find(_ path: String?, on console: Console) throws(CommandError) -> Configuration {
        let environment = console.environment
        if console.beginsCheckOfVariables() {
            for (name, known) in Variables.misspelled(in: environment) {
                console.warn("the variable \(name) is not a setting and is ignored: did you mean \(known)?")
            }
        }
        let path = path ?? Variables.text(Variables.config, in: environment)
        let found = try read(path)
        var configuration = found ?? Configuration()
        configuration.isFound = found != nil && path == nil
        configuration.hasFoundRoots =
            configuration.isFound && Variables.text(Variables.root, in: environment) == nil
        for setting in settings {
            guard let text = Variables.text(setting.variable, in: environment) else { continue }
            let node = setting.form.isDivided ? Node(words(text).map { Node($0) }) : Node(text, .implicit)
            // As in the file, a key of a group without a value is ignored.
            if setting.group != nil, node.null != nil { continue }
            try configuration.take(setting, node, Source(path: setting.variable, status: .usage))
        }
        return configuration
    }

    private static func read(_ path: String?) throws(CommandError) -> Configuration? {
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
        return try Configuration(text, path: path)
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
        let source = Source(path: path)
        let members = try takeGroup(nil, node, source, others: ["policy", "serve"])
        if let node = members["serve"] {
            let members = try source.members(
                of: node, named: "serve", allowed: ServiceSettings.settings.map(\.name) + ["webhooks"])
            serve = try source.texts(of: ServiceSettings.settings, members, named: "serve")
            if let node = members["webhooks"] {
                for (name, node) in try source.members(of: node, named: "serve.webhooks", allowed: nil) {
                    let place = "serve.webhooks.\(name)"
                    let members = try source.members(
                        of: node, named: place, allowed: WebhookSettings.Values.settings.map(\.name))
                    webhooks[name] = try source.texts(of: WebhookSettings.Values.settings, members, named: place)
                }
            }
        }
        if let node = members["policy"] { try takeGroup("policy", node, source) }
    }

    /// Takes the settings of a mapping, and returns all of its members.
    @discardableResult private mutating func takeGroup(
        _ group: String?, _ node: Node, _ source: Source, others: [String] = []
    ) throws(CommandError) -> [String: Node] {
        let settings = Self.settings.filter { $0.group == group }
        let members = try source.members(of: node, named: group, allowed: settings.map(\.name) + others)
        for setting in settings {
            if let node = members[setting.name] { try take(setting, node, source) }
        }
        return members
    }

    private mutating func take(
        _ setting: Setting<Configuration>, _ node: Node, _ source: Source
    ) throws(CommandError) {
        let node = try source.value(node, setting.form, setting.key)
        do throws(SettingFault) { try setting.assign(&self, node) } catch {
            guard let element = error.element else { throw source.malformed(setting.key, error.problem) }
            throw CommandError(
                source.status, "'\(element)' \(error.problem)", at: "\(source.path): \(setting.key)", error.remedy)
        }
        if setting.property == \Self.vault { vaultSource = source.path }
    }

    /// Returns the elements of a list that are separated by commas.
    private static func words(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    }

    private static func place(_ path: String, of error: any Error) -> String {
        switch error as? YamlError {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
            "\(path): line \(mark.line)"
        default: path
        }
    }

    // MARK: What follows from the settings

    /// The policy, as the engine that computes the answers requires it.
    var entitlementPolicy: EntitlementPolicy {
        var policy = policy
        policy.environments = Dictionary(environments.map { ($0, .grant) }, uniquingKeysWith: { first, _ in first })
        return policy
    }

    /// The lines of an example, for the program's help.
    static var example: String {
        var lines = settings.filter { $0.group == nil }.map { "\($0.key): \($0.example ?? "")" }
        var line = "policy: {"
        for setting in settings where setting.group != nil {
            let next = " \(setting.name): \(setting.example ?? ""),"
            if line.count + next.count > 74 {
                lines.append(line)
                line = "         "
            }
            line += next
        }
        lines.append("\(line.dropLast()) }")
        return lines.map { "  \($0)" }.joined(separator: "\n")
    }

    /// The names of the variables, for the program's help.
    static var variables: String {
        var names = ""
        var wasDivided = false
        for setting in settings {
            let name = names.isEmpty ? setting.variable : "_" + setting.variable.dropFirst(Variables.prefix.count)
            if wasDivided, !setting.form.isDivided { names += " (divided by commas)" }
            names += names.isEmpty ? "" : wasDivided && setting.form.isDivided ? " and " : ", "
            names += name
            wasDivided = setting.form.isDivided
        }
        return names
    }
}

/// A file or a variable with settings.
private struct Source {
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

    /// Returns the texts of the given settings by name, without checking what they mean.
    func texts<Settings>(
        of settings: [Setting<Settings>], _ members: [String: Node], named group: String
    ) throws(CommandError) -> [String: String] {
        var texts: [String: String] = [:]
        for setting in settings {
            guard let node = members[setting.name] else { continue }
            texts[setting.name] = try value(node, setting.form, "\(group).\(setting.name)").scalar?.string
        }
        return texts
    }

    /// Returns a value that was checked to be text, with paths relative to the working directory.
    func value(_ node: Node, _ form: SettingForm, _ name: String) throws(CommandError) -> Node {
        if form.isList, let sequence = node.sequence {
            var nodes: [Node] = []
            for element in sequence { nodes.append(try text(element, form, name)) }
            return Node(nodes)
        }
        return try text(node, form, name)
    }

    private func text(_ node: Node, _ form: SettingForm, _ name: String) throws(CommandError) -> Node {
        guard let text = node.scalar?.string, !text.isEmpty else { throw malformed(name, form.nonText) }
        return isRelative(text, form) ? Node(folder + text) : node
    }

    /// Returns whether a text is a path relative to the folder of the file.
    ///
    /// A connection string is no path, even if it is mistyped.
    private func isRelative(_ text: String, _ form: SettingForm) -> Bool {
        !text.hasPrefix("/")
            && (form.isPath
                || form.isLocation && !VaultLocation.isConnectionString(text)
                    && !VaultLocation.resemblesConnectionString(text))
    }

    /// The folder of the file with a slash; empty for a variable and for a file in the working directory.
    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

    func malformed(_ name: String, _ problem: String) -> CommandError {
        let command = name == "serve" || name.hasPrefix("serve.") ? "storekeeper serve" : "storekeeper"
        return CommandError(status, "\(name) \(problem)", at: path, "correct it; see '\(command) --help'")
    }
}
