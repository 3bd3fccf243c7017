package import Storekeeper

/// A purchase in the lists of the App Store's servers.
package struct PurchaseRecord: Hashable, Sendable {
    /// The transaction.
    package let id: Transaction.ID
    /// The first transaction of the chain.
    package let originalID: Transaction.ID
    /// The customer.
    package let customer: CustomerID
    /// The product.
    package let productID: Product.ID
    /// The type of product.
    package let productType: Product.ProductType
    /// The group of the subscription; `nil` for other products.
    package let groupID: SubscriptionGroup.ID?
    /// The date of the purchase, or the start of the period.
    package let purchasedAt: Instant
    /// Whether the transaction is a copy of a family member's purchase.
    package let isFamilyShared: Bool
    /// Whether an organization assigned the purchase to the customer.
    package let isAssigned: Bool
    /// Whether the transaction was revoked, wholly or in part, by a refund or for another reason.
    package let isRevoked: Bool
    /// Whether the transaction was refunded.
    package let isRefunded: Bool
    /// Whether the content was delivered.
    package let isFinished: Bool
    /// The order id on the customer's invoice; `nil` for a copy of a family member's purchase.
    package let orderID: String?
    /// The revision of the purchase's last change.
    ///
    /// Each change of a transaction in the store has a higher revision than all earlier changes.
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

    /// Returns the order id of a transaction, which consists of letters and digits.
    ///
    /// Each payment is a separate order. The id resembles the App Store's order ids only in its format.
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
