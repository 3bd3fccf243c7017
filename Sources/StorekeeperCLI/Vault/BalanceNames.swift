import Storekeeper

/// The names of the balances in the catalog and in a customer's account.
struct BalanceNames {
    private let catalog: Catalog
    private let account: [Balance.ID]

    /// - Parameters:
    ///   - catalog: The catalog that the options or the configuration name; empty if they do not name a catalog.
    ///   - balances: The balances of the account.
    init(_ catalog: Catalog, and balances: [Balance]) {
        self.catalog = catalog
        account = balances.map(\.id)
    }

    /// Checks that a name is in the catalog or the account.
    ///
    /// Without a catalog every name is accepted.
    ///
    /// - Throws: ``CommandError`` with status 64 and a suggestion for an unknown name.
    func check(_ name: Balance.ID) throws(CommandError) {
        var seen: Set<Balance.ID> = []
        let known = (catalog.balances + account).filter { seen.insert($0).inserted }
        guard !catalog.products.isEmpty, !known.contains(where: { $0 == name }) else { return }
        throw .usage(
            "there is no balance '\(name)' in the catalog or the account", at: "BALANCE",
            NearestWord.advice(for: name.rawValue, among: known.map(\.rawValue)))
    }
}
