import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The reference model on groups and one-time purchases")
struct ReferenceModelTests {
    private func model(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], catalog: Catalog = .empty,
        policy: ReferencePolicy = .init()
    ) throws -> ReferenceModel {
        try ReferenceModel(
            GeneratedEvidence(catalog: catalog, transactions: transactions, renewalInfos: infos), policy: policy)
    }

    private func subscription(
        _ product: Product.ID, id: Transaction.ID, from start: Int = 0, to end: Int = 30,
        group: SubscriptionGroup.ID = "21"
    ) -> TransactionDraft {
        .purchase(of: product, type: .autoRenewable, at: .day(start), expires: .day(end), group: group, id: id)
    }

    private func catalog(levels: [(Product.ID, Int?)], group: SubscriptionGroup.ID) -> Catalog {
        Catalog(
            products: levels.map { id, level in
                Product(
                    id: id, type: .autoRenewable,
                    subscription: .init(subscriptionGroupID: group, groupLevel: level))
            },
            groups: [SubscriptionGroup(id: group, productIDs: levels.map(\.0))],
            features: [Feature(id: "pro", productIDs: levels.map(\.0))])
    }

    @Test("The newest copy counts; of copies signed at one instant, the more restrictive")
    func copies() throws {
        let bought = TransactionDraft.purchase(of: "keep", at: .day(0))
        let refunded = bought.revoked(at: .day(5), signedAt: .day(0))
        for order in [[bought, refunded], [refunded, bought]] {
            #expect(try model(order).answer(product: "keep", at: .day(5)).reason == "refunded")
        }
        let newer = bought.signed(at: .day(1))
        #expect(try model([refunded, newer, bought]).answer(product: "keep", at: .day(5)).reason == "owned")
    }

    @Test("The highest status has the best level, then the best state, owner and end")
    func highest() throws {
        let catalog = catalog(levels: [("gold", 1), ("silver", 2), ("odd", nil)], group: "21")
        let silver = subscription("silver", id: "1")
        let gold = subscription("gold", id: "2").owned(as: .familyShared)
        let odd = subscription("odd", id: "9")
        var model = try model([silver, gold, odd], catalog: catalog)
        #expect(model.highest(group: "21", at: .day(3))?.productID == "gold")
        model = try self.model([silver, odd], catalog: catalog)
        #expect(model.highest(group: "21", at: .day(3))?.productID == "silver")
        let shared = subscription("silver", id: "3", to: 60).owned(as: .familyShared)
        model = try self.model([silver, shared], catalog: catalog)
        #expect(model.highest(group: "21", at: .day(3))?.originalTransactionID == "1")
        #expect(model.highest(group: "21", at: .day(40))?.originalTransactionID == "3")
        let later = subscription("silver", id: "4", from: 1, to: 30)
        #expect(
            try self.model([silver, later], catalog: catalog).highest(group: "21", at: .day(3))?
                .originalTransactionID == "4")
        let twins = [subscription("silver", id: "99"), subscription("silver", id: "100")]
        #expect(
            try self.model(twins, catalog: catalog).highest(group: "21", at: .day(3))?.originalTransactionID == "100")
    }

    @Test("Without access, billing retry precedes expired and expired precedes revoked, whatever the level")
    func highestToShow() throws {
        let catalog = catalog(levels: [("gold", 1), ("silver", 2), ("bronze", 3)], group: "21")
        let revoked = subscription("gold", id: "1").revoked(at: .day(2))
        let expired = subscription("silver", id: "2")
        let retrying = subscription("bronze", id: "3")
        let info = RenewalInfoDraft(for: retrying, signedAt: .day(30)).billingRetry()
        let model = try model([revoked, expired, retrying], [info], catalog: catalog)
        #expect(model.highest(group: "21", at: .day(40))?.productID == "bronze")
        #expect(model.highest(group: "21", at: .day(90))?.productID == "silver")
        #expect(model.highest(group: "none", at: .day(90)) == nil)
    }

    @Test("Groups that share a product are one, with the App Store's production id")
    func groupIDs() throws {
        let catalog = catalog(levels: [("gold", 1)], group: "membership")
        #expect(try model([], catalog: catalog).groupIDs == ["membership"])
        var policy = ReferencePolicy()
        policy.environments = [.production, .sandbox]
        let sandbox = subscription("gold", id: "1", group: "10").made(in: .sandbox)
        #expect(try model([sandbox], catalog: catalog, policy: policy).groupIDs == ["10"])
        let production = [subscription("gold", id: "1", group: "9"), subscription("gold", id: "2", group: "30")]
        let model = try model(production + [sandbox], catalog: catalog, policy: policy)
        #expect(model.groupIDs == ["30"])
        #expect(Set(model.statuses(at: .day(3)).map(\.groupID)) == ["30"])
    }

    @Test("A feature has the best answer of its products; of two that give access, the one that lasts longer")
    func features() throws {
        let catalog = catalog(levels: [("gold", 1), ("silver", 2)], group: "21")
        let model = try model(
            [subscription("gold", id: "1"), subscription("silver", id: "2", from: 10, to: 60)], catalog: catalog)
        let never = ReferenceFeatureAnswer(answer: "never", reason: "noPurchase")
        #expect(model.feature("pro", at: .day(-1)) == never)
        #expect(model.feature("pro", at: .day(20)).by == "silver")
        #expect(model.feature("pro", at: .day(5)).by == "gold")
        #expect(model.feature("pro", at: .day(30)).by == "silver")
        let run = model.run(feature: "pro", at: .day(20), candidates: model.candidateInstants)
        #expect(run == ReferenceRun(since: .day(0), until: .day(60)))
        #expect(model.feature("pro", at: .day(60)).answer == "lapsed")
        #expect(model.feature("nothing", at: .day(20)) == never)
    }

    @Test("Purchases of a non-consumable count separately, and the latest revocation gives the reason of a lapse")
    func nonConsumables() throws {
        let own = TransactionDraft.purchase(of: "keep", at: .day(0), id: "1")
        let shared = TransactionDraft.purchase(of: "keep", at: .day(5), id: "2").owned(as: .familyShared)
        let ended = shared.revoked(at: .day(8), type: .familyRevocation)
        #expect(try model([own, shared]).answer(product: "keep", at: .day(6)).transactionID == "1")
        #expect(try model([own, ended]).answer(product: "keep", at: .day(9)).reason == "owned")
        let both = try model([own.revoked(at: .day(20)), ended])
        #expect(both.answer(product: "keep", at: .day(9)).transactionID == "1")
        #expect(both.answer(product: "keep", at: .day(20)).reason == "refunded")
        let again = try model([own.revoked(at: .day(7)), ended])
        #expect(again.answer(product: "keep", at: .day(9)).reason == "familySharingEnded")
    }

    /// Purchases of a product that lasts ten days, and the expected end of the access.
    struct Season: Sendable {
        var stacking = Product.Stacking.extend
        var days: [Int]
        var quantity: Int64 = 1
        /// The refunded purchase, and the day of the refund.
        var refund: (purchase: Int, day: Int)?
        var end: Int
        var reason = "expired"

        static let table = [
            Season(stacking: .parallel, days: [0, 5], end: 15),
            Season(stacking: .parallel, days: [0], quantity: 2, end: 20),
            Season(stacking: .parallel, days: [0, 5], quantity: 2, refund: (1, 6), end: 20, reason: "refunded"),
            Season(days: [0, 5], end: 20),
            Season(days: [0], quantity: 2, end: 20),
            Season(days: [0, 5], refund: (0, 3), end: 15),
            Season(days: [0, 5, 6], refund: (1, 7), end: 20),
            Season(days: [0, 5], refund: (1, 12), end: 12, reason: "refunded"),
        ]
    }

    @Test("Purchases of a non-renewing product run in parallel or extend each other", arguments: Season.table)
    func nonRenewing(season: Season) throws {
        let product = Product(
            id: "season", type: .nonRenewable, accessDuration: SubscriptionPeriod("P10D"), stacking: season.stacking)
        var drafts: [TransactionDraft] = []
        for (number, day) in season.days.enumerated() {
            let id = Transaction.ID(rawValue: String(number + 1))
            var draft = TransactionDraft.purchase(of: product, at: .day(day), id: id)
            draft.quantity = season.quantity
            if let refund = season.refund, refund.purchase == number { draft = draft.revoked(at: .day(refund.day)) }
            drafts.append(draft)
        }
        let model = try model(drafts, catalog: Catalog(products: [product], groups: [], features: []))
        let reasons = (0...40).map { model.answer(product: "season", at: .day($0)).reason }
        #expect(reasons.lastIndex(of: "active") == season.end - 1)
        #expect(reasons.last == season.reason)
    }

    @Test("A non-renewing product without a duration is owned")
    func nonRenewingWithoutDuration() throws {
        let draft = TransactionDraft.purchase(of: "season", type: .nonRenewable, at: .day(0))
        #expect(try model([draft]).answer(product: "season", at: .day(4000)).reason == "owned")
    }

    @Test("Consumables credit quantity times grant, and a refund of a rounded third claws back one of three")
    func consumables() throws {
        let product = Product(id: "pack", type: .consumable, grants: ["coins": 100, "gems": 1])
        let catalog = Catalog(products: [product], groups: [], features: [])
        var draft = TransactionDraft.purchase(of: product, at: .day(0))
        draft.quantity = 3
        let refund = draft.revoked(at: .day(5), percentage: 33_333)
        let model = try model(
            [refund, .purchase(of: "loose", type: .consumable, at: .day(1), id: "7")], catalog: catalog)
        #expect(model.productIDs.isEmpty)
        #expect(
            model.consumables(at: .day(0)) == [
                ReferenceBalance(id: "coins", credited: 300, clawedBack: 0, balance: 300),
                ReferenceBalance(id: "gems", credited: 3, clawedBack: 0, balance: 3),
                ReferenceBalance(id: "loose", credited: 0, clawedBack: 0, balance: 0),
            ])
        #expect(
            model.consumables(at: .day(5)) == [
                ReferenceBalance(id: "coins", credited: 300, clawedBack: 100, balance: 200),
                ReferenceBalance(id: "gems", credited: 3, clawedBack: 1, balance: 2),
                ReferenceBalance(id: "loose", credited: 1, clawedBack: 0, balance: 1),
            ])
        #expect(model.nextChange(after: .day(0), candidates: model.candidateInstants) == .day(1))
    }

    @Test("A product of unknown type gives no access")
    func unknownType() throws {
        let odd = TransactionDraft.purchase(of: "odd", type: .init(rawValue: "Timed"), at: .day(0))
        let model = try model([odd])
        #expect(model.answer(product: "odd", at: .day(-1)) == .never)
        #expect(model.answer(product: "odd", at: .day(0)).reason == "unverified")
    }

    @Test("A product that only unverified evidence names is unknown")
    func unverified() throws {
        let bought = try TransactionDraft.purchase(of: "keep", at: .day(0)).transaction()
        let model = ReferenceModel(
            transactions: [bought], renewalInfos: [], catalog: .empty, unverifiedProductIDs: ["keep", "forged"])
        #expect(model.answer(product: "keep", at: .day(-1)) == .never)
        #expect(model.answer(product: "forged", at: .day(-1)).answer == "unknown")
        #expect(model.productIDs == ["forged", "keep"])
    }

    @Test("A renewal info of another download of the app does not count")
    func foreignRenewalInfo() throws {
        var bought = subscription("gold", id: "1")
        bought.appTransactionID = "70"
        var info = RenewalInfoDraft(for: bought, signedAt: .day(30)).grace(until: .day(46))
        #expect(try model([bought], [info]).answer(product: "gold", at: .day(31)).reason == "gracePeriod")
        info.appTransactionID = "71"
        #expect(try model([bought], [info]).answer(product: "gold", at: .day(31)).reason == "expired")
        info.appTransactionID = nil
        #expect(try model([bought], [info]).answer(product: "gold", at: .day(31)).reason == "gracePeriod")
    }
}
