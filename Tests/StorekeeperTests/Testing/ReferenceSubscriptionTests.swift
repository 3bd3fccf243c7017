import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The reference model on subscriptions")
struct ReferenceSubscriptionTests {
    private let first = TransactionDraft.purchase(
        of: "gold", type: .autoRenewable, at: .day(0), expires: .day(30), group: "1")

    private func model(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], policy: ReferencePolicy = .init()
    ) throws -> ReferenceModel {
        try ReferenceModel(
            GeneratedEvidence(catalog: .empty, transactions: transactions, renewalInfos: infos), policy: policy)
    }

    /// Returns the answers at some instants, as `answer/reason/state`.
    private func story(_ model: ReferenceModel, of product: Product.ID = "gold", _ instants: [Instant]) -> [String] {
        instants.map { instant in
            let answer = model.answer(product: product, at: instant)
            let state = model.statuses(at: instant).first?.state ?? "-"
            return "\(answer.answer)/\(answer.reason)/\(state)"
        }
    }

    private func before(_ instant: Instant) -> Instant { instant.adding(milliseconds: -1) }

    @Test("A period gives access from its first to its last millisecond")
    func period() throws {
        let model = try model([first])
        let story = story(model, [before(.day(0)), .day(0), before(.day(30)), .day(30)])
        #expect(
            story == [
                "never/noPurchase/-", "entitled/active/subscribed", "entitled/active/subscribed",
                "lapsed/expired/expired",
            ])
        #expect(model.statuses(at: .day(30)).first?.expirationReason == "unknown")
    }

    @Test("Renewals without a gap are one run")
    func run() throws {
        let second = TransactionDraft.renewal(of: first)
        let third = TransactionDraft.change(of: second, at: .day(70), expires: .day(100))
        let model = try model([first, second, third])
        let candidates = model.candidateInstants
        #expect(
            model.run(product: "gold", at: .day(45), candidates: candidates) == .init(since: .day(0), until: .day(60)))
        #expect(
            model.run(product: "gold", at: .day(65), candidates: candidates) == .init(since: .day(60), until: .day(70)))
        #expect(
            model.run(product: "gold", at: .day(-9), candidates: candidates) == .init(since: nil, until: .day(0)))
        #expect(model.run(product: "gold", at: .day(200), candidates: candidates).until == nil)
        #expect(model.nextChange(after: .day(45), candidates: candidates) == .day(60))
        #expect(model.answer(product: "gold", at: .day(45)).transactionID == "1001")
    }

    @Test("Grace lasts to its end, then billing retry until the sixtieth day")
    func grace() throws {
        let info = RenewalInfoDraft(for: first, signedAt: .day(30)).grace(until: .day(46))
        let instants = [Instant.day(30), before(.day(46)), .day(46), before(.day(90)), .day(90)]
        #expect(
            story(try model([first], [info]), instants) == [
                "entitled/gracePeriod/inGracePeriod", "entitled/gracePeriod/inGracePeriod",
                "lapsed/billingRetry/inBillingRetryPeriod", "lapsed/billingRetry/inBillingRetryPeriod",
                "lapsed/expired/expired",
            ])
        var policy = ReferencePolicy()
        policy.graceEntitles = false
        policy.billingRetryEntitles = true
        #expect(
            story(try model([first], [info], policy: policy), [.day(30), .day(46)]) == [
                "lapsed/billingRetry/inGracePeriod", "entitled/gracePeriod/inBillingRetryPeriod",
            ])
        let status = try #require(try model([first], [info]).statuses(at: .day(30)).first)
        #expect(status.gracePeriodExpires == .day(46) && status.inBillingRetry == true && status.willAutoRenew == true)
        #expect(status.expirationReason == "billingError" && status.entitled)
    }

    @Test("Billing retry of the monthly plan lasts ninety days")
    func monthlyPlan() throws {
        var monthly = first
        monthly.billingPlanType = .monthly
        let info = RenewalInfoDraft(for: monthly, signedAt: .day(30)).billingRetry()
        #expect(
            story(try model([monthly], [info]), [before(.day(120)), .day(120)])
                == ["lapsed/billingRetry/inBillingRetryPeriod", "lapsed/expired/expired"])
    }

    @Test("Only an info without billing retry and with auto-renewal off abandons grace")
    func givenUp() throws {
        let grace = RenewalInfoDraft(for: first, signedAt: .day(33)).grace(until: .day(46), retry: false)
        #expect(story(try model([first], [grace]), [.day(40)]) == ["entitled/gracePeriod/inGracePeriod"])
        var silent = grace.cancelled()
        silent.isInBillingRetry = nil
        #expect(story(try model([first], [silent]), [.day(40)]) == ["entitled/gracePeriod/inGracePeriod"])
        // The first info of the failed renewal holds from the expiry, so an earlier one must promise the grace period.
        let promise = RenewalInfoDraft(for: first, signedAt: .day(30)).grace(until: .day(46))
        let model = try model([first], [promise, grace.cancelled(reason: .autoRenewDisabled)])
        #expect(
            story(model, [before(.day(33)), .day(33)])
                == ["entitled/gracePeriod/inGracePeriod", "lapsed/expired/expired"])
        let status = try #require(model.statuses(at: .day(33)).first)
        #expect(status.gracePeriodExpires == .day(33) && status.expirationReason == "autoRenewDisabled")
    }

    @Test("A renewal info applies only to the last transaction, and not if it was signed before it")
    func speaking() throws {
        let second = TransactionDraft.change(of: first, at: .day(40), expires: .day(70))
        let info = RenewalInfoDraft(for: second, signedAt: .day(70)).grace(until: .day(86))
        let model = try model([first, second], [info])
        #expect(
            story(model, [.day(30), .day(70)]) == ["lapsed/expired/expired", "entitled/gracePeriod/inGracePeriod"])
        #expect(model.statuses(at: .day(30)).first?.willAutoRenew == nil)
        var stale = info
        stale.signedAt = before(.day(40))
        #expect(story(try self.model([first, second], [stale]), [.day(70)]) == ["lapsed/expired/expired"])
    }

    @Test("An upgrade without a known successor keeps access until the expiry")
    func upgradedAlone() throws {
        let upgraded = first.upgraded(signedAt: .day(10))
        let info = RenewalInfoDraft(for: first, signedAt: .day(30)).grace(until: .day(46))
        #expect(
            story(try model([first, upgraded], [info]), [before(.day(30)), .day(30)])
                == ["entitled/active/subscribed", "lapsed/upgraded/expired"])
    }

    @Test("A successor upgrades if it starts before the expiry, not at or after it", arguments: [29, 30, 45])
    func successor(day: Int) throws {
        let next = TransactionDraft.change(of: first, to: "gems", at: .day(day), expires: .day(90))
        let model = try model([first, next])
        #expect(model.answer(product: "gold", at: .day(60)).reason == (day < 30 ? "upgraded" : "expired"))
        #expect(model.answer(product: "gold", at: .day(60)).transactionID == "1000")
        #expect(model.answer(product: "gems", at: .day(60)).reason == "active")
        #expect(story(model, [before(.day(29))]) == ["entitled/active/subscribed"])
    }

    @Test("A refund removes access from its date on, and its reversal restores it")
    func refund() throws {
        let refunded = first.revoked(at: .day(10))
        #expect(
            story(try model([refunded, first]), [before(.day(10)), .day(10)])
                == ["entitled/active/subscribed", "lapsed/refunded/revoked"])
        let reversed = refunded.reversed(signedAt: .day(12))
        #expect(story(try model([reversed, refunded, first]), [.day(10)]) == ["entitled/active/subscribed"])
        let upgraded = refunded.upgraded(signedAt: .day(11))
        #expect(story(try model([upgraded]), [.day(20)]) == ["lapsed/refunded/revoked"])
    }

    @Test("A renewal that was refunded before it begins does not count yet")
    func refundOfFuturePeriod() throws {
        let next = TransactionDraft.renewal(of: first).revoked(at: .day(29), signedAt: .day(29))
        #expect(
            story(try model([first, next]), [.day(29), .day(30)])
                == ["entitled/active/subscribed", "lapsed/refunded/revoked"])
    }

    @Test(
        "Type and ownership determine the reason of a revocation",
        arguments: [
            (OwnershipType.purchased, RevocationType.fullRefund as RevocationType?, "refunded"),
            (.purchased, nil, "refunded"),
            (.familyShared, .fullRefund, "familySharingEnded"),
            (.purchased, .familyRevocation, "familySharingEnded"),
            (.assigned, .assignmentRevocation, "assignmentEnded"),
            (.assigned, nil, "refunded"),
        ])
    func reasons(ownership: OwnershipType, type: RevocationType?, reason: String) throws {
        let model = try model([first.owned(as: ownership).revoked(at: .day(3), type: type)])
        #expect(model.answer(product: "gold", at: .day(3)).reason == reason)
    }

    @Test("A renewal without earlier periods is active from its signature on")
    func loneRenewal() throws {
        var lone = TransactionDraft.renewal(of: first).signed(at: .day(29))
        #expect(
            story(try model([lone]), [before(.day(29)), .day(29)])
                == ["never/noPurchase/-", "entitled/active/subscribed"])
        lone.revokedAt = .day(29)
        #expect(story(try model([lone]), [.day(29)]) == ["lapsed/refunded/revoked"])
        lone.revokedAt = nil
        lone.reason = .purchase
        #expect(
            story(try model([lone]), [.day(29), .day(30)]) == ["never/noPurchase/-", "entitled/active/subscribed"])
    }

    @Test("Leeway requires an expected renewal without known problems")
    func leeway() throws {
        var policy = ReferencePolicy()
        policy.renewalLeeway = 60_000
        let info = RenewalInfoDraft(for: first)
        let end = Instant.day(30).adding(milliseconds: 60_000)
        #expect(
            story(try model([first], [info], policy: policy), [.day(30), before(end), end]) == [
                "entitled/renewalLeeway/expired", "entitled/renewalLeeway/expired", "lapsed/expired/expired",
            ])
        #expect(story(try model([first], policy: policy), [.day(30)]) == ["lapsed/expired/expired"])
        var late = info
        late.signedAt = .day(29)
        for bad in [info.cancelled(), late.billingRetry(), late.cancelled(reason: .productUnavailable)] {
            #expect(story(try model([first], [bad], policy: policy), [.day(30)]).first?.hasPrefix("lapsed") == true)
        }
    }

    @Test("An unknown ownership gives a status without access")
    func unknownOwnership() throws {
        let guest = first.owned(as: OwnershipType(rawValue: "GUEST"))
        let model = try model([guest])
        #expect(story(model, [.day(-1), .day(3)]) == ["never/noPurchase/-", "unknown/unverified/subscribed"])
        let status = try #require(model.statuses(at: .day(3)).first)
        #expect(!status.entitled && status.ownership == "GUEST")
        var own = first
        own.id = "5"
        own.originalID = "5"
        #expect(
            story(try self.model([guest, own.revoked(at: .day(1))]), [.day(3)]).first?.hasPrefix("unknown") == true)
    }

    @Test("Evidence of a refused environment is ignored")
    func environments() throws {
        let model = try model([first.made(in: .sandbox)])
        #expect(story(model, [.day(3)]) == ["never/noPurchase/-"])
        #expect(model.productIDs == ["gold"])
    }
}
