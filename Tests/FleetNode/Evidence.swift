import Storekeeper
import StorekeeperTesting

/// The evidence of the tests: purchases of coins.
///
/// Some of the purchases are refunded, and some of the refunds are reversed.
///
/// All nodes commit the same evidence, so that several nodes write the same facts at the same time.
enum Evidence {
    static let customers: [CustomerID] = ["anna", "bert", "carl"]
    static let coins = Product(id: "coins.100", type: .consumable, grants: ["coins": 100])
    static let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))

    /// Returns the copies of a customer's transactions.
    static func drafts(of customer: CustomerID) -> [TransactionDraft] {
        var drafts: [TransactionDraft] = []
        for number in 0..<30 {
            let draft = TransactionDraft.purchase(
                of: coins, at: .day(number), id: Transaction.ID(rawValue: "\(customer.rawValue).\(1_000 + number)"))
            drafts.append(draft)
            guard number % 3 == 0 else { continue }
            let refund = draft.revoked(at: .day(number + 40), percentage: number % 2 == 0 ? nil : 33_333)
            drafts.append(refund)
            if number % 6 == 0 { drafts.append(refund.reversed(signedAt: .day(number + 60))) }
        }
        return drafts
    }
}
