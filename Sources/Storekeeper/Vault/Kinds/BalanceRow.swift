/// The row of a customer's balance.
package struct BalanceRow: RowKind, Hashable {
    package static let table = TableShape(
        "balance", number: 1,
        [
            .owner, .text("name"), .int("credited"), .int("spent"), .int("clawed_back"), .int("restored"),
        ],
        key: ["customer", "name"], indices: [.by("customer")])

    package static let ofCustomer = TableIndex<BalanceRow, CustomerID>("customer")
    package static let byName = TableIndex<BalanceRow, CustomerID, String>("primary")

    package let customer: CustomerID
    package let balance: Balance

    /// Creates a row.
    package init(_ balance: Balance, of customer: CustomerID) {
        self.customer = customer
        self.balance = balance
    }

    package func write(to row: RowBuffer) {
        row.owner(customer)
        row.text(balance.id.rawValue)
        row.int(balance.credited)
        row.int(balance.spent)
        row.int(balance.clawedBack)
        row.int(balance.restored)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        customer = row.owner()
        balance = Balance(
            id: Balance.ID(row.text()), credited: row.int(), spent: row.int(), clawedBack: row.int(),
            restored: row.int())
    }
}
