import Storekeeper

/// The vault and the rules for its balances, from options, environment and configuration file.
struct VaultSettings {
    static let defaultPath = "storekeeper.sqlite"

    let place: VaultLocation
    let refunds: RefundPolicy
    /// The rule that assigns account tokens to customers.
    let accountTokens: AccountTokenRule
    /// The files that describe the products.
    private let catalogs: [String]
    /// The configuration file, from which a command reads further settings.
    let configuration: ConfigurationFile?

    /// Combines the settings.
    ///
    /// Options override the environment, and the environment overrides the configuration file.
    ///
    /// - Throws: ``CommandError`` with status 64 for an invalid connection string, with 65 or 66 for an invalid or
    ///   unreadable configuration.
    init(
        _ options: VaultOptions, refunds: RefundOptions? = nil, list: CatalogOptions? = nil, on console: Console
    ) throws(CommandError) {
        let configuration = try ConfigurationFile.find(options.configuration.config, on: console)
        self.configuration = configuration
        place = try Self.place(
            options.file.vault, configuration, in: console.environment, patience: options.file.patienceSpan)
        accountTokens = configuration?.accountTokens ?? .asIDs
        let named = list?.catalog ?? []
        catalogs = named.isEmpty ? configuration?.catalogs ?? [] : named
        self.refunds = refunds?.policy ?? configuration?.refunds ?? .debt
    }

    /// Returns the vault that an option names, or else the vault of the environment or the configuration file.
    ///
    /// - Throws: ``CommandError`` with status 64 for an empty path or an invalid connection string; the error names the
    ///   option, variable or file that contains it. ``CommandError`` with status 64, 65 or 66 if no option is given,
    ///   and a variable names a file from which the vault cannot be read.
    static func place(
        _ option: String?, _ configuration: ConfigurationFile?, in environment: [String: String], patience: Duration
    ) throws(CommandError) -> VaultLocation {
        if let option { return try VaultLocation(argument: option, patience: patience) }
        if let file = try ConfigurationVariable.vaultInFile(environment) {
            return try VaultLocation(argument: file.value, at: file.variable, patience: patience)
        }
        return try VaultLocation(
            argument: configuration?.vault ?? defaultPath, at: configuration?.vaultSource ?? "--vault",
            patience: patience)
    }

    /// The entitlement policy of the configuration file.
    var policy: EntitlementPolicy {
        EntitlementPolicy(
            gracePeriodEntitles: configuration?.graceEntitles ?? true,
            billingRetryEntitles: configuration?.billingRetryEntitles ?? false,
            renewalLeeway: .milliseconds(configuration?.renewalLeeway ?? 0),
            environments: Dictionary(
                (configuration?.environments ?? [.production]).map { ($0, .grant) },
                uniquingKeysWith: { first, _ in first }),
            refundPolicy: refunds)
    }

    /// Reads the catalog files; returns an empty catalog if none are named.
    func catalog() throws(CommandError) -> Catalog {
        if catalogs.isEmpty { return .empty }
        for path in catalogs { try InputFile.check(path) }
        return try Catalog(atPaths: catalogs)
    }
}
