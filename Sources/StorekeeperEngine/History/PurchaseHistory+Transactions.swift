extension PurchaseHistory {
    /// The newest copies of all transactions, newest purchase first.
    package var newestFirst: [Transaction] {
        facts.sorted { PurchaseChain.isEarlierPurchase($1, $0) }.map(\.transaction)
    }

    /// Returns the latest transaction of a product, revoked ones included; `nil` before the first.
    package func latestTransaction(for id: Product.ID) -> Transaction? {
        facts.lazy.filter { $0.productID == id }.max(by: PurchaseChain.isEarlierPurchase)?.transaction
    }
}
