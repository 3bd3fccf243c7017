import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The article Testing with drafts and properties") struct TestingWithDraftsAndPropertiesTests {
    @Test("The article's drafts make a history") func drafts() throws {
        let first = TransactionDraft.purchase(
            of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .month(1), group: "21")
        let second = TransactionDraft.renewal(of: first, expires: .month(2))
        let refunded = second.revoked(at: .day(40))

        var history = PurchaseHistory()
        history.merge(try [refunded, first, second].map { .verified(try $0.transaction()) })
        let timeline = EntitlementResolver().resolve(history).product("gold.monthly")?.timeline
        #expect(timeline?.value(at: .day(39)).isEntitled == true)
        #expect(timeline?.value(at: .day(40)).reason == .refunded)
    }

    @Test("The article's property holds") func properties() {
        let generate = HistoryGenerator().generate
        checkProperty("merging twice changes nothing", generate: generate, shrink: \.smaller) { evidence in
            let transactions = try evidence.decodedTransactions().map { VerificationResult.verified($0) }
            var history = PurchaseHistory()
            history.merge(transactions)
            let once = history
            history.merge(transactions)
            return history == once
        }
    }
}
