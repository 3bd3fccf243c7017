import StorekeeperTesting
import Testing

@testable import Storekeeper

struct CustomerStateTests {
    private static let ads = TransactionDraft.purchase(of: "remove.ads", type: .nonConsumable, at: .day(0), id: "1")
    private static let token = "7a0d5b1e-0000-4000-8000-00000000000a"
    private static let otherToken = "7a0d5b1e-0000-4000-8000-00000000000b"

    private func state(of customer: CustomerID = "anna", _ facts: [VerifiedFact] = []) -> CustomerState {
        let stored = facts.enumerated().map {
            StoredFact(place: FeedPlace(Int64($0.offset + 1)), customer: customer, learnedAt: .day(0), fact: $0.element)
        }
        return CustomerState(
            CustomerRecord(version: facts.isEmpty ? 0 : 1, facts: stored), of: customer,
            configuration: StoreBench.configuration, owesDelivery: true)
    }

    @Test("A step does not change its state; its result applies once it is confirmed")
    func isPure() throws {
        let state = state()
        let fact = try Self.ads.verifiedFact()
        var step = state.step(StepInput(facts: [fact]), at: .day(1))
        #expect(!state.snapshot(failingSince: nil, at: .day(1)).isEntitled("remove.ads", at: .day(1)))
        #expect(state.step(StepInput(facts: [fact]), at: .day(1)).batch?.events == step.batch?.events)
        let batch = try #require(step.batch)
        #expect(batch.expectedVersion == 0 && batch.expectedOwn == [0] && batch.owesDelivery)
        #expect(batch.events.map(\.after.word) == ["entitled", "entitled"])
        let key = Self.ads.key
        let reported = step.confirm(
            CommitReceipt(
                version: 1, newFacts: [0], owed: [OutboxItem(key: key, customer: "anna", state: .owed)],
                uncredited: [key]))
        #expect(reported == [key])
        #expect(step.next.version == 1 && step.next.unfinished.map(\.key) == [key])
        #expect(step.next.snapshot(failingSince: nil, at: .day(1)).isEntitled("remove.ads", at: .day(1)))
        var again = step.next.step(StepInput(facts: [fact]), at: .day(2))
        #expect(again.batch?.events == [])
        #expect(again.confirm(CommitReceipt(version: 1, uncredited: [key])) == [], "it was reported before")
    }

    @Test("Nothing is written if nothing is learned and no wake is due")
    func writesNothing() throws {
        let state = state([try Self.ads.verifiedFact()])
        #expect(state.step(StepInput(), at: .day(1)).batch == nil)
        #expect(state.step(StepInput(notesWake: true), at: .day(1)).batch?.facts.isEmpty == true)
        let forged = CheckedEvidence.transaction(
            .unverified(try Self.ads.transaction(), VerificationError(.invalidSignature, "forged")))
        let step = state.step(StepInput(doubts: [forged]), at: .day(1))
        #expect(step.batch == nil && step.isDoubting)
        #expect(!step.next.step(StepInput(doubts: [forged]), at: .day(1)).isDoubting, "the product is already in doubt")
    }

    @Test("All facts count as the customer's until the vault has returned which ones are")
    func presumes() throws {
        let facts = try [Self.ads, .purchase(of: "coins", at: .day(0), id: "8")].map { try $0.verifiedFact() }
        let state = state()
        #expect(state.step(StepInput(facts: facts, isClaimed: false), at: .day(6)).batch?.expectedOwn == [0, 1])
        let corrected = state.step(StepInput(facts: facts, isClaimed: false, own: [1]), at: .day(6))
        #expect(corrected.batch?.expectedOwn == [1])
    }

    @Test("Results that do not follow from the known balances show that other writers changed them")
    func moves() throws {
        var state = state()
        let coins = try Balance(id: "coins").adding(.grant, 500)
        state.balances = ["coins": coins]
        state.lastEntry = AccountEnd(number: 7, place: FeedPlace(70))
        let spend = LedgerRequest.spend(100, of: "coins", by: "anna", key: "k", at: .day(1))
        func result(after: Int64, number: Int64 = 8, isReplay: Bool = false) -> Result<LedgerReceipt, LedgerRefusal> {
            .success(
                LedgerReceipt(
                    entry: LedgerEntry(
                        place: FeedPlace(number * 10), number: number, customer: "anna", at: .day(1), kind: .spend,
                        balance: "coins",
                        change: -100, after: after, cause: .request(key: "k", reason: nil)), isReplay: isReplay))
        }
        let next = try #require(state.applying([result(after: 400)], of: [spend]))
        #expect(next.balances["coins"]?.amount == 400 && next.lastEntry.number == 8 && !next.missesEntries)
        #expect(state.applying([result(after: 300)], of: [spend]) == nil)
        #expect(
            state.applying([result(after: 400, number: 9)], of: [spend]) == nil, "another writer made the eighth entry")
        #expect(state.applying([result(after: 400, number: 7, isReplay: true)], of: [spend])?.lastEntry.number == 7)
        #expect(state.applying([result(after: 400, number: 9, isReplay: true)], of: [spend]) == nil)
        #expect(state.applying([.failure(.insufficient(balance: 500))], of: [spend]) != nil)
        #expect(state.applying([.failure(.insufficient(balance: 50))], of: [spend]) == nil)
        #expect(state.applying([.failure(.frozen(balance: "coins"))], of: [spend]) == nil)
        #expect(state.applying([.failure(.keyReused)], of: [spend]) != nil)
    }

    @Test("A failed write leaves the state intact, so nothing is read again")
    func readsNothingAgain() async throws {
        let bench = StoreBench(.day(1))
        let store = try await bench.open(withoutBackend: true)
        bench.vault.failWrites()
        await #expect(throws: VaultError.self) { try await store.ingest([Self.ads.jws]) }
        #expect(!store.isEntitled("remove.ads"))
        bench.vault.failReads(.max)
        #expect(try await store.ingest([Self.ads.jws]).new == 1)
        #expect(store.isEntitled("remove.ads"))
        #expect(try await bench.vault.inner.events(after: .start, of: "anna", limit: 9).count == 2)
    }
}
