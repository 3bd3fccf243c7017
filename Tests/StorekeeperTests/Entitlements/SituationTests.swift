import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the answers in every situation of a customer.
///
/// The sources are Apple's documents "App Store Server API: status", "Reducing involuntary subscriber
/// churn", "Offering a subscription across multiple apps", "Supporting Family Sharing in your app" and
/// "Handling refund notifications".
@Suite("Situations") struct SituationTests {
    struct Situation: Sendable, CustomTestStringConvertible {
        let name: String
        var transactions: [TransactionDraft]
        var infos: [RenewalInfoDraft] = []
        let at: Instant
        let product: Product.ID
        let expected: String
        var highest: String?

        var testDescription: String { name }
    }

    @Test("The answer is that of the table", arguments: Self.subscriptions + Self.sharing + Self.oneTime)
    func answer(_ situation: Situation) throws {
        let resolution = try TestShop.resolution(situation.transactions, situation.infos)
        #expect(resolution.text(situation.product, at: situation.at) == situation.expected)
        if let highest = situation.highest {
            #expect(resolution.highestText("membership", at: situation.at) == highest)
        }
    }

    static let month1 = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    static let silver1 = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
    static let expiry = Instant.month(1)
    static let goldActive = "subscribed gold.monthly entitled"
    static let goldExpired = "expired gold.monthly"

    static let subscriptions: [Situation] = [
        Situation(
            name: "active with auto-renewal on", transactions: [month1], infos: [.init(for: month1)], at: .day(3),
            product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "active with auto-renewal off keeps access until the expiry", transactions: [month1],
            infos: [.init(for: month1).cancelled()], at: expiry.adding(milliseconds: -1), product: "gold.monthly",
            expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "in a free trial", transactions: [with(month1) { $0.offerType = .introductory }], at: .day(3),
            product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "renewal failed, inside the grace period", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).grace(until: .day(47))], at: .day(40),
            product: "gold.monthly", expected: "entitled gracePeriod 1000",
            highest: "inGracePeriod gold.monthly entitled"),
        Situation(
            name: "renewal failed without grace", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).billingRetry()], at: .day(40), product: "gold.monthly",
            expected: "lapsed billingRetry 1000", highest: "inBillingRetryPeriod gold.monthly"),
        Situation(
            name: "renewal failed and grace is over", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).grace(until: .day(47))], at: .day(47),
            product: "gold.monthly", expected: "lapsed billingRetry 1000",
            highest: "inBillingRetryPeriod gold.monthly"),
        Situation(
            name: "retry ended after 60 days, although the newest info still has it", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).billingRetry()], at: expiry.adding(days: 60),
            product: "gold.monthly", expected: "lapsed expired 1000", highest: goldExpired),
        Situation(
            name: "cancelled and lapsed", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).cancelled(reason: .autoRenewDisabled)], at: expiry,
            product: "gold.monthly", expected: "lapsed expired 1000", highest: goldExpired),
        Situation(
            name: "price increase without consent", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).cancelled(reason: .didNotConsentToPriceIncrease)],
            at: .day(40), product: "gold.monthly", expected: "lapsed expired 1000", highest: goldExpired),
        Situation(
            name: "product no longer on sale", transactions: [month1],
            infos: [.init(for: month1, signedAt: expiry).cancelled(reason: .productUnavailable)], at: .day(40),
            product: "gold.monthly", expected: "lapsed expired 1000", highest: goldExpired),
        Situation(
            name: "current period refunded", transactions: [month1.revoked(at: .day(10))], at: .day(10),
            product: "gold.monthly", expected: "lapsed refunded 1000", highest: "revoked gold.monthly"),
        Situation(
            name: "before the refund", transactions: [month1.revoked(at: .day(10))],
            at: Instant.day(10).adding(milliseconds: -1), product: "gold.monthly", expected: "entitled active 1000",
            highest: goldActive),
        Situation(
            name: "past period refunded, current one paid",
            transactions: [month1.revoked(at: .day(40)), .renewal(of: month1)], at: .day(45),
            product: "gold.monthly", expected: "entitled active 1001", highest: goldActive),
        Situation(
            name: "refund reversed",
            transactions: [month1.revoked(at: .day(10)), month1.reversed(signedAt: .day(12))], at: .day(13),
            product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "upgraded in the middle of a period: the old product",
            transactions: [silver1.upgraded(signedAt: .day(10)), upgrade(of: silver1)], at: .day(10),
            product: "silver.monthly", expected: "lapsed upgraded 1000", highest: goldActive),
        Situation(
            name: "upgraded in the middle of a period: the new product",
            transactions: [silver1.upgraded(signedAt: .day(10)), upgrade(of: silver1)], at: .day(10),
            product: "gold.monthly", expected: "entitled active 1001", highest: goldActive),
        Situation(
            name: "upgraded, although no copy says so", transactions: [silver1, upgrade(of: silver1)],
            at: .day(10), product: "silver.monthly", expected: "lapsed upgraded 1000", highest: goldActive),
        Situation(
            name: "upgraded, the successor not known yet", transactions: [silver1.upgraded(signedAt: .day(10))],
            at: .day(20), product: "silver.monthly", expected: "entitled active 1000",
            highest: "subscribed silver.monthly entitled"),
        Situation(
            name: "upgraded, the successor never known, after the period",
            transactions: [silver1.upgraded(signedAt: .day(10))], at: expiry, product: "silver.monthly",
            expected: "lapsed upgraded 1000", highest: "expired silver.monthly"),
        Situation(
            name: "downgrade scheduled", transactions: [month1],
            infos: [with(.init(for: month1)) { $0.autoRenewProductID = "silver.monthly" }], at: .day(20),
            product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "downgrade taken effect: the old product is expired, not upgraded",
            transactions: [month1, .change(of: month1, to: "silver.monthly", at: expiry, expires: .month(2))],
            at: expiry, product: "gold.monthly", expected: "lapsed expired 1000",
            highest: "subscribed silver.monthly entitled"),
        Situation(
            name: "crossgrade of equal duration",
            transactions: [month1, .change(of: month1, to: "gold.plus", at: .day(10), expires: .day(41))],
            at: .day(10), product: "gold.monthly", expected: "lapsed upgraded 1000",
            highest: "subscribed gold.plus entitled"),
        Situation(
            name: "crossgrade of another duration waits for the period's end", transactions: [month1],
            infos: [with(.init(for: month1)) { $0.autoRenewProductID = "gold.yearly" }], at: .day(20),
            product: "gold.yearly", expected: "never noPurchase", highest: goldActive),
        Situation(
            name: "extended by the developer",
            transactions: [
                month1, with(month1.signed(at: .day(5))) { $0.expiresAt = expiry.adding(days: 30) },
            ], at: expiry, product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "resubscribed after a lapse",
            transactions: [month1, .change(of: month1, at: .day(50), expires: .day(81))], at: .day(50),
            product: "gold.monthly", expected: "entitled active 1001", highest: goldActive),
        Situation(
            name: "lapsed before the resubscription",
            transactions: [month1, .change(of: month1, at: .day(50), expires: .day(81))], at: .day(40),
            product: "gold.monthly", expected: "lapsed expired 1000", highest: goldExpired),
        Situation(
            name: "billing recovered inside grace leaves no gap",
            transactions: [month1, .renewal(of: month1)], at: expiry, product: "gold.monthly",
            expected: "entitled active 1001", highest: goldActive),
        Situation(
            name: "billing recovered after grace",
            transactions: [
                month1, with(.change(of: month1, at: .day(50), expires: .day(81))) { $0.reason = .renewal },
            ],
            at: .day(49), product: "gold.monthly", expected: "lapsed expired 1000", highest: goldExpired),
        Situation(
            name: "sandbox transaction", transactions: [month1.made(in: .sandbox)], at: .day(3),
            product: "gold.monthly", expected: "never noPurchase", highest: "none"),
        Situation(
            name: "commitment that will not renew is still billed",
            transactions: [with(month1) { $0.billingPlanType = .monthly }], infos: [.init(for: month1)], at: .day(3),
            product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "another group is independent",
            transactions: [month1.revoked(at: .day(1)), .purchase(of: TestShop.news, at: .day(0), id: "2000")],
            at: .day(3), product: "news.monthly", expected: "entitled active 2000", highest: "revoked gold.monthly"),
        Situation(
            name: "prorated refund of the current period",
            transactions: [month1.revoked(at: .day(10), type: .proratedRefund, percentage: 67_932)], at: .day(10),
            product: "gold.monthly", expected: "lapsed refunded 1000", highest: "revoked gold.monthly"),
        Situation(
            name: "monthly payment of a commitment failed", transactions: [commitment],
            infos: [.init(for: commitment, signedAt: expiry).billingRetry()], at: expiry, product: "gold.yearly",
            expected: "lapsed billingRetry 1000", highest: "inBillingRetryPeriod gold.yearly"),
        Situation(
            name: "a commitment is retried for 90 days", transactions: [commitment],
            infos: [.init(for: commitment, signedAt: expiry).billingRetry()],
            at: expiry.adding(days: 90).adding(milliseconds: -1), product: "gold.yearly",
            expected: "lapsed billingRetry 1000", highest: "inBillingRetryPeriod gold.yearly"),
        Situation(
            name: "a commitment is not retried for longer than 90 days", transactions: [commitment],
            infos: [.init(for: commitment, signedAt: expiry).billingRetry()], at: expiry.adding(days: 90),
            product: "gold.yearly", expected: "lapsed expired 1000", highest: "expired gold.yearly"),
    ]

    static let sharing: [Situation] = [
        Situation(
            name: "family-shared", transactions: [month1.owned(as: .familyShared)], at: .day(3),
            product: "gold.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "family sharing ended",
            transactions: [month1.owned(as: .familyShared).revoked(at: .day(10), type: .familyRevocation)],
            at: .day(10), product: "gold.monthly", expected: "lapsed familySharingEnded 1000",
            highest: "revoked gold.monthly"),
        Situation(
            name: "own subscription expired, shared one active",
            transactions: [month1, .purchase(of: TestShop.gold, at: .day(20), id: "2000").owned(as: .familyShared)],
            at: .day(40), product: "gold.monthly", expected: "entitled active 2000", highest: goldActive),
        Situation(
            name: "own lower level and shared higher level",
            transactions: [silver1, .purchase(of: TestShop.gold, at: .day(0), id: "2000").owned(as: .familyShared)],
            at: .day(3), product: "silver.monthly", expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "family copy revoked, own purchase stays",
            transactions: [
                .purchase(of: TestShop.removeAds, at: .day(0)),
                TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1), id: "2000").owned(as: .familyShared)
                    .revoked(at: .day(5), type: .familyRevocation),
            ], at: .day(6), product: "remove.ads", expected: "entitled owned 1000"),
        Situation(
            name: "assignment revoked",
            transactions: [month1.owned(as: .assigned).revoked(at: .day(10), type: .assignmentRevocation)],
            at: .day(10), product: "gold.monthly", expected: "lapsed assignmentEnded 1000",
            highest: "revoked gold.monthly"),
        Situation(
            name: "assigned", transactions: [month1.owned(as: .assigned)], at: .day(9), product: "gold.monthly",
            expected: "entitled active 1000", highest: goldActive),
        Situation(
            name: "unknown ownership gives no access",
            transactions: [month1.owned(as: OwnershipType(rawValue: "LENT"))], at: .day(9), product: "gold.monthly",
            expected: "unknown unverified 1000", highest: "subscribed gold.monthly"),
    ]

    static let oneTime: [Situation] = [
        Situation(
            name: "a pending Ask to Buy is not in the evidence", transactions: [], at: .day(3),
            product: "gold.monthly", expected: "never noPurchase", highest: "none"),
        Situation(
            name: "non-consumable owned", transactions: [.purchase(of: TestShop.removeAds, at: .day(0))], at: .day(0),
            product: "remove.ads", expected: "entitled owned 1000"),
        Situation(
            name: "non-consumable refunded",
            transactions: [TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0)).revoked(at: .day(5))],
            at: .day(5), product: "remove.ads", expected: "lapsed refunded 1000"),
        Situation(
            name: "non-renewing with a duration in the catalog",
            transactions: [.purchase(of: TestShop.seasonPass, at: .day(0))],
            at: Instant.day(90).adding(milliseconds: -1), product: "season.pass", expected: "entitled active 1000"),
        Situation(
            name: "non-renewing past its duration", transactions: [.purchase(of: TestShop.seasonPass, at: .day(0))],
            at: .day(90), product: "season.pass", expected: "lapsed expired 1000"),
        Situation(
            name: "non-renewing purchases run in parallel",
            transactions: [
                .purchase(of: TestShop.seasonPass, at: .day(0)),
                .purchase(of: TestShop.seasonPass, at: .day(10), id: "2000"),
            ], at: .day(100), product: "season.pass", expected: "lapsed expired 2000"),
        Situation(
            name: "non-renewing purchases extend each other if the catalog says so",
            transactions: [
                .purchase(of: TestShop.stackingPass, at: .day(0)),
                .purchase(of: TestShop.stackingPass, at: .day(1), id: "2000"),
            ], at: .day(19), product: "stacking.pass", expected: "entitled active 2000"),
        Situation(
            name: "non-renewing without a duration is owned",
            transactions: [.purchase(of: TestShop.badge, at: .day(0))], at: .day(900), product: "badge",
            expected: "entitled owned 1000"),
        Situation(
            name: "an unknown type gives no access",
            transactions: [.purchase(of: "mystery", type: .init(rawValue: "Mystery"), at: .day(0))], at: .day(1),
            product: "mystery", expected: "unknown unverified 1000"),
    ]

    private static let commitment = with(
        TransactionDraft.purchase(of: TestShop.goldYearly, at: .day(0))
    ) {
        $0.billingPlanType = .monthly
        $0.expiresAt = expiry
    }

    private static func upgrade(of draft: TransactionDraft) -> TransactionDraft {
        .change(of: draft, to: "gold.monthly", at: .day(10), expires: .day(41))
    }
}

/// Returns a changed copy of a value.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var copy = value
    change(&copy)
    return copy
}
