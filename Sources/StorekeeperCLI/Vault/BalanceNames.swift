import Storekeeper

/// The known balances: those of the catalogs and of a customer's account.
struct BalanceNames {
    private let catalog: Catalog
    private let account: [Balance.ID]

    /// - Parameters:
    ///   - catalog: The catalog of the options or the configuration; empty if they name none.
    ///   - balances: The balances of the account.
    init(_ catalog: Catalog, and balances: [Balance]) {
        self.catalog = catalog
        account = balances.map(\.id)
    }

    /// Refuses a name that is in neither; without a catalog every name is accepted.
    ///
    /// - Throws: ``CommandError`` with 64 and a suggestion.
    func check(_ name: Balance.ID) throws(CommandError) {
        var seen: Set<Balance.ID> = []
        let known = (catalog.balances + account).filter { seen.insert($0).inserted }
        guard !catalog.products.isEmpty, !known.contains(where: { $0 == name }) else { return }
        throw .usage(
            "there is no balance '\(name)' in the catalog or the account", at: "BALANCE",
            NearestWord.advice(for: name.rawValue, among: known.map(\.rawValue)))
    }
}
