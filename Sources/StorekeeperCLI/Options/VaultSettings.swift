import Storekeeper

/// Where the vault is and how its balances are kept, by options and configuration.
struct VaultSettings {
    static let defaultPath = "storekeeper.sqlite"

    let place: VaultPlace
    let refunds: RefundPolicy
    /// What tokens say of whose purchases are.
    let accountTokens: AccountTokenRule
    /// The files that describe the products.
    private let catalogs: [String]
    /// What the configuration says, for what else a command takes from it.
    let configuration: ConfigurationFile?

    /// Works out the settings; flags win over the configuration file.
    ///
    /// - Throws: ``CommandError`` with 64 for a connection string that is none, with 65 or 66 for a configuration that is
    ///   none.
    init(
        _ options: VaultOptions, refunds: RefundOptions? = nil, list: CatalogOptions? = nil
    ) throws(CommandError) {
        let configuration = try ConfigurationFile.find(options.configuration.config)
        self.configuration = configuration
        place = try VaultPlace(
            argument: options.file.vault ?? configuration?.vault ?? Self.defaultPath,
            patience: options.file.patienceSpan)
        accountTokens = configuration?.accountTokens ?? .asIDs
        let named = list?.catalog ?? []
        catalogs = named.isEmpty ? configuration?.catalogs ?? [] : named
        self.refunds = refunds?.policy ?? configuration?.refunds ?? .debt
    }
    /// Reads the catalogs, which may be none.
    func catalog() throws(CommandError) -> Catalog {
        if catalogs.isEmpty { return .empty }
        for path in catalogs { try InputFile.check(path) }
        return try Catalog(atPaths: catalogs)
    }
}
