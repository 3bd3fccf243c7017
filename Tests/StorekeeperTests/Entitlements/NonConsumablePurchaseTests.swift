import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Records of one non-consumable") struct NonConsumablePurchaseTests {
    static let original = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1), id: "1")
    /// A restored copy, signed on day 5.
    static let restored = with(original) {
        $0.id = "2"
        $0.purchasedAt = .day(4)
        $0.signedAt = .day(5)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let records: [TransactionDraft]
        /// The answers on days 0, 1, 4, 10 and 20.
        let answers: [String]

        init(_ name: String, _ records: [TransactionDraft], _ answers: [String]) {
            (testDescription, self.records, self.answers) = (name, records, answers)
        }
    }

    static let cases: [Case] = [
        Case("both owned", [original, restored], ["never", "owned 1", "owned 1", "owned 1", "owned 1"]),
        Case(
            "the original refunded, the copy signed later", [original.revoked(at: .day(3)), restored],
            ["never", "owned 1", "refunded 1", "refunded 1", "refunded 1"]),
        Case(
            "the original refunded after the copy", [original.revoked(at: .day(8)), restored],
            ["never", "owned 1", "owned 1", "refunded 1", "refunded 1"]),
        Case(
            "the refund of the original reversed",
            [original.revoked(at: .day(8)).reversed(signedAt: .day(9)), original.revoked(at: .day(8)), restored],
            ["never", "owned 1", "owned 1", "owned 1", "owned 1"]),
        Case(
            "only the copy refunded", [original, restored.revoked(at: .day(8))],
            ["never", "owned 1", "owned 1", "owned 1", "owned 1"]),
        Case("the copy alone", [restored], ["never", "never", "owned 2", "owned 2", "owned 2"]),
        Case(
            "two copies, the newest-signed refunded",
            [
                restored,
                with(restored) {
                    $0.id = "3"
                    $0.purchasedAt = .day(2)
                }.revoked(at: .day(9)),
            ], ["never", "never", "owned 3", "refunded 3", "refunded 3"]),
        Case(
            "two copies signed at one instant, one refunded",
            [restored, with(restored.revoked(at: .day(9), signedAt: .day(5))) { $0.id = "3" }],
            ["never", "never", "owned 3", "refunded 3", "refunded 3"]),
        Case(
            "a new purchase after the refund",
            [
                original.revoked(at: .day(3)), restored,
                with(original) {
                    $0.id = "9"
                    $0.originalID = "9"
                    $0.purchasedAt = .day(10)
                },
            ], ["never", "owned 1", "refunded 1", "owned 9", "owned 9"]),
        Case(
            "the original refunded in another environment", [original.made(in: .xcode).revoked(at: .day(3)), restored],
            ["never", "never", "owned 2", "owned 2", "owned 2"]),
    ]

    @Test("Records with one original transaction are one purchase, whose original record decides", arguments: cases)
    func decides(_ sample: Case) throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        // The records are resolved in both orders, merged at once and one by one.
        for records in [sample.records, sample.records.reversed()] {
            let whole = try TestShop.resolution(records)
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            for record in records { live.merge([.transaction(.verified(try record.transaction()))]) }
            for resolution in [whole, live.resolution] {
                let answers = [0, 1, 4, 10, 20].map { day in
                    let words = resolution.text("remove.ads", at: .day(day)).split(separator: " ").map(String.init)
                    return words.first == "never" ? "never" : words.dropFirst().joined(separator: " ")
                }
                #expect(answers == sample.answers)
            }
        }
    }

    @Test("The explanation names each record and its effect")
    func explained() throws {
        #expect(
            try TestShop.steps("remove.ads", [Self.original.revoked(at: .day(3)), Self.restored], at: .day(20)) == [
                "1: transaction 1: purchase of remove.ads → entitled (owned) until 2026-01-04T00:00:00.000Z | "
                    + "A non-consumable is owned until it is revoked.",
                "3: transaction 1 is refunded → lapsed (refunded) | A revoked transaction gives no access from its "
                    + "revocation date on; other purchases are unaffected.",
                "4: transaction 2: purchase of remove.ads → none: it is a record of the same purchase as transaction 1 "
                    + "| Records with one original transaction are one purchase: the original one decides.",
            ])
    }
}
