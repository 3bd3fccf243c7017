import Storekeeper
import StorekeeperTesting

/// What there is to be taken in: purchases of coins, of which some are refunded, and of these some paid for after all.
///
/// All nodes take in the same, so that they meet.
enum Evidence {
    static let customers: [CustomerID] = ["anna", "bert", "carl"]
    static let coins = Product(id: "coins.100", type: .consumable, grants: ["coins": 100])
    static let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))

    /// The copies of a customer's transactions.
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
