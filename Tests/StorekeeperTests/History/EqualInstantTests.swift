import Storekeeper
import StorekeeperTesting
import Testing

/// Tests with two purchases of a chain at one instant, which occur with a virtual clock.
@Suite("Two transactions at one instant") struct EqualInstantTests {
    private static let silver = item(TransactionDraft.purchase(of: TestShop.silver, at: .day(0)))
    private static let gold = item(
        TransactionDraft.change(of: silver, to: "gold.monthly", at: .day(0), expires: .month(1)))

    /// Returns the draft with a billing event of its own.
    private static func item(_ draft: TransactionDraft) -> TransactionDraft {
        with(draft) { $0.webOrderLineItemID = "w" + $0.id.rawValue }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let drafts: [TransactionDraft]
        /// The answers about silver and gold on the third day.
        let expected: [String]
    }

    static let cases: [Case] = [
        Case(
            testDescription: "not upgraded, although the other lasts longer and was signed later",
            drafts: [
                with(silver.upgraded(signedAt: .day(9))) { $0.expiresAt = .month(12) }, gold,
            ], expected: ["lapsed upgraded 1000", "entitled active 1001"]),
        Case(
            testDescription: "not upgraded, although it is revoked and the other is not",
            drafts: [silver.upgraded(signedAt: .day(9)), gold.revoked(at: .day(0), signedAt: .day(1))],
            expected: ["lapsed upgraded 1000", "lapsed refunded 1001"]),
        Case(
            testDescription: "not revoked, although the other lasts longer and was signed later",
            drafts: [
                with(silver.revoked(at: .day(0), signedAt: .day(9))) { $0.expiresAt = .month(12) }, gold,
            ], expected: ["lapsed refunded 1000", "entitled active 1001"]),
        Case(
            testDescription: "lasts longer, although it was signed earlier",
            drafts: [with(silver) { $0.expiresAt = .month(2) }, gold.signed(at: .day(9))],
            expected: ["entitled active 1000", "lapsed upgraded 1001"]),
        Case(
            testDescription: "signed later, although its id is smaller",
            drafts: [silver.signed(at: .day(1)), gold], expected: ["entitled active 1000", "lapsed upgraded 1001"]),
        Case(
            testDescription: "greater id", drafts: [with(silver) { $0.id = "999" }, gold],
            expected: ["lapsed upgraded 999", "entitled active 1001"]),
    ]

    @Test("The current transaction is chosen by these rules, in this order", arguments: cases)
    func order(_ tie: Case) throws {
        for drafts in [tie.drafts, tie.drafts.reversed()] {
            let resolution = try TestShop.resolution(drafts)
            #expect(
                [TestShop.silver, TestShop.gold].map { resolution.text($0.id, at: .day(2)) } == tie.expected)
            let model = try ReferenceModel(
                GeneratedEvidence(catalog: TestShop.catalog, transactions: drafts, renewalInfos: []))
            let answers = ["silver.monthly", "gold.monthly"].map { model.answer(product: $0, at: .day(2)) }
            #expect(answers.map { "\($0.answer) \($0.reason) \($0.transactionID ?? "-")" } == tie.expected)
        }
    }

    @Test("A purchase that is refunded and bought again at one instant gives access until the second refund")
    func boughtAgain() throws {
        let first = Self.item(TransactionDraft.purchase(of: TestShop.gold, at: .day(0)))
            .revoked(at: .day(0), signedAt: .day(2))
        let again = Self.item(.change(of: first, at: .day(0), expires: .month(1)))
        let id = TestShop.gold.id
        #expect(try TestShop.resolution([again, first]).text(id, at: .day(3)) == "entitled active 1001")
        #expect(try TestShop.resolution([again, first]).highestText("membership", at: .day(3)).hasSuffix("entitled"))
        let refunded = again.revoked(at: .day(4))
        #expect(try TestShop.resolution([refunded, first]).text(id, at: .day(4)) == "lapsed refunded 1001")
    }

    // MARK: Records of one period

    /// A period, and the second transaction of the same period that remains after the purchase was restored.
    private static let bought = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let restored = with(bought.signed(at: .day(3))) { $0.id = "1500" }

    private func texts(_ drafts: [TransactionDraft], at instant: Instant = .day(9)) throws -> Set<String> {
        var texts: Set<String> = []
        for drafts in [drafts, drafts.reversed()] {
            texts.insert(try TestShop.resolution(drafts).text("gold.monthly", at: instant))
            let model = try ReferenceModel(
                GeneratedEvidence(catalog: TestShop.catalog, transactions: drafts, renewalInfos: []))
            let answer = model.answer(product: "gold.monthly", at: instant)
            texts.insert("\(answer.answer) \(answer.reason) \(answer.transactionID ?? "-")")
        }
        return texts
    }

    @Test("Records of one period count like copies of one: the last-signed refund beats the restored record")
    func refundOfOneRecord() throws {
        #expect(try texts([Self.bought.revoked(at: .day(4)), Self.restored]) == ["lapsed refunded 1000"])
        #expect(try texts([Self.bought, Self.restored.revoked(at: .day(4))]) == ["lapsed refunded 1500"])
        #expect(
            try texts([Self.bought.revoked(at: .day(4)), Self.restored.signed(at: .day(5))]) == [
                "entitled active 1500"
            ],
            "a record that was signed after the refund means that the refund was reversed")
    }

    @Test(
        "Records have the same period if their billing events are equal, or without one, their product and dates",
        arguments: [
            ("w1", "w1", true), ("w1", "w2", false), ("w1", nil, true), (nil, "w1", true), (nil, nil, true),
            ("", "w1", true),
        ] as [(String?, String?, Bool)])
    func identity(left: String?, right: String?, areOne: Bool) throws {
        let refund = with(Self.bought.revoked(at: .day(4))) { $0.webOrderLineItemID = left }
        let other = with(Self.restored) { $0.webOrderLineItemID = right }
        #expect(try texts([refund, other]) == [areOne ? "lapsed refunded 1000" : "entitled active 1500"])
    }

    @Test("Without a billing event, records with different products, starts or ends have different periods")
    func otherPeriods() throws {
        let refund = Self.bought.revoked(at: .day(4))
        #expect(try texts([refund, with(Self.restored) { $0.expiresAt = .day(20) }]) == ["entitled active 1500"])
        let silver = with(Self.restored) { $0.productID = "silver.monthly" }
        #expect(
            try TestShop.resolution([refund, silver]).text("silver.monthly", at: .day(9)) == "entitled active 1500")
        let later = with(Self.restored) {
            $0.purchasedAt = .day(1)
            $0.webOrderLineItemID = nil
        }
        #expect(try texts([refund, later]) == ["entitled active 1500"], "another purchase")
    }

    @Test("If records have equal signing dates, the more restrictive one counts, as for copies")
    func equalSignatures() throws {
        let refund = Self.bought.revoked(at: .day(0), signedAt: .day(3))
        #expect(try texts([refund, Self.restored]) == ["lapsed refunded 1000"])
    }
}
