import Storekeeper

/// The vault and the rules for its balances, from options, environment and configuration file.
struct VaultSettings {
    let place: VaultLocation
    let configuration: Configuration

    /// Combines the settings.
    ///
    /// Options override the environment, and the environment overrides the configuration file.
    ///
    /// - Throws: ``CommandError`` with status 64 for an invalid connection string, with 65 or 66 for an invalid or
    ///   unreadable configuration.
    init(
        _ options: VaultOptions, refunds: RefundOptions? = nil, list: CatalogOptions? = nil, on console: Console
    ) throws(CommandError) {
        var configuration = try Configuration.find(options.configuration.config, on: console)
        place = try Self.place(
            options.file.vault, configuration, in: console.environment, patience: options.file.patienceSpan)
        if let named = list?.catalog, !named.isEmpty { configuration.catalogs = named }
        if let policy = refunds?.policy { configuration.policy.refundPolicy = policy }
        self.configuration = configuration
    }

    /// Returns the vault that an option names, or else the vault of the environment or the configuration file.
    ///
    /// - Throws: ``CommandError`` with status 64 for an empty path or an invalid connection string; the error names the
    ///   option, variable or file that contains it. ``CommandError`` with status 64, 65 or 66 if no option is given,
    ///   and a variable names a file from which the vault cannot be read.
    static func place(
        _ option: String?, _ configuration: Configuration, in environment: [String: String], patience: Duration
    ) throws(CommandError) -> VaultLocation {
        if let option { return try VaultLocation(argument: option, patience: patience) }
        if let file = try Variables.vaultInFile(environment) {
            return try VaultLocation(argument: file.value, at: file.variable, patience: patience)
        }
        return try VaultLocation(
            argument: configuration.vault, at: configuration.vaultSource, patience: patience)
    }

    /// Reads the catalog files; returns an empty catalog if none are named.
    func catalog() throws(CommandError) -> Catalog {
        if configuration.catalogs.isEmpty { return .empty }
        for path in configuration.catalogs { try InputFile.check(path) }
        return try Catalog(atPaths: configuration.catalogs)
    }
}
