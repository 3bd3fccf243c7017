import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests of the answers about offers that follow from evidence.
struct OfferAnswerTests {
    private static let gold: Product.ID = "gold.monthly"

    /// The catalog of the tests, with an offer of each kind.
    private static let catalog: Catalog = {
        var products = TestShop.catalog.products
        for index in products.indices {
            switch products[index].id {
            case gold:
                products[index].subscription?.offers = [
                    SubscriptionOffer(kind: .introductory, paymentMode: .freeTrial, price: 0),
                    SubscriptionOffer(kind: .promotional, id: "loyal"),
                    SubscriptionOffer(kind: .code, id: "NEW", eligibility: [.new]),
                    SubscriptionOffer(kind: .code, id: "ALL"),
                    SubscriptionOffer(kind: .winBack, id: "back"), SubscriptionOffer(kind: .winBack, id: "best"),
                ]
            case "bronze.monthly": products[index].subscription?.offers = [SubscriptionOffer(kind: .code, id: "LOW")]
            case "remove.ads": products[index].codeOffers = [SubscriptionOffer(kind: .code, id: "ADS")]
            default: break
            }
        }
        return Catalog(products: products, groups: TestShop.catalog.groups, features: [])
    }()

    private static let resolver = EntitlementResolver(catalog: catalog)

    private static func offers(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant,
        doubt: EntitlementAnswer.UnknownReason? = nil
    ) throws -> CustomerOffers {
        resolver.offers(in: try TestShop.history(transactions, infos), at: instant, doubt: doubt)
    }

    /// Returns `kind id: answer reason` of each offer of a product.
    private static func texts(_ offers: CustomerOffers, of product: Product.ID = gold) -> [String] {
        offers.rows.filter { $0.productID == product }.map { row in
            "\(row.offer.id?.rawValue ?? "intro"): \(row.answer.word) \(row.answer.reasonWord)"
        }
    }

    private static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    private static var left: RenewalInfoDraft {
        var info = RenewalInfoDraft(originalID: first.originalID, signedAt: .day(40))
        info.productID = gold
        info.autoRenewStatus = .off
        info.expirationReason = .autoRenewDisabled
        return info
    }

    @Test func `A new customer may have introductory offers and codes for new customers`() throws {
        let offers = try Self.offers([], at: .day(1))
        #expect(
            Self.texts(offers) == [
                "intro: eligible newCustomer", "loyal: ineligible neverSubscribed", "NEW: eligible newCustomer",
                "ALL: eligible newCustomer", "back: ineligible neverSubscribed", "best: ineligible neverSubscribed",
            ])
        #expect(Self.texts(offers, of: "remove.ads") == ["ADS: eligible newCustomer"])
        let group = try #require(offers.groups.first { $0.id == offers.rows.first?.groupID })
        #expect(offers.isEligibleForIntroOffer(for: group.id) && group.statuses.isEmpty)
    }

    @Test func `If the history was never read, an answer that a purchase could change is unknown`() throws {
        let offers = try Self.offers([], at: .day(1), doubt: .neverSynced)
        #expect(
            Self.texts(offers) == [
                "intro: unknown neverSynced", "loyal: unknown neverSynced", "NEW: unknown neverSynced",
                "ALL: unknown neverSynced", "back: unknown neverSynced", "best: unknown neverSynced",
            ])
        // The purchase proves that the customer is not new, and that the subscription has begun, although the history
        // is incomplete.
        let known = try Self.offers([Self.first], at: .day(1), doubt: .neverSynced)
        #expect(
            Self.texts(known) == [
                "intro: ineligible subscribed", "loyal: eligible currentSubscriber", "NEW: ineligible otherCustomers",
                "ALL: unknown neverSynced", "back: ineligible subscribed", "best: ineligible subscribed",
            ])
    }

    @Test func `Evidence of the group that failed verification makes it unknown, too`() throws {
        var history = PurchaseHistory()
        history.markDoubtful("silver.monthly")
        let offers = Self.resolver.offers(in: history, at: .day(1))
        #expect(Self.texts(offers).first == "intro: unknown unverified")
        #expect(offers.rows.first { $0.productID == "remove.ads" }?.answer == .eligible(.newCustomer))
    }

    @Test func `A subscriber may have promotional offers, and introductory ones after the end`() throws {
        let offers = try Self.offers([Self.first], at: .day(1))
        #expect(
            Self.texts(offers) == [
                "intro: ineligible subscribed", "loyal: eligible currentSubscriber", "NEW: ineligible otherCustomers",
                "ALL: eligible currentSubscriber", "back: ineligible subscribed", "best: ineligible subscribed",
            ])
        #expect(Self.texts(offers, of: "bronze.monthly") == ["LOW: ineligible downgrade"])
        let end = try #require(Self.first.expiresAt)
        let introductory = try #require(offers.rows.first)
        #expect(introductory.until == end)
        // The evidence is from before the end, so the subscription may have renewed.
        let stale = try Self.offers([Self.first], at: end)
        #expect(stale.rows.first?.answer == .unknown(.staleEvidence) && stale.rows.first?.until == nil)
        #expect(stale.groups.contains { $0.introductory == .unknown(.staleEvidence) })
        let later = try Self.offers([Self.first], [Self.left], at: end)
        #expect(later.rows.first?.answer == .eligible(.formerSubscriber) && later.rows.first?.until == nil)
        #expect(later.groups.contains { $0.introductory == .eligible(.formerSubscriber) })
    }

    @Test func `An introductory offer of any product of the group is used once, and a refund does not give it back`()
        throws
    {
        var trial = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
        trial.offerType = .introductory
        trial.offerPaymentMode = .freeTrial
        let offers = try Self.offers([trial.revoked(at: .day(2))], at: .day(60))
        #expect(Self.texts(offers).first == "intro: ineligible alreadyUsed")
        let steps = try #require(offers.rows.first).steps
        #expect(steps.contains { $0.fact == "transaction \(trial.id) used an introductory offer of the group" })
        #expect(steps.last?.effect == "ineligible (alreadyUsed)" && steps.map(\.at) == steps.map(\.at).sorted())
        // Before the trial, the customer was new. A copy from the family does not use up the offer.
        #expect(try Self.offers([trial], at: .day(-1)).rows.first?.answer == .eligible(.newCustomer))
        #expect(try Self.offers([trial], at: .day(-1)).rows.first?.until == .day(0))
        let shared = try Self.offers([trial.owned(as: .familyShared)], at: .day(60))
        #expect(Self.texts(shared).first == "intro: unknown staleEvidence")
        let over = try Self.offers([trial.owned(as: .familyShared)], [Self.left], at: .day(60))
        #expect(Self.texts(over).first == "intro: eligible newCustomer")
        let running = try Self.offers([trial.owned(as: .familyShared)], at: .day(1))
        #expect(Self.texts(running).prefix(2) == ["intro: ineligible subscribed", "loyal: ineligible neverSubscribed"])
    }

    @Test func `A code is redeemed once`() throws {
        var coded = Self.first
        coded.offerType = .code
        coded.offerID = "ALL"
        #expect(Self.texts(try Self.offers([coded], at: .day(60)))[3] == "ALL: ineligible alreadyUsed")
        var ads = TransactionDraft(id: "77", productID: "remove.ads", purchasedAt: .day(1))
        ads.offerType = .code
        ads.offerID = "ADS"
        #expect(Self.texts(try Self.offers([ads], at: .day(2)), of: "remove.ads") == ["ADS: ineligible alreadyUsed"])
        // The customer has redeemed the code for the next period.
        var queued = RenewalInfoDraft(originalID: Self.first.originalID, signedAt: .day(3))
        queued.productID = Self.gold
        queued.autoRenewProductID = Self.gold
        queued.offerType = .code
        queued.offerID = "ALL"
        #expect(Self.texts(try Self.offers([Self.first], [queued], at: .day(4)))[3] == "ALL: ineligible alreadyUsed")
    }

    @Test func `The App Store names win-back offers after the end, the best first`() throws {
        let before = try Self.offers([Self.first], at: .day(50))
        #expect(Self.texts(before).suffix(2) == ["back: unknown staleRenewalInfo", "best: unknown staleRenewalInfo"])
        let none = try Self.offers([Self.first], [Self.left], at: .day(50))
        #expect(Self.texts(none).suffix(2) == ["back: ineligible notNamed", "best: ineligible notNamed"])
        // A renewal info from billing retry was signed before the end of the subscription, although the paid period had
        // ended.
        var retried = Self.left
        retried.isInBillingRetry = true
        let late = try Self.offers([Self.first], [retried], at: .day(400))
        #expect(Self.texts(late).suffix(2) == ["back: unknown staleRenewalInfo", "best: unknown staleRenewalInfo"])
        var named = Self.left
        named.eligibleWinBackOfferIDs = ["best", "back"]
        let offers = try Self.offers([Self.first], [named], at: .day(50))
        #expect(
            Self.texts(offers).suffix(2) == ["best: eligible formerSubscriber", "back: eligible formerSubscriber"])
        // A customer with a refunded subscription is not eligible for win-back offers.
        let refunded = try Self.offers([Self.first.revoked(at: .day(5))], [named], at: .day(50))
        #expect(Self.texts(refunded).suffix(2).allSatisfy { $0.hasSuffix("ineligible revoked") })
    }

    @Test func `Win-back offers are in the App Store's order for each product, and products in the catalog's`() throws {
        let catalog = Self.catalog
        var products = catalog.products
        for index in products.indices where products[index].id == "silver.monthly" {
            products[index].subscription?.offers = [SubscriptionOffer(kind: .winBack, id: "third")]
        }
        let resolver = EntitlementResolver(
            catalog: Catalog(products: products, groups: catalog.groups, features: []))
        var named = Self.left
        named.eligibleWinBackOfferIDs = ["best", "third", "back"]
        let history = try TestShop.history([Self.first], [named])
        let rows = resolver.offers(in: history, at: .day(50)).rows.filter { $0.offer.kind == .winBack }
        let order = products.map(\.id).filter { ["gold.monthly", "silver.monthly"].contains($0) }
        #expect(
            rows.map(\.offer.id)
                == (order.first == "gold.monthly" ? ["best", "back", "third"] : ["third", "best", "back"]))
    }

    @Test func `A subscription without a group is a group of its own`() throws {
        let product = Product(
            id: "solo", type: .autoRenewable,
            subscription: Product.SubscriptionInfo(offers: [
                SubscriptionOffer(kind: .introductory), SubscriptionOffer(kind: .promotional, id: "loyal"),
                SubscriptionOffer(kind: .code, id: "NEW", eligibility: [.new]),
                SubscriptionOffer(kind: .winBack, id: "back"),
            ]))
        let resolver = EntitlementResolver(catalog: Catalog(products: [product], groups: [], features: []))
        func texts(_ drafts: [TransactionDraft]) throws -> [String] {
            Self.texts(resolver.offers(in: try TestShop.history(drafts), at: .day(5)), of: "solo")
        }
        #expect(
            try texts([]) == [
                "intro: eligible newCustomer", "loyal: ineligible neverSubscribed", "NEW: eligible newCustomer",
                "back: ineligible neverSubscribed",
            ])
        var bought = TransactionDraft(productID: "solo", type: .autoRenewable, purchasedAt: .day(0))
        bought.expiresAt = .day(30)
        #expect(
            try texts([bought]) == [
                "intro: ineligible subscribed", "loyal: eligible currentSubscriber", "NEW: ineligible otherCustomers",
                "back: ineligible subscribed",
            ])
    }

    @Test func `A status has the pages on which its buyer can act`() throws {
        func links(_ drafts: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant) throws
            -> [String]
        {
            let offers = try Self.offers(drafts, infos, at: instant)
            return offers.groups.flatMap(\.statuses).flatMap(\.links).map(\.url)
        }
        let (manage, billing) = (
            "https://apps.apple.com/account/subscriptions", "https://apps.apple.com/account/billing"
        )
        #expect(try links([Self.first], at: .day(1)) == [manage, "https://reportaproblem.apple.com"])
        #expect(try links([Self.first], [Self.left], at: .day(50)) == [manage])
        var failing = RenewalInfoDraft(originalID: Self.first.originalID, signedAt: .day(35))
        failing.productID = Self.gold
        failing.isInBillingRetry = true
        failing.expirationReason = .billingError
        #expect(try links([Self.first], [failing], at: .day(40)) == [billing, manage])
        #expect(try links([Self.first.revoked(at: .day(5))], at: .day(6)) == [])
        #expect(try links([Self.first.owned(as: .familyShared)], at: .day(1)) == [])
    }

    @Test func `The JSON has a row for each offer`() throws {
        let document = try JSONReader().read(Array(try Self.offers([Self.first], at: .day(1)).json.text().utf8)).root
        let rows = document.object?["offers"]?.array.map(Array.init) ?? []
        #expect(rows.count == 8)
        let row = rows.first?.object
        #expect(row?["answer"]?.string == "ineligible" && row?["kind"]?.string == "introductory")
        #expect(row?["until"]?.string != nil)
    }
}

/// Tests of the rule about offers, for each past of a customer and each kind of offer.
struct OfferRuleTableTests {
    private static func standing(_ state: RenewalState?) -> OfferStanding {
        let isInService = state == .subscribed || state == .inGracePeriod
        return OfferStanding(
            state: state, isInService: isInService, hasUsedIntroductoryOffer: false, autoRenews: false, hasPaid: true)
    }

    @Test(
        "Who may have which offer",
        arguments: [
            (nil, "eligible", "ineligible", "ineligible", .new),
            (.subscribed, "ineligible", "eligible", "ineligible", .existing),
            (.inGracePeriod, "ineligible", "eligible", "ineligible", .existing),
            (.inBillingRetryPeriod, "eligible", "eligible", "ineligible", .existing),
            (.expired, "eligible", "eligible", "eligible", .expired),
            (.revoked, "eligible", "eligible", "ineligible", .expired),
        ] as [(RenewalState?, String, String, String, SubscriptionOffer.CustomerEligibility)])
    func table(
        state: RenewalState?, introductory: String, promotional: String, winBack: String,
        customer: SubscriptionOffer.CustomerEligibility
    ) {
        let standing = Self.standing(state)
        func word(_ kind: SubscriptionOffer.Kind, _ change: (inout OfferRule.Terms) -> Void = { _ in }) -> String {
            var terms = OfferRule.Terms(kind: kind)
            terms.isLastProduct = true
            change(&terms)
            return OfferRule.answer(for: terms, standing).word
        }
        #expect(word(.introductory) == introductory)
        #expect(word(.promotional) == promotional)
        #expect(word(.winBack) == winBack)
        for other in SubscriptionOffer.CustomerEligibility.allCases {
            #expect(word(.code) { $0.eligibility = [other] } == (other == customer ? "eligible" : "ineligible"))
        }
        #expect(word(.code) == "eligible" && word(.code) { $0.isRedeemed = true } == "ineligible")
        let isInService = state == .subscribed || state == .inGracePeriod
        #expect((word(.code) { $0.isDowngrade = true } == "ineligible") == isInService)
        #expect(word(.winBack) { $0.isSwitchedOff = true } == "ineligible")
        #expect(word(.winBack) { $0.isLastProduct = false } == "ineligible")
        var used = standing
        used.hasUsedIntroductoryOffer = true
        #expect(OfferRule.introductory(used) == .ineligible(.alreadyUsed))
        for change in [{ $0.autoRenews = true }, { $0.hasPaid = false }] as [(inout OfferStanding) -> Void] {
            var other = standing
            change(&other)
            var terms = OfferRule.Terms(kind: .winBack)
            terms.isLastProduct = true
            #expect(!OfferRule.answer(for: terms, other).isEligible)
        }
    }
}
