import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Expectations about an app") struct ExpectationTests {
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0))
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "2000")

    private func store(_ drafts: [TransactionDraft], isComplete: Bool = true) async throws -> Store {
        let store = try await StoreBench(.day(5)).open()
        try await store.ingest(drafts.map(\.jws), isComplete: isComplete)
        return store
    }

    @Test("Expectations that hold record no issue") func holding() async throws {
        let store = try await store([ads, coins])
        await expectEntitled(TestShop.removeAds.id, in: store)
        await expectNotEntitled(TestShop.removeAds.id, in: store, at: .day(-1))
        await expectAnswer(.entitled(.owned), about: TestShop.removeAds.id, in: store)
        await expectAnswer(.never, about: TestShop.gold.id, in: store)
        await expectFeature("ad-free", in: store)
        await expectFeature("ad-free", false, in: store, at: .day(-1))
        expectBalance(500, of: "coins", in: store)
        expectBalance(0, of: "gems", in: store)
    }

    @Test("An expectation compares the answer, and the reason if one is given")
    func matching() {
        #expect(ExpectedAnswer.pending.matches(.pending(.askToBuy)))
        #expect(ExpectedAnswer.pending(.askToBuy).matches(.pending(.askToBuy)))
        #expect(!ExpectedAnswer.pending(.bankApproval).matches(.pending(.askToBuy)))
        #expect(ExpectedAnswer.unknown(.neverSynced).matches(.unknown(.neverSynced)))
        #expect(!ExpectedAnswer.never.matches(.unknown(.neverSynced)))
        #expect(ExpectedAnswer.lapsed(.refunded).description == "lapsed (refunded)")
        #expect("\(ExpectedAnswer.entitled)" == "entitled")
    }

    /// Expects that the body records one issue that contains all of the given texts.
    private func expectIssue(_ words: String..., body: () async -> Void) async {
        await withKnownIssue {
            await body()
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return words.allSatisfy(text.contains)
        }
    }

    @Test("A failed expectation explains why a customer has no access") func refused() async throws {
        let store = try await store([ads.revoked(at: .day(2))])
        await expectIssue(
            "Expected entitled about remove.ads; the answer is lapsed (refunded).",
            "According to the evidence, remove.ads is lapsed (refunded) by transaction 1000 at \(Instant.day(5)).",
            "  \(Instant.day(2))  ", "→ ", "Next: no known event changes this answer."
        ) {
            await expectEntitled(TestShop.removeAds.id, in: store)
        }
    }

    @Test("A failed expectation explains why a customer has access") func granted() async throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let store = try await store([gold])
        await expectIssue(
            "Expected no access to gold.monthly; the answer is entitled (active).",
            "Next: the period ends at \(Instant.day(31)), and no evidence says whether it renews."
        ) {
            await expectNotEntitled(TestShop.gold.id, in: store)
        }
        await expectIssue("Expected lapsed (expired) about gold.monthly") {
            await expectAnswer(.lapsed(.expired), about: TestShop.gold.id, in: store)
        }
    }

    @Test("An expectation about a misspelled id fails, whatever it expects, and suggests another one")
    func misspelled() async throws {
        let store = try await store([coins])
        let suggestion = "No catalog has a product 'remove.add': did you mean 'remove.ads'?"
        await expectIssue("the answer is unknown (notInCatalog)", suggestion) {
            await expectEntitled("remove.add", in: store)
        }
        await expectIssue(suggestion) { await expectNotEntitled("remove.add", in: store) }
        await expectIssue(suggestion) { await expectAnswer(.never, about: "remove.add", in: store) }
        await expectIssue("No catalog has a feature 'ad-fre': did you mean 'ad-free'?") {
            await expectFeature("ad-fre", false, in: store)
        }
        await expectIssue("the balance is 0", "No catalog has a balance 'coin': did you mean 'coins'?") {
            expectBalance(500, of: "coin", in: store)
        }
    }

    @Test("A failed expectation explains that the evidence may be incomplete") func unsynced() async throws {
        let store = try await store([coins], isComplete: false)
        await expectIssue(
            "the answer is unknown (neverSynced)", "According to the evidence, remove.ads is unknown (neverSynced)"
        ) {
            await expectAnswer(.never, about: TestShop.removeAds.id, in: store)
        }
    }

    @Test("A failed expectation explains each product of a feature") func features() async throws {
        let store = try await store([ads])
        await expectIssue("Expected the feature ad-free not to be entitled; it is entitled (owned).", "remove.ads") {
            await expectFeature("ad-free", false, in: store)
        }
        await expectIssue("No catalog has a feature 'no such thing': use one of") {
            await expectFeature("no such thing", in: store)
        }
    }

    @Test("A failed expectation names the parts of a balance") func balances() async throws {
        let store = try await store([coins])
        try await store.spend(30, of: "coins", key: "lantern-1")
        await expectIssue("Expected 500 coins; the balance is 470: purchased or granted 500, spent 30.") {
            expectBalance(500, of: "coins", in: store)
        }
        await expectIssue("Expected 1 gems; the balance is 0: it has no entries.") {
            expectBalance(1, of: "gems", in: store)
        }
    }
}
