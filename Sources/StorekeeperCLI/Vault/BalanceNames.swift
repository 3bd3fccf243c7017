import Storekeeper

/// The balances that there are: those of the catalogs, and those of a customer's account.
struct BalanceNames {
    private let catalog: Catalog
    private let account: [Balance.ID]

    /// - Parameters:
    ///   - catalog: What the configuration names, or options; empty where they name nothing.
    ///   - balances: What the account has.
    init(_ catalog: Catalog, and balances: [Balance]) {
        self.catalog = catalog
        account = balances.map(\.id)
    }

    /// Refuses a name that neither has; without a catalog nobody can tell.
    ///
    /// - Throws: ``CommandError`` with 64, and what may have been meant.
    func check(_ name: Balance.ID) throws(CommandError) {
        let known = catalog.balances + account
        guard !catalog.products.isEmpty, !known.contains(where: { $0 == name }) else { return }
        throw .usage(
            "there is no balance '\(name)' in the catalog or the account", at: "BALANCE",
            NearestWord.advice(for: name.rawValue, among: known.map(\.rawValue)))
    }
}
