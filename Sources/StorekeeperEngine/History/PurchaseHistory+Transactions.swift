extension PurchaseHistory {
    /// The newest copy of each transaction, the newest purchase first.
    package var newestFirst: [Transaction] {
        facts.sorted { PurchaseChain.isEarlierPurchase($1, $0) }.map(\.transaction)
    }

    /// Returns the latest transaction of a product, even if it was revoked; `nil` if no transaction of the product is
    /// known.
    package func latestTransaction(for id: Product.ID) -> Transaction? {
        facts.lazy.filter { $0.productID == id }.max(by: PurchaseChain.isEarlierPurchase)?.transaction
    }
}
