package import Storekeeper

/// A purchase as the App Store's servers list it.
package struct PurchaseRecord: Hashable, Sendable {
    /// The transaction.
    package let id: Transaction.ID
    /// The first transaction of its chain.
    package let originalID: Transaction.ID
    /// Whose it is.
    package let customer: CustomerID
    /// The product.
    package let productID: Product.ID
    /// What kind of product.
    package let productType: Product.ProductType
    /// The group of a subscription.
    package let groupID: SubscriptionGroup.ID?
    /// When it was bought, or its period began.
    package let purchasedAt: Instant
    /// Whether it is a family's copy.
    package let isFamilyShared: Bool
    /// Whether an organisation gave it.
    package let isAssigned: Bool
    /// Whether it was taken back, wholly or in part, by a refund or otherwise.
    package let isRevoked: Bool
    /// Whether money was paid back for it.
    package let isRefunded: Bool
    /// Whether the goods were handed out.
    package let isFinished: Bool
    /// The order on the customer's invoice; `nil` of what was not ordered: family's copies.
    package let orderID: String?
    /// When it last changed, as a number that grows with every change in the store.
    package let revision: Int
}

extension World {
    /// The transactions of a download as servers list them, least recently changed first.
    func purchaseRecords(of download: Place<Download>) -> [PurchaseRecord] {
        history(of: download).map { purchaseRecord($0) }
    }

    func purchaseRecord(_ place: Place<TransactionRecord>) -> PurchaseRecord {
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

    /// The number on the invoice of a transaction: letters and digits, as people read them off.
    ///
    /// One order for each payment. Only its look is the App Store's.
    static func orderID(of transaction: Place<TransactionState>) -> String {
        let digits = String(UInt64(transaction.index), radix: 36, uppercase: true)
        return "MSIM" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// The transaction of an order; `nil` if there is no such order.
    func transaction(ofOrder id: String) -> Place<TransactionState>? {
        let text = id.uppercased()
        guard text.hasPrefix("MSIM"), let index = Int(text.dropFirst(4), radix: 36),
            let place = transactions.place(at: index), Self.orderID(of: place) == text
        else { return nil }
        return place
    }
}
