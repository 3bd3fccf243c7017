import FoundationEssentials
import Storekeeper
import StorekeeperTesting

/// A customer of a large fleet, whose data is determined by an eight-digit number.
///
/// The names, ids and payloads of two customers differ only in these digits, so that replacing the number turns the
/// rows of one into those of another.
struct FleetCustomer {
    /// The numbers of the customers whose rows are copied; their rows contain these digits nowhere else.
    static let buyer = 73_519_461, subscriber = 73_519_462
    /// The number of ten customers who have a subscription: those with the highest numbers.
    static let subscribersOfTen = 3
    /// The initial number of periods of a subscription.
    static let periods = 2

    static let monthly = Product(
        id: "com.example.game.plus.monthly", type: .autoRenewable,
        subscription: Product.SubscriptionInfo(
            subscriptionGroupID: "20100001", groupLevel: 1, subscriptionPeriod: SubscriptionPeriod("P30D")))
    static let coins = Product(id: "com.example.game.coins.500", type: .consumable, grants: ["coins": 500])
    static let catalog = Catalog(
        products: [monthly, coins], groups: [SubscriptionGroup(id: "20100001", name: "Plus", productIDs: [monthly.id])],
        features: [Feature(id: "ad-free", productIDs: [monthly.id])])

    let number: Int
    private var digits: String { String(String(1_000_000_000 + number).suffix(8)) }
    var id: CustomerID { CustomerID(rawValue: "\(digits)-4cdb-47cc-936d-99d65f608138") }

    /// The coin purchase of every customer.
    func credit() -> TransactionDraft { purchase(of: Self.coins, at: .day(1), sequence: 200_000) }

    /// A period of the subscription with its renewal info; the first has number 0.
    func period(_ position: Int) -> (transaction: TransactionDraft, info: RenewalInfoDraft) {
        var draft = purchase(of: Self.monthly, at: .day(30 * position), sequence: 100_000 + position)
        draft.originalID = transactionID(100_000)
        draft.originallyPurchasedAt = .day(0)
        draft.webOrderLineItemID = "20\(digits)\(10_000 + position)"
        draft.reason = position == 0 ? .purchase : .renewal
        var info = RenewalInfoDraft(for: draft)
        info.recentSubscriptionStartedAt = .day(0)
        (info.renewalPrice, info.currency) = (draft.price, draft.currency)
        return (draft, info)
    }

    /// The step that stores a renewal, as after the App Store's notification.
    func renewal(_ position: Int) throws -> CommitBatch {
        let (transaction, info) = period(position)
        return CommitBatch(
            customer: id, at: transaction.purchasedAt,
            facts: [try transaction.verifiedFact(), try info.verifiedFact()],
            rule: LedgerRule(catalog: Self.catalog), evaluatedThrough: transaction.purchasedAt,
            wakeAt: transaction.expiresAt, notifications: ["\(digits)-\(1_000 + position)-4000-8000-000000000001"])
    }

    private func transactionID(_ sequence: Int) -> Transaction.ID { Transaction.ID(rawValue: "2\(digits)\(sequence)") }

    private func purchase(of product: Product, at instant: Instant, sequence: Int) -> TransactionDraft {
        var draft = TransactionDraft.purchase(of: product, at: instant, id: transactionID(sequence))
        draft.appTransactionID = "70\(digits)03783919"
        (draft.price, draft.currency) = (9990, "USD")
        return draft
    }
}
