package import Storekeeper

extension TransactionSummary: JSONShaped {
    /// The transaction as a JSON document.
    package static let shape = JSONShape<TransactionSummary>(
        "Transaction",
        [
            .member("id") { $0.id }, .member("originalID") { $0.originalID }, .member("orderID") { $0.orderID },
            .member("productID") { $0.productID }, .member("person") { $0.person.rawValue },
            .member("app") { $0.app }, .member("begun", "When the purchase was requested.") { $0.begunAt },
            .member("purchased") { $0.purchasedAt }, .member("expires") { $0.expiresAt },
            .member("revoked") { $0.revokedAt }, .member("quantity") { $0.quantity },
            .member("state", as: .words(of: State.self)) { $0.state.rawValue },
            .member("isFamilyShared") { $0.isFamilyShared }, .member("isRenewal") { $0.isRenewal },
            .member("isFinished") { $0.isFinished }, .member("isRefundRequested") { $0.isRefundRequested },
            .member("awaitsPriceConsent", "Whether a higher price awaits consent.") { $0.awaitsPriceConsent },
        ])
}
