package import Storekeeper

/// A purchase in the lists of the App Store's servers.
package struct PurchaseRecord: Hashable, Sendable {
    /// The transaction.
    package let id: Transaction.ID
    /// The first transaction of its chain.
    package let originalID: Transaction.ID
    /// The customer.
    package let customer: CustomerID
    /// The product.
    package let productID: Product.ID
    /// The type of product.
    package let productType: Product.ProductType
    /// The group of a subscription.
    package let groupID: SubscriptionGroup.ID?
    /// When it was bought, or its period began.
    package let purchasedAt: Instant
    /// Whether it is a family's copy.
    package let isFamilyShared: Bool
    /// Whether an organisation assigned it.
    package let isAssigned: Bool
    /// Whether it was revoked, wholly or in part, by a refund or otherwise.
    package let isRevoked: Bool
    /// Whether it was refunded.
    package let isRefunded: Bool
    /// Whether the content was delivered.
    package let isFinished: Bool
    /// The order on the customer's invoice; `nil` for a family's copy.
    package let orderID: String?
    /// The revision of its last change, a number that grows with every change in the store.
    package let revision: Int
}

extension World {
    func purchaseRecord(_ place: RowIndex<TransactionRecord>) -> PurchaseRecord {
        let record = records[place]
        let app = app(of: record.download)
        let product = app.product(record.product)
        let isShared = record.flags.contains(.isFamilyShared)
        let kind = record.revocation?.kind
        return PurchaseRecord(
            id: id(of: record.transaction), originalID: id(of: record.original),
            customer: accounts[downloads[record.download].account].name, productID: product.id,
            productType: app.terms[record.product].kind.productType,
            groupID: app.terms[record.product].group.map { app.groups[$0].id },
            purchasedAt: record.purchasedAt, isFamilyShared: isShared,
            isAssigned: record.flags.contains(.isAssigned), isRevoked: kind != nil,
            isRefunded: kind == .fullRefund || kind == .proratedRefund,
            isFinished: transactions[record.transaction].isFinished,
            orderID: isShared ? nil : Self.orderID(of: record.transaction), revision: place.index)
    }

    /// Returns the order id of a transaction: letters and digits that are easy to read aloud.
    ///
    /// One order for each payment. Only the format is the App Store's.
    static func orderID(of transaction: RowIndex<TransactionState>) -> String {
        let digits = String(UInt64(transaction.index), radix: 36, uppercase: true)
        return "MSIM" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Returns the transaction of an order.
    func transaction(ofOrder id: String) -> RowIndex<TransactionState>? {
        let text = id.uppercased()
        guard text.hasPrefix("MSIM"), let index = Int(text.dropFirst(4), radix: 36),
            let place = transactions.place(at: index), Self.orderID(of: place) == text
        else { return nil }
        return place
    }
}
