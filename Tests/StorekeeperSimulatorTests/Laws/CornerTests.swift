import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests of rare cases that generated stories have found, each with as few steps as possible.
struct CornerTests {
    private let plain = PurchaseRequest(introductoryEligibility: false)
    private let basic = TransactionReference.latest("basic.monthly", of: "anna")
    private let pro = TransactionReference.latest("pro.monthly", of: "anna")

    /// Returns the faults of a store's world, and the differences between the engine's answers and the simulator's
    /// state.
    private func findings(in store: SimulatedAppStore, _ reader: inout InvariantReader) throws -> [String] {
        try store.read { reader.findings(in: $0) + (try $0.findingsOfEngine()) }
    }

    @Test("A purchase in the past that would renew too often is refused")
    func endlessPast() throws {
        let store = try SampleStore.make("anna")
        try store.perform(.setSetting(.pace(.xcode(.oneRenewalEveryMinute))))
        let before = store.happeningCount
        var request = plain
        request.purchaseDate = store.now.adding(days: -30)
        let error = #expect(throws: SimulatorError.self) {
            try store.perform(.buy("pro.monthly", by: "anna", options: request))
        }
        #expect(error?.code == .tooManyEvents)
        #expect(store.happeningCount == before)
        request.purchaseDate = store.now.adding(milliseconds: -3_600_000)
        try store.perform(.buy("pro.monthly", by: "anna", options: request))
        #expect(store.story(of: "anna").count { $0 == "renewed" } == 60)
    }

    @Test("Sharing a product that is not shareable is refused before an account for the customer is created")
    func refusedSharing() throws {
        let store = try SampleStore.make("anna", "bert")
        #expect(throws: SimulatorError.self) {
            try store.perform(.shareProduct(false, product: "season.pass", by: "anna"))
        }
        try store.perform(.buy("coins.100", by: "bert", options: plain))
        #expect(store.read { $0.downloads.count } == 1)
    }

    @Test("An upgrade after an early charge waits for the next period, which is already paid")
    func upgradeAfterEarlyCharge() throws {
        var settings = AppSettings()
        settings.chargesEarly = true
        let store = try SampleStore.make("anna", settings: settings)
        try store.perform(.buy("basic.monthly", by: "anna", options: plain))
        // The period ends on 28 February at noon.
        try store.advance(to: SampleStore.day("2026-02-28T00:00:00Z"))
        try store.perform(.buy("pro.monthly", by: "anna", options: plain))
        for days in [0, 1, 31] {
            try store.advance(byDays: days)
            #expect(store.read { $0.chainFindings() } == [])
            #expect(try store.read { try $0.findingsOfEngine() } == [])
        }
        #expect(store.happenings().last?.productID == "pro.monthly")
    }

    @Test("After an early charge the next period can be neither ended nor refunded before it begins")
    func noRefundAfterEarlyCharge() throws {
        var settings = AppSettings()
        settings.chargesEarly = true
        let store = try SampleStore.make("anna", settings: settings)
        try store.perform(.buy("basic.monthly", by: "anna", options: plain))
        try store.advance(to: SampleStore.day("2026-02-28T00:00:00Z"))
        let refused: [SimulatorCommand] = [
            .refund(basic, percentage: nil, reason: .other), .revokeAssignment(basic),
            .expire("basic.monthly", by: "anna"), .forceRenewal(of: "basic.monthly", by: "anna"),
        ]
        for command in refused { #expect(throws: SimulatorError.self) { try store.perform(command) } }
        // The current period can be refunded.
        try store.perform(.refund("2000000000000001", percentage: nil, reason: .other))
        #expect(try store.read { try $0.findingsOfEngine() } == [])
        try store.advance(byDays: 1)
        try store.perform(.refund(basic, percentage: nil, reason: .other))
        #expect(try store.read { try $0.findingsOfEngine() } == [])
    }

    @Test("A customer whose payments fail gets no upgrade")
    func upgradeWithoutMoney() throws {
        let store = try SampleStore.make("anna")
        try store.perform(.buy("basic.monthly", by: "anna", options: plain))
        try store.perform(.setPaymentsFail(true, of: "anna"))
        let outcome = try store.perform(.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil))
        guard case .failed = outcome else {
            Issue.record("the upgrade was not refused: \(outcome.map { "\($0)" } ?? "nothing")")
            return
        }
        // A change of plan that charges nothing now is allowed.
        #expect(
            try store.perform(.changePlan(to: "basic.weekly", by: "anna", billingPlan: nil))
                == .alreadyOwned("2000000000000001"))
    }

    @Test("A purchase at the exact end of a cancelled period starts a new billing anchor")
    func resubscriptionAtTheEnd() throws {
        let store = try SampleStore.make("anna")
        try store.perform(.buy("pro.monthly", by: "anna", options: plain))
        try store.perform(.setAutoRenew(false, of: pro))
        try store.advance(to: SampleStore.day("2026-02-28T12:00:00Z"))
        try store.perform(.buy("pro.monthly", by: "anna", options: plain))
        #expect(store.happenings().last?.expiresAt == SampleStore.day("2026-03-28T12:00:00Z"))
    }

    @Test("Family copies follow the purchaser's renewal settings, also after a downgrade was chosen")
    func copiesFollowChoices() throws {
        let store = try SampleStore.make("anna", "bert")
        try store.perform(.createFamily(organizer: "anna"))
        try store.perform(.joinFamily("bert", of: "anna"))
        try store.perform(.buy("pro.monthly", by: "anna", options: plain))
        try store.perform(.setAutoRenew(false, of: pro))
        try store.perform(.changePlan(to: "basic.monthly", by: "anna", billingPlan: nil))
        var reader = InvariantReader()
        #expect(store.read { reader.findings(in: $0) } == [])
        try store.perform(.changePlan(to: "pro.monthly", by: "anna", billingPlan: nil))
        #expect(store.read { reader.findings(in: $0) } == [])
        try store.perform(.setAutoRenew(false, of: pro))
        try store.perform(.applyOffer(OfferReference(.promotional, id: "loyal"), of: pro))
        #expect(store.read { reader.findings(in: $0) } == [])
    }

    @Test("After the newest transaction is deleted, the previous one determines the status, expired or not")
    func stepBack() throws {
        for days in [10, 40] {
            let store = try SampleStore.make("anna")
            try store.perform(.buy("basic.monthly", by: "anna", options: plain))
            try store.advance(byDays: 5)
            try store.perform(.buy("pro.monthly", by: "anna", options: plain))
            try store.advance(byDays: days)
            while let _ = try? store.perform(.deleteTransaction(pro)) {}
            var reader = InvariantReader()
            #expect(try findings(in: store, &reader) == [])
        }
    }

    @Test("A family copy whose newest period was deleted does not fall back to the purchaser's older periods")
    func copyStepsBack() throws {
        let store = try SampleStore.make("anna", "bert")
        try store.perform(.createFamily(organizer: "anna"))
        try store.perform(.joinFamily("bert", of: "anna"))
        try store.perform(.buy("basic.monthly", by: "anna", options: plain))
        try store.perform(.buy("pro.yearly", by: "anna", options: plain))
        try store.perform(.deleteTransaction(.latest("pro.yearly", of: "bert")))
        var reader = InvariantReader()
        #expect(try findings(in: store, &reader) == [])
        // Reversing a refund of the purchaser's period does not restore the copy either.
        try store.perform(.refund(.latest("pro.yearly", of: "anna"), percentage: nil, reason: .developerIssue))
        try store.perform(.reverseRefund(.latest("pro.yearly", of: "anna")))
        #expect(try findings(in: store, &reader) == [])
        try store.advance(byDays: 400)
        #expect(try findings(in: store, &reader) == [])
    }

    @Test("A member who joins a family after an early charge gets the current period, too")
    func joinsAfterAnEarlyCharge() throws {
        let store = try SampleStore.make("anna", "cleo")
        try store.perform(.createFamily(organizer: "anna"))
        try store.perform(.setSetting(.chargesEarly(true)))
        try store.perform(.buy("basic.monthly", by: "anna", options: plain))
        let end = try #require(store.happenings().last?.expiresAt)
        try store.advance(to: end.adding(milliseconds: -1000))
        try store.perform(.joinFamily("cleo", of: "anna"))
        var reader = InvariantReader()
        #expect(try findings(in: store, &reader) == [])
        try store.advance(byDays: 40)
        #expect(try findings(in: store, &reader) == [])
    }

    @Test(
        "A subscription that is expired at the start of its grace period gives no access from the next millisecond on")
    func expiredAtTheBeginningOfGrace() throws {
        let store = try SampleStore.make("anna")
        try store.perform(.setSetting(.billingGracePeriod(.days16)))
        try store.perform(.buy("pro.yearly", by: "anna", options: plain))
        try store.perform(.setPaymentsFail(true, of: "anna"))
        let end = try #require(store.happenings().last?.expiresAt)
        try store.advance(to: end)
        try store.perform(.expire("pro.yearly", by: "anna"))
        #expect(try store.read { try $0.findingsOfEngine() } == [])
        try store.advance(to: end.adding(milliseconds: 1))
        #expect(try store.read { try $0.findingsOfEngine() } == [])
    }

    @Test("Revoking an assignment ends the family's access, too")
    func assignmentWithFamily() throws {
        let store = try SampleStore.make("anna", "bert")
        try store.perform(.createFamily(organizer: "anna"))
        try store.perform(.joinFamily("bert", of: "anna"))
        try store.perform(.buy("pro.monthly", by: "anna", options: plain))
        try store.advance(byDays: 1)
        try store.perform(.revokeAssignment(pro))
        #expect(store.story(of: "bert").last == "familyAccessEnded")
    }

    @Test("Clearing a purchaser's transactions removes all copies of the family")
    func clearedPurchaser() throws {
        let store = try SampleStore.make("anna", "bert")
        try store.perform(.createFamily(organizer: "anna"))
        try store.perform(.joinFamily("bert", of: "anna"))
        for product: Product.ID in ["pro.monthly", "remove.ads"] {
            try store.perform(.buy(product, by: "anna", options: plain))
        }
        try store.perform(.clearTransactions(of: "anna"))
        #expect(try store.evidence(of: "bert").isEmpty)
        // A member whose copies were cleared gets a new copy with the next period.
        try store.perform(.buy("pro.monthly", by: "anna", options: plain))
        try store.perform(.clearTransactions(of: "bert"))
        try store.advance(byDays: 30)
        #expect(try store.evidence(of: "bert").count == 2)
        var reader = InvariantReader()
        #expect(store.read { reader.findings(in: $0) } == [])
    }
}
