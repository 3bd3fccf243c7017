import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var parkChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("evidence is parked once, until it is committed") { try await $0.parking() },
            VaultCheck("parked evidence can be adopted by the customer who claims its chain") {
                try await $0.adoptionByChain()
            },
            VaultCheck("parked evidence can be adopted by the owner of its token") { try await $0.adoptionByToken() },
            VaultCheck("disputed evidence cannot be adopted") { try await $0.disputedEvidence() },
        ]
    }

    func parking() async throws {
        let (month, info) = VaultShop.gold("1")
        let facts = [try month.verifiedFact(), try info.verifiedFact()]
        expect(try await parkForOwners(facts, at: .day(1)).new, is: 2, "the number of newly parked facts")
        expect(try await parkForOwners(facts, at: .day(2)).new, is: 0, "the number when all are parked already")
        let parked = try await vault.allParked()
        expect(parked.map(\.fact.jws.compact), is: facts.map(\.jws.compact), "what is parked, oldest first,")
        expect(
            parked.allSatisfy { $0.since == .day(1) && $0.reason == .unclaimed },
            "the date or reason of parking is wrong")
        expect(
            try await vault.facts(after: .start, of: nil, limit: 10).count, is: 0, "the number of facts while parked")
        try await learn([month], [info])
        expect(try await vault.allParked().count, is: 0, "the number of parked facts once they are committed")
        expect(try await vault.load("anna").facts.count, is: 2, "the number of facts once they are committed")
    }

    func adoptionByChain() async throws {
        let (month, info) = VaultShop.gold("1")
        try await parkForOwners([month.verifiedFact(), info.verifiedFact()], at: .day(1))
        let chain = ChainID(try month.transaction())
        expect(try await vault.claim(.chain(chain), for: "anna", at: .day(2)), is: nil, "the answer to the claim")
        let adoptable = try await vault.load("anna").adoptable.rows
        expect(adoptable.map(\.jws.compact), is: [month.fakeJWS, info.fakeJWS], "what can be adopted")
        expect(try await vault.load("ben").adoptable.rows.count, is: 0, "what another can adopt")
        try await commit(CommitBatch(customer: "anna", at: .day(2), facts: adoptable, rule: VaultShop.rule()))
        let record = try await vault.load("anna")
        expect(record.adoptable.rows.count, is: 0, "what can be adopted once it is committed")
        expect(record.facts.count, is: 2, "the number of facts once they are adopted")
        // The owner of the chain can adopt evidence that was presented for another customer.
        let copy = month.signed(at: .day(9))
        _ = try await conflicts(of: Self.batch([copy], for: "ben", at: .day(3)))
        expect(
            try await vault.allParked().map(\.reason), is: [.conflict],
            "why evidence of another customer's chain is parked")
        expect(
            try await vault.load("anna").adoptable.rows.count, is: 1, "what the holder of a disputed chain can adopt")
        expect(try await vault.load("ben").adoptable.rows.count, is: 0, "what the claimant can adopt")
    }

    func adoptionByToken() async throws {
        let draft = VaultShop.badge("1", token: VaultShop.token)
        let other = VaultShop.badge("2", token: VaultShop.otherToken)
        try await parkForOwners([draft.verifiedFact(), other.verifiedFact()], at: .day(1))
        guard let token = UUID(uuidString: VaultShop.token) else { throw ConformanceFailure("the token is not a UUID") }
        expect(try await vault.claim(.token(token), for: "anna", at: .day(2)), is: nil, "the answer to the claim")
        expect(
            try await vault.load("anna").adoptable.rows.map(\.jws.compact), is: [draft.fakeJWS],
            "what the holder of a token can adopt")
        let named = CustomerID(rawValue: VaultShop.otherToken)
        expect(
            try await vault.load(named).adoptable.rows.map(\.jws.compact),
            is: vault.accountTokens == .asIDs ? [other.fakeJWS] : [],
            "what the customer can adopt if the token is their id")
        try await learn([other], for: named)
        expect(try await vault.allParked().count, is: 1, "the number of parked facts after one was adopted")
    }

    func disputedEvidence() async throws {
        try await learn([VaultShop.badge("1")])
        try await learn([VaultShop.badge("2", token: VaultShop.token)], for: "ben")
        var disputed = VaultShop.badge("1", token: VaultShop.token)
        (disputed.id, disputed.signedAt) = ("1-again", .day(5))
        let fact = try disputed.verifiedFact()
        for customer in ["anna", "ben"] as [CustomerID] {
            _ = try await conflicts(of: CommitBatch(customer: customer, at: .day(5), facts: [fact]))
        }
        for customer in ["anna", "ben"] as [CustomerID] {
            expect(
                try await vault.load(customer).adoptable.rows.count, is: 0, "what \(customer) can adopt of a dispute")
        }
    }
}
