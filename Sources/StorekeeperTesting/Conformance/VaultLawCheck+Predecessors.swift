import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var predecessorChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a chain without a token belongs to the owner of the chain that it replaces") {
                try await $0.successor()
            },
            VaultCheck("a chain waits for the owner of the chain that it replaces") { try await $0.waitingSuccessor() },
            VaultCheck("a chain that replaces another customer's chain is a conflict, and waits for the owner") {
                try await $0.disputedSuccessor()
            },
            VaultCheck("a chain may name the bundle that it has left by the bundle's original transaction") {
                try await $0.leftBundle()
            },
            VaultCheck("a token decides before the chain that a chain replaces") { try await $0.tokenOfSuccessor() },
        ]
    }

    /// Returns a month of a chain that replaces another chain.
    private static func month(
        _ id: Transaction.ID, replacing previous: Transaction.ID? = nil, bundle: Transaction.ID? = nil,
        token: String? = nil
    ) -> TransactionDraft {
        var (month, _) = VaultShop.gold(id)
        if let previous { month.otherMembers["previousOriginalTransactionId"] = .string(previous.rawValue) }
        if let bundle { month.otherMembers["bundleOriginalTransactionId"] = .string(bundle.rawValue) }
        month.appAccountToken = token
        return month
    }

    private func commitForOwner(_ drafts: [TransactionDraft], primary: CustomerID) async throws -> CommitReceipt {
        try await commit(
            CommitBatch(
                for: .owner(primary: primary), at: .day(2), facts: try drafts.map { try $0.verifiedFact() },
                rule: VaultShop.rule()))
    }

    func successor() async throws {
        try await learn([Self.month("1")])
        let next = Self.month("2", replacing: "1")
        expect(try await vault.owners(of: [try next.verifiedFact()]), is: ["anna"], "the owner of the new chain")
        expect(try await commitForOwner([next], primary: "anna").newFacts, is: [0], "the facts that were written")
        // The next move names the second chain; a renewal need not name the first one again.
        let third = Self.month("3", replacing: "2")
        expect(try await commitForOwner([third], primary: "anna").newFacts, is: [0], "the facts of the third chain")
        for other in [third.made(in: .sandbox), Self.month("4", replacing: "9")] {
            expect(try await vault.owners(of: [try other.verifiedFact()]), is: [nil], "the owner of another chain")
        }
    }

    func waitingSuccessor() async throws {
        let (next, later) = (Self.month("2", replacing: "1"), Self.month("2").signed(at: .day(1)))
        try await parkForOwners([next.verifiedFact()], at: .day(1))
        let receipt = try await learn([Self.month("1")])
        expect(
            receipt.adoptable.rows.map(\.jws.compact), is: [next.fakeJWS],
            "the evidence that waited for the new binding")
        expect(
            try await vault.load("anna").adoptable.rows.map(\.jws.compact), is: [next.fakeJWS],
            "the evidence that waits for the customer")
        // A copy that does not name the replaced chain has the owner of the parked copy.
        expect(try await vault.owners(of: [try later.verifiedFact()]), is: ["anna"], "the owner of a later copy")
        try await learn([next])
        expect(try await vault.allParked().count, is: 0, "the number of parked facts")
        expect(try await vault.load("anna").facts.count, is: 2, "the facts of the customer")
    }

    func disputedSuccessor() async throws {
        try await learn([Self.month("1")])
        let next = Self.month("2", replacing: "1")
        let conflicts = try await conflicts(of: Self.batch([next], for: "ben"))
        expect(conflicts.map(\.holder), is: ["anna"], "the holder of the replaced chain")
        expect(conflicts.map(\.originalTransactionID), is: ["2"], "the chain of the conflict")
        let chain = BindingSubject.chain(
            ChainID(bundleID: next.bundleID, environment: next.environment, originalID: next.originalID))
        expect(try await vault.claim(chain, for: "ben", at: .day(2)), is: "anna", "the answer to a claim")
        let waiting = try await vault.load("anna").adoptable.rows
        expect(waiting.map(\.jws.compact), is: [next.fakeJWS], "the evidence that waits for the owner")
        try await commit(CommitBatch(customer: "anna", at: .day(2), facts: waiting, rule: VaultShop.rule()))
        expect(try await vault.holders(of: [chain]), is: [chain: "anna"], "the holder of the new chain")
    }

    func leftBundle() async throws {
        try await learn([Self.month("1", bundle: "90")])
        let alone = Self.month("2", replacing: "90")
        expect(try await vault.owners(of: [try alone.verifiedFact()]), is: ["anna"], "the owner after the bundle")
        expect(try await commitForOwner([alone], primary: "anna").newFacts, is: [0], "the facts that were written")
        // Another subscription of the bundle names the same bundle and has an owner of its own.
        try await learn([Self.month("5", bundle: "90")], for: "ben")
        expect(try await vault.load("ben").facts.count, is: 1, "the facts of another customer in the bundle")
        try await learn([Self.month("90"), Self.month("6", bundle: "91"), Self.month("91", bundle: "92")])
        expect(try await vault.load("anna").facts.count, is: 5, "the facts of the customer")
    }

    func tokenOfSuccessor() async throws {
        try await learn([Self.month("1")])
        try await learn([VaultShop.badge("7", token: VaultShop.token)], for: "ben")
        let own = Self.month("2", replacing: "1", token: VaultShop.token)
        expect(try await vault.owners(of: [try own.verifiedFact()]), is: ["ben"], "the owner by the token")
        try await learn([own], for: "ben")
        let conflicts = try await conflicts(
            of: Self.batch([Self.month("3", replacing: "1", token: VaultShop.token)]))
        expect(conflicts.map(\.holder), is: ["ben"], "the holder of the token")
    }
}
