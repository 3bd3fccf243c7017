import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of what is due next for a product, a feature, a group and a status.
@Suite("What comes next") struct UpcomingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var transactions: [TransactionDraft]
        var infos: [RenewalInfoDraft] = []
        var at: Instant = .day(3)
        var product: Product.ID = "gold.monthly"
        let words: String?
        /// The answer if the event happens, and the answer if a renewal does not arrive.
        var answers: String?
    }

    static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    static let end = Instant.month(1)

    static func info(_ change: (inout RenewalInfoDraft) -> Void = { _ in }) -> RenewalInfoDraft {
        var info = RenewalInfoDraft(for: gold, signedAt: .day(1))
        info.renewalPrice = 9_990
        info.currency = "USD"
        change(&info)
        return info
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a healthy subscription renews", transactions: [gold], infos: [info()],
            words: "renews at \(end) for 9.99 USD", answers: "entitled (active), otherwise lapsed (expired)"),
        Case(
            testDescription: "without a price", transactions: [gold],
            infos: [info { ($0.renewalPrice, $0.currency) = (nil, nil) }], words: "renews at \(end)"),
        Case(
            testDescription: "with an offer", transactions: [gold],
            infos: [
                info {
                    ($0.renewalPrice, $0.offerType, $0.offerID) = (4_990, .promotional, "loyal")
                    $0.offerPaymentMode = .payAsYouGo
                }
            ], words: "renews at \(end) for 4.99 USD, with the promotional offer loyal (pay as you go)"),
        Case(
            testDescription: "a change of plan", transactions: [gold],
            infos: [info { ($0.autoRenewProductID, $0.renewalPrice) = ("silver.monthly", 4_990) }],
            words: "changes to silver.monthly at \(end) for 4.99 USD", answers: "lapsed (expired)"),
        Case(
            testDescription: "the product of the next period", transactions: [gold],
            infos: [info { ($0.autoRenewProductID, $0.renewalPrice) = ("silver.monthly", 4_990) }],
            product: "silver.monthly",
            words: "begins at \(end), when gold.monthly changes to it for 4.99 USD",
            answers: "entitled (active), otherwise never (noPurchase)"),
        Case(
            testDescription: "auto-renewal is off", transactions: [gold], infos: [info { $0.autoRenewStatus = .off }],
            words: "ends at \(end): auto-renewal is off", answers: "lapsed (expired)"),
        Case(
            testDescription: "consent is pending", transactions: [with(gold) { $0.price = 9_990 }],
            infos: [info { ($0.priceIncreaseStatus, $0.renewalPrice) = (.pending, 12_990) }],
            words:
                "the customer is asked to agree to a higher price of 12.99 USD: ends at \(end) without consent",
            answers: "lapsed (expired)"),
        Case(
            testDescription: "consent is pending, and the info states the present price",
            transactions: [with(gold) { $0.price = 9_990 }], infos: [info { $0.priceIncreaseStatus = .pending }],
            words: "the customer is asked to agree to a higher price: ends at \(end) without consent",
            answers: "lapsed (expired)"),
        Case(
            testDescription: "consent is pending for the next commitment", transactions: [gold],
            infos: [
                info {
                    $0.priceIncreaseStatus = .pending
                    $0.otherMembers["commitmentInfo"] = .object([
                        "commitmentRenewalDate": .integer(Instant.day(365).millisecondsSince1970)
                    ])
                }
            ], words: "renews at \(end) for 9.99 USD"),
        Case(
            testDescription: "consent is given", transactions: [gold],
            infos: [info { ($0.priceIncreaseStatus, $0.renewalPrice) = (.agreed, 12_990) }],
            words: "renews at \(end) for 12.99 USD"),
        Case(
            testDescription: "without a renewal info", transactions: [gold],
            words: "the period ends at \(end), and no evidence says whether it renews", answers: "lapsed (expired)"),
        Case(
            testDescription: "a renewal that is known", transactions: [gold, .renewal(of: gold)],
            infos: [info { $0.autoRenewStatus = .off }],
            words: "renews at \(end)", answers: "entitled (active)"),
        Case(
            testDescription: "an upgrade that is known",
            transactions: [
                TransactionDraft.purchase(of: TestShop.silver, at: .day(0)),
                .change(of: gold, to: "gold.monthly", at: .day(9), expires: .day(40)),
            ], product: "silver.monthly", words: "changes to gold.monthly at \(Instant.day(9))",
            answers: "lapsed (upgraded)"),
        Case(
            testDescription: "a grace period", transactions: [gold],
            infos: [RenewalInfoDraft(for: gold, signedAt: end).grace(until: .day(47))], at: .day(40),
            words: "the grace period ends at \(Instant.day(47)), unless the payment succeeds",
            answers: "lapsed (billingRetry)"),
        Case(
            testDescription: "before a failed payment that is known", transactions: [gold],
            infos: [RenewalInfoDraft(for: gold, signedAt: end).grace(until: .day(47))],
            words: "the payment fails at \(end), and a grace period begins", answers: "entitled (gracePeriod)"),
        Case(
            testDescription: "billing retry", transactions: [gold],
            infos: [RenewalInfoDraft(for: gold, signedAt: end).billingRetry()], at: .day(40),
            words: "the payment is tried again until \(end.adding(days: 60)); access returns when it succeeds",
            answers: "lapsed (expired)"),
        Case(
            testDescription: "an end that is known", transactions: [gold],
            infos: [RenewalInfoDraft(for: gold, signedAt: .day(40)).cancelled()],
            words: "ends at \(end): auto-renewal is off", answers: "lapsed (expired)"),
        Case(
            testDescription: "a refund that is known", transactions: [gold.revoked(at: .day(9))],
            words: "is refunded or revoked at \(Instant.day(9))", answers: "lapsed (refunded)"),
        Case(
            testDescription: "after the end nothing is due", transactions: [gold],
            infos: [RenewalInfoDraft(for: gold, signedAt: .day(40)).cancelled()], at: .day(50), words: nil),
        Case(
            testDescription: "an owned product has no end",
            transactions: [.purchase(of: TestShop.removeAds, at: .day(0))], product: "remove.ads", words: nil),
        Case(
            testDescription: "a copy that the family shares renews, too",
            transactions: [gold.owned(as: .familyShared)],
            infos: [info { ($0.renewalPrice, $0.currency) = (nil, nil) }],
            words: "renews at \(end)"),
    ]

    @Test("One function says what is due", arguments: cases)
    func product(_ example: Case) throws {
        let resolution = try TestShop.resolution(example.transactions, example.infos)
        let upcoming = resolution.upcoming(for: example.product, at: example.at)
        #expect(upcoming?.words == example.words)
        if let answers = example.answers {
            let answer = upcoming?.answer.map { "\($0)" } ?? ""
            #expect(answer + (upcoming?.otherwise.map { ", otherwise \($0)" } ?? "") == answers)
        }
        let explanation = EntitlementResolver(catalog: TestShop.catalog).explain(
            example.product, in: try TestShop.history(example.transactions, example.infos), at: example.at)
        #expect(explanation.upcoming == upcoming)
    }

    @Test("A feature keeps its access if the next product gives it, too")
    func feature() throws {
        let changing = Self.info { $0.autoRenewProductID = "silver.monthly" }
        let resolution = try TestShop.resolution([Self.gold], [changing])
        let kept = try #require(resolution.upcoming(forFeature: "ad-free", at: .day(3)))
        #expect(kept.event == .planChange && kept.answer?.isEntitled == true)
        let lost = try #require(resolution.upcoming(forFeature: "pro", at: .day(3)))
        #expect(lost.event == .planChange && lost.answer?.reason == .expired)
    }

    @Test("The end of one purchase is not announced while another purchase or a grant gives access")
    func coveredEnd() throws {
        let yearly = with(TransactionDraft.purchase(of: TestShop.goldYearly, at: .day(0), id: "2000")) {
            ($0.ownership, $0.expiresAt) = (.familyShared, .day(365))
        }
        let ending = Self.info { $0.autoRenewStatus = .off }
        let resolution = try TestShop.resolution([Self.gold, yearly], [ending])
        #expect(resolution.upcoming(for: "gold.monthly", at: .day(3))?.at == Self.end)
        #expect(resolution.upcoming(forFeature: "pro", at: .day(3))?.at != Self.end)
        let group = try #require(resolution.group("membership")?.group)
        #expect(resolution.upcoming(for: group, at: .day(3))?.at != Self.end)
    }

    @Test("The JSON names the event, the price, and both answers")
    func json() throws {
        let explanation = EntitlementResolver(catalog: TestShop.catalog).explain(
            "gold.monthly", in: try TestShop.history([Self.gold], [Self.info()]), at: .day(3))
        let text = explanation.json.text()
        #expect(
            text.contains(
                #""next":{"answer":"entitled","at":"\#(Self.end)","currency":"USD","event":"renewal","otherwise":"#
                    + #"{"answer":"lapsed","reason":"expired"},"price":"9.99","productID":"gold.monthly","#
                    + #""reason":"active","text":"renews at \#(Self.end) for 9.99 USD"}"#), "\(text)")
    }

    @Test("A status has the answer to a price increase, the price and the currency of its renewal info")
    func statuses() throws {
        let asked = Self.info { ($0.priceIncreaseStatus, $0.renewalPrice) = (.pending, 12_500) }
        let status = try #require(
            try TestShop.resolution([Self.gold], [asked]).group("membership")?.highest(at: .day(3)))
        let text = status.json(at: .day(3)).text()
        #expect(text.contains(#""priceIncrease":"pending""#) && text.contains(#""renewalPrice":"12.5""#))
        #expect(text.contains(#""currency":"USD""#))
        let agreed = Self.info { $0.priceIncreaseStatus = .agreed }
        let other = try TestShop.resolution([Self.gold], [agreed]).group("membership")?.highest(at: .day(3))
        #expect(other?.json(at: .day(3)).text().contains(#""priceIncrease":"agreed""#) == true)
        let plain = try TestShop.resolution([Self.gold], []).group("membership")?.highest(at: .day(3))
        #expect(plain?.json(at: .day(3)).text().contains("priceIncrease") == false)
    }

    @Test("A row that a transaction with an offer decides has the offer")
    func offers() throws {
        func row(_ change: (inout TransactionDraft) -> Void) throws -> String {
            let resolution = try TestShop.resolution([with(Self.gold, change)])
            return CustomerAnswers(
                resolution, at: .day(3), isVerified: true, nextChange: nil, balances: [],
                product: { CustomerAnswers.Answer($0, at: .day(3)) },
                feature: { CustomerAnswers.Answer($0, at: .day(3)) }
            ).description
        }
        let trial = try row {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        #expect(trial.contains(#""offer":{"kind":"introductory","paymentMode":"freeTrial"}"#))
        let loyal = try row {
            ($0.offerType, $0.offerID, $0.offerPaymentMode) = (.promotional, "loyal", .payUpFront)
        }
        #expect(loyal.contains(#""offer":{"id":"loyal","kind":"promotional","paymentMode":"payUpFront"}"#))
        let retention = try row { $0.offerType = OfferType(rawValue: 5) }
        #expect(retention.contains(#""offer":{"kind":"retention"}"#))
        let unknown = try row {
            ($0.offerType, $0.offerPaymentMode) = (OfferType(rawValue: 9), OfferDiscountType(rawValue: "X"))
        }
        #expect(unknown.contains(#""offer":{"kind":"9","paymentMode":"X"}"#))
        let plain = try row { _ in }
        #expect(!plain.contains("offer"))
    }
}
