import Storekeeper

/// Reads settings from environment variables.
///
/// An empty variable counts as not set.
enum Variables {
    static let prefix = "STOREKEEPER_"
    /// The variable that names the configuration file.
    static let config = prefix + "CONFIG"
    /// The variable that names the trusted root certificate.
    static let root = prefix + "ROOT"
    /// The beginning of the names of variables with settings of webhooks.
    static let webhooksPrefix = prefix + "SERVE_WEBHOOKS_"

    /// Returns the value of a variable; `nil` if it is not set.
    static func text(_ name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the set variables whose names are probably misspelled names of settings, each with the correct name.
    ///
    /// Other unknown names are left out, because scripts have variables of their own. `serve` checks the variables of
    /// webhooks itself.
    static func misspelled(in environment: [String: String]) -> [(name: String, known: String)] {
        let names = environment.keys.filter { $0.hasPrefix(prefix) && !$0.hasPrefix(webhooksPrefix) }
        guard !names.isEmpty else { return [] }
        let known =
            [config] + Configuration.settings.map(\.variable) + Configuration.settings.compactMap(\.fileVariable)
            + ServiceSettings.settings.map(\.variable)
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

    /// Returns the location of the vault from the file that a variable names, and the name of this variable; `nil` if
    /// the variable is not set.
    ///
    /// Call this only if no option names the vault, because an option must override the variable even if the variable
    /// is wrong.
    ///
    /// - Throws: ``CommandError`` with status 64 if another variable names the vault directly, 66 for an unreadable
    ///   file, 65 for a malformed file.
    static func vaultInFile(
        _ environment: [String: String]
    ) throws(CommandError) -> (value: String, variable: String)? {
        guard let vault = Configuration.settings.first(where: { $0.property == \Configuration.vault }),
            let name = vault.fileVariable, let path = text(name, in: environment)
        else { return nil }
        guard text(vault.variable, in: environment) == nil else { throw .bothGiven(vault.variable, name) }
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
