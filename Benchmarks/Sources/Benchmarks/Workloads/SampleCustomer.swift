import Storekeeper
import StorekeeperTesting

/// A customer with a number of realistic transactions.
///
/// Of a hundred transactions 80 are of subscriptions: a few long chains with renewals, upgrades, refunds,
/// gaps and family sharing. 15 are consumables, each a separate chain, some refunded; the rest are
/// non-consumables and non-renewing products.
struct SampleCustomer {
    /// The facts for a vault, sorted by purchase.
    private(set) var facts: [VerifiedFact] = []
    /// The transactions, sorted by purchase.
    let transactions: [Transaction]
    /// One renewal info for each chain of a subscription.
    let renewalInfos: [RenewalInfo]
    /// The last transaction of the first chain, which can be renewed.
    let newest: TransactionDraft

    /// Creates a customer.
    ///
    /// - Parameter count: The number of transactions, of which four fifths are in four chains of a subscription.
    init(count: Int) throws {
        let chains = 4
        var story = Story()
        let oneTimePurchases = count / 5
        let length = (count - oneTimePurchases) / chains
        for chain in 0..<chains {
            let rest = chain == 0 ? count - oneTimePurchases - length * chains : 0
            story.subscribe(chain: chain, length: length + rest)
        }
        for number in 0..<oneTimePurchases { story.buy(number) }
        transactions = try story.transactions.sorted { $0.purchasedAt < $1.purchasedAt }.map { try $0.transaction() }
        renewalInfos = try story.renewalInfos.map { try $0.renewalInfo() }
        facts =
            try story.transactions.sorted { $0.purchasedAt < $1.purchasedAt }.map { try $0.verifiedFact() }
            + story.renewalInfos.map { try $0.verifiedFact() }
        let firstChain = story.transactions.prefix(length + (count - oneTimePurchases - length * chains))
        newest = firstChain.last ?? Story.signup(chain: 0)
    }

    /// A customer with one subscription that was renewed without a gap.
    init(renewals count: Int) throws {
        var draft = Story.signup(chain: 0)
        var drafts = [draft]
        for _ in 1..<count {
            draft = .renewal(of: draft)
            drafts.append(draft)
        }
        transactions = try drafts.map { try $0.transaction() }
        renewalInfos = [try RenewalInfoDraft(for: draft).renewalInfo()]
        newest = draft
    }

    /// The transactions as an accepting verifier returns them.
    var results: [VerificationResult<Transaction>] { transactions.map(VerificationResult.verified) }

    /// The customer's history.
    var history: PurchaseHistory {
        var history = PurchaseHistory()
        history.merge(results)
        for info in renewalInfos { history.merge(VerificationResult.verified(info)) }
        return history
    }
}

/// Generates the transactions of a customer.
private struct Story {
    var transactions: [TransactionDraft] = []
    var renewalInfos: [RenewalInfoDraft] = []
    private static let day: Int64 = 86_400_000

    static func signup(chain: Int) -> TransactionDraft {
        .purchase(
            of: SampleShop.subscriptions[0], at: .day(chain * 7),
            id: Transaction.ID(rawValue: "\(chain + 1)000000000000"))
    }

    mutating func subscribe(chain: Int, length: Int) {
        var draft = Self.signup(chain: chain)
        if chain % 4 == 3 { draft.ownership = .familyShared }
        for number in 1...max(length, 1) {
            if number == length {
                transactions.append(draft)
                break
            }
            let end = draft.expiresAt ?? draft.purchasedAt
            var next = TransactionDraft.renewal(of: draft)
            if number % 37 == 36 {
                // An upgrade or a downgrade in the middle of a period.
                let product = SampleShop.subscriptions[number / 37 % SampleShop.subscriptions.count]
                let change = end.adding(milliseconds: -10 * Self.day)
                next = .change(of: draft, to: product.id, at: change, expires: change.adding(days: 30))
                draft = draft.upgraded(signedAt: change)
            } else if number % 41 == 40 {
                // A lapse, and a return three weeks later.
                next = .change(of: draft, at: end.adding(days: 21), expires: end.adding(days: 51))
            } else if number % 53 == 52 {
                draft = draft.revoked(at: end.adding(milliseconds: -5 * Self.day))
            }
            transactions.append(draft)
            draft = next
        }
        let info = RenewalInfoDraft(for: draft)
        let end = draft.expiresAt ?? draft.purchasedAt
        renewalInfos.append(chain.isMultiple(of: 2) ? info : info.grace(until: end.adding(days: 16)))
    }

    mutating func buy(_ number: Int) {
        let id = Transaction.ID(rawValue: "9\(String(number + 1_000_000_000).dropFirst())")
        let instant = Instant.day(number * 3)
        let product: Product
        switch number % 20 {
        case 0..<15: product = SampleShop.coins[number % SampleShop.coins.count]
        case 15..<18: product = SampleShop.extras[number / 20 % SampleShop.extras.count]
        default: product = SampleShop.pass
        }
        let draft = TransactionDraft.purchase(of: product, at: instant, id: id)
        transactions.append(number % 9 == 8 ? draft.revoked(at: instant.adding(days: 2)) : draft)
    }
}

// Numbers instead of durations: the question is measured, not the computation of its instant.
extension Instant {
    /// The instant a number of milliseconds later.
    func adding(milliseconds: Int64) -> Instant {
        Instant(millisecondsSince1970: millisecondsSince1970 + milliseconds) ?? .distantFuture
    }

    /// The instant a number of days of 24 hours later.
    func adding(days: Int) -> Instant { adding(milliseconds: Int64(days) * 86_400_000) }
}
