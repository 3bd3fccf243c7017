import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Generated histories")
struct HistoryGeneratorTests {
    private func histories(
        _ count: Int, from seed: UInt64 = 0, mixesGroups: Bool = false
    ) -> [GeneratedEvidence] {
        (0..<count).map { number in
            var random = SplitMix64(seed: seed + UInt64(number))
            return HistoryGenerator(mixesGroups: mixesGroups).generate(&random)
        }
    }

    @Test("Equal seeds give equal evidence, and different seeds mostly different evidence")
    func deterministic() {
        #expect(histories(20).map(\.description) == histories(20).map(\.description))
        #expect(Set(histories(200).map(\.description)).count > 180)
    }

    @Test("Every situation occurs in two thousand histories")
    func situations() {
        var counts: [HistorySituation: Int] = [:]
        let evidence = histories(2000) + histories(200, mixesGroups: true)
        for situation in evidence.flatMap(\.situations) { counts[situation, default: 0] += 1 }
        for situation in HistorySituation.allCases {
            #expect(counts[situation, default: 0] >= 5, "\(situation) occurs \(counts[situation, default: 0]) times")
        }
    }

    @Test("Every draft is decoded to the transaction it describes")
    func decoding() throws {
        for evidence in histories(200) {
            for draft in evidence.transactions {
                let transaction = try draft.transaction()
                #expect(transaction.id == draft.id && transaction.expiresAt == draft.expiresAt)
            }
            for draft in evidence.renewalInfos {
                #expect(try draft.renewalInfo().originalTransactionID == draft.originalID)
            }
        }
    }

    @Test("A transaction has one chain, product and purchase in all its copies")
    func lawfulCopies() {
        for evidence in histories(200) {
            let copies = Dictionary(grouping: evidence.transactions) { [$0.id.rawValue, $0.environment.rawValue] }
            for copies in copies.values {
                #expect(Set(copies.map(\.originalID)).count == 1)
                #expect(Set(copies.map(\.productID)).count == 1)
                #expect(Set(copies.map(\.purchasedAt)).count == 1)
            }
        }
    }

    @Test("A chain stays within one group, one owner and one environment")
    func lawfulChains() {
        for evidence in histories(200) {
            let subscriptions = evidence.transactions.filter { $0.type == .autoRenewable }
            let chains = Dictionary(grouping: subscriptions) { [$0.originalID.rawValue, $0.environment.rawValue] }
            for chain in chains.values {
                #expect(Set(chain.map(\.subscriptionGroupID)).count == 1)
                #expect(Set(chain.map(\.ownership)).count == 1)
            }
        }
    }

    @Test("Boundaries of different chains coincide often")
    func coincidence() {
        let shared = histories(300).filter { evidence in
            let starts = Dictionary(grouping: evidence.transactions, by: \.purchasedAt).values
            return starts.contains { Set($0.map(\.originalID)).count > 1 }
        }
        #expect(shared.count > 100)
    }

    @Test("Simplified histories differ, decode, and cannot be simplified for ever")
    func shrinking() throws {
        for evidence in histories(3) {
            for smaller in evidence.smaller {
                #expect(smaller.description != evidence.description)
                _ = try ReferenceModel(smaller)
            }
        }
        var evidence = try #require(histories(50).first { $0.transactions.count > 6 })
        var steps = 0
        while let smaller = evidence.smaller.last, steps < 1000 {
            evidence = smaller
            steps += 1
        }
        #expect(steps < 1000)
        #expect(evidence.transactions.isEmpty && evidence.catalog.products.isEmpty)
    }

    @Test("A failing history is simplified to the part that makes it fail")
    func smallestFailure() throws {
        let found = try #require(
            findCounterexample(
                cases: 500, generate: HistoryGenerator().generate, shrink: \.smaller,
                holds: { !$0.transactions.contains { $0.revokedAt != nil && $0.ownership == .familyShared } }))
        #expect(found.input.transactions.count == 1)
        #expect(found.input.renewalInfos.isEmpty && found.input.catalog.products.isEmpty)
        #expect(found.input.transactions.first?.revocationType == nil)
    }

    @Test("The instants of interest contain each boundary and its neighbours")
    func instantsOfInterest() throws {
        let draft = TransactionDraft.purchase(
            of: "gold", type: .autoRenewable, at: .day(0), expires: .day(31), group: "1")
        let info = RenewalInfoDraft(for: draft, signedAt: .day(31)).grace(until: .day(47))
        let evidence = GeneratedEvidence(catalog: .empty, transactions: [draft], renewalInfos: [info])
        let instants = evidence.instantsOfInterest
        for day in [0, 31, 47, 91, 121] {
            for offset: Int64 in [-1, 0, 1] {
                #expect(instants.contains(Instant.day(day).adding(milliseconds: offset)))
            }
        }
        #expect(instants == instants.sorted() && Set(instants).count == instants.count)
    }
}
