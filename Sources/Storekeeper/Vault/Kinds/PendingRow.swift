/// The row of a purchase that waits for approval.
package struct PendingRow: RowKind, Hashable {
    package static let table = TableShape(
        "pending", number: 5,
        [
            .owner, .int("position"), .text("product"), .text("reason"), .int("started"), .int("ends"),
        ],
        key: ["customer", "position"], indices: [.by("customer")])

    package static let ofCustomer = TableIndex<PendingRow, CustomerID>("customer")

    package let customer: CustomerID
    /// The position of the purchase among those of the customer, from 0.
    package let position: Int64
    package let purchase: PendingPurchase

    /// Creates a row.
    package init(_ purchase: PendingPurchase, at position: Int, of customer: CustomerID) {
        self.customer = customer
        self.position = Int64(position)
        self.purchase = purchase
    }

    package func write(to row: RowBuffer) {
        row.owner(customer)
        row.int(position)
        row.text(purchase.productID.rawValue)
        row.text(purchase.reason.rawValue)
        row.instant(purchase.startedAt)
        row.instant(purchase.endsAt)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        (customer, position) = (row.owner(), row.int())
        let (product, word) = (Product.ID(row.text()), row.text())
        guard let reason = EntitlementAnswer.PendingReason(rawValue: word) else {
            throw VaultError(.corrupt, "a pending purchase with the unknown reason '\(word)'")
        }
        purchase = PendingPurchase(
            productID: product, reason: reason, startedAt: row.instant(), endsAt: row.instant())
    }
}
