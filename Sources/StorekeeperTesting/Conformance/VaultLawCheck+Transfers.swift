import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var transferChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a transfer moves a chain with its facts, and both accounts record it") {
                try await $0.movedChain()
            },
            VaultCheck("a transfer takes credits back and makes them for the new owner") {
                try await $0.movedCredits()
            },
            VaultCheck("a moved chain stays with its new owner, whatever token of the old owner its renewals have") {
                try await $0.renewalsOfMovedChain()
            },
            VaultCheck("a token moves with the chains whose newest token it is") { try await $0.movedToken() },
            VaultCheck("a transfer whose basis has changed writes nothing") { try await $0.staleTransfer() },
            VaultCheck("a transfer can be undone by a transfer, and both customers can be erased") {
                try await $0.movedBack()
            },
            VaultCheck("a purchase that has moved counts once, whichever of its owners is erased") {
                try await $0.erasedOwners()
            },
        ]
    }

    private static func chain(_ draft: TransactionDraft) -> BindingSubject {
        .chain(
            ChainID(bundleID: draft.bundleID, environment: draft.environment, originalID: draft.originalID))
    }

    /// Moves a chain or token to a customer.
    @discardableResult
    func transfer(
        _ subject: BindingSubject, to customer: CustomerID, policy: RefundPolicy = .debt, at instant: Instant = .day(5)
    ) async throws -> (chains: [ChainID], entries: [LedgerEntry]) {
        let steps = vault
        guard let basis = try await steps.basis(ofMoving: subject, to: customer) else {
            throw ConformanceFailure("what is to be moved has no owner")
        }
        let request = Self.request(subject, to: customer, basis, policy: policy, at: instant)
        guard case .moved(let chains, let entries) = try await steps.transfer(request) else {
            throw ConformanceFailure("a transfer was reported as stale")
        }
        return (chains, entries)
    }

    private static func request(
        _ subject: BindingSubject, to customer: CustomerID, _ basis: OwnershipTransfer.Basis,
        policy: RefundPolicy = .debt, at instant: Instant = .day(5)
    ) -> OwnershipTransfer {
        OwnershipTransfer(
            subject: subject, recipient: customer, reason: "a new account", recordedBy: "desk", at: instant,
            rule: VaultShop.rule(policy), basis: basis, events: [customer: [VaultShop.event("badge", at: instant)]],
            wakes: [customer: .day(99)])
    }

    private func kinds(of customer: CustomerID) async throws -> [LedgerEntry.Kind] {
        try await vault.account(of: customer).map(\.kind)
    }

    func movedChain() async throws {
        let (month, info) = VaultShop.gold("1")
        try await learn([month, VaultShop.badge("2")], [info])
        let version = try await vault.version(of: "anna").version
        let moved = try await transfer(Self.chain(month), to: "ben")
        expect(moved.chains.map(\.originalID), is: ["1"], "the moved chains")
        expect(
            try await vault.holders(of: [Self.chain(month)]), is: [Self.chain(month): "ben"], "the holder of the chain")
        let own = try await vault.load("anna")
        expect(own.facts.compactMap { $0.fact.transaction?.id }, is: ["2"], "the transactions that stay")
        expect(own.version > version, "the version of the previous owner is still \(own.version)")
        let theirs = try await vault.load("ben")
        expect(theirs.facts.count, is: 2, "the facts of the new owner, the renewal info included,")
        expect(
            theirs.facts.filter { $0.fact.transaction != nil }.map(\.learnedAt), is: [.day(5)],
            "when the new owner's facts were learned")
        for customer in ["anna", "ben"] as [CustomerID] {
            let causes = try await vault.account(of: customer).map(\.cause)
            expect(
                causes, is: [.transfer(Self.chain(month), from: "anna", to: "ben", reason: "a new account")],
                "the entries of \(customer)")
        }
        expect(
            try await vault.events(after: .start, of: "ben", limit: 10).count, is: 1, "the events of the new owner")
        let conflicts = try await conflicts(of: Self.batch([month.signed(at: .day(6))]))
        expect(conflicts.map(\.holder), is: ["ben"], "the holder that the previous owner meets")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults of the vault")
    }

    func movedCredits() async throws {
        try await learn([VaultShop.coins("1"), VaultShop.coins("2")])
        try await spend(700)
        try await transfer(Self.chain(VaultShop.coins("1")), to: "ben")
        expect(try await amount(), is: -200, "the balance of the previous owner with debt")
        expect(try await amount(of: "ben"), is: 500, "the balance of the new owner")
        try await transfer(Self.chain(VaultShop.coins("2")), to: "ben", policy: .floorAtZero)
        expect(try await amount(), is: -200, "the balance of the previous owner with floorAtZero")
        expect(try await amount(of: "ben"), is: 1_000, "the balance of the new owner after both")
        // A refund now takes units from the new owner only.
        try await learn([VaultShop.coins("1").revoked(at: .day(6))], for: "ben", at: .day(6))
        expect(try await amount(of: "ben"), is: 500, "the balance of the new owner after a refund")
        expect(try await amount(), is: -200, "the balance of the previous owner after a refund")
        try await learn([VaultShop.coins("1").revoked(at: .day(6))], for: "ben", at: .day(7))
        expect(
            try await kinds(of: "ben"), is: [.credit, .transfer, .credit, .transfer, .clawBack],
            "the kinds of the new owner's entries")
    }

    func renewalsOfMovedChain() async throws {
        var month = VaultShop.gold("1").0
        month.appAccountToken = VaultShop.token
        try await learn([month])
        try await transfer(Self.chain(month), to: "ben")
        var renewal = month.signed(at: .day(31))
        renewal.id = "1-renewed"
        let facts = [try renewal.verifiedFact()]
        expect(try await vault.owners(of: facts), is: ["ben"], "the owner of a renewal")
        let receipt = try await commit(
            CommitBatch(for: .owner(primary: "ben"), at: .day(31), facts: facts, rule: VaultShop.rule()))
        expect(receipt.newFacts, is: [0], "the facts that were written")
        expect(receipt.parked.conflicts, is: [], "the conflicts of a renewal")
        // The token still belongs to the previous owner, for other purchases.
        try await learn([VaultShop.badge("2", token: VaultShop.token)])
        renewal.id = "1-another"
        renewal.appAccountToken = VaultShop.otherToken
        try await learn([VaultShop.badge("3", token: VaultShop.otherToken)], for: "carl")
        let conflicts = try await conflicts(of: Self.batch([renewal.signed(at: .day(32))], for: "ben"))
        expect(conflicts.map(\.holder), is: ["carl"], "the holder of a third customer's token")
    }

    func movedToken() async throws {
        guard let uuid = UUID(uuidString: VaultShop.token) else { throw ConformanceFailure("the token is no UUID") }
        try await learn([VaultShop.coins("1", token: VaultShop.token), VaultShop.badge("2")])
        let moved = try await transfer(.token(uuid), to: "ben")
        expect(moved.chains.map(\.originalID), is: ["1"], "the moved chains")
        expect(try await vault.holders(of: [.token(uuid)]), is: [.token(uuid): "ben"], "the holder of the token")
        expect(try await amount(), is: 0, "the balance of the previous owner")
        expect(try await amount(of: "ben"), is: 500, "the balance of the new owner")
        try await learn([VaultShop.badge("3", token: VaultShop.token)], for: "ben")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults of the vault")
    }

    func staleTransfer() async throws {
        let coins = VaultShop.coins("1")
        try await learn([coins])
        let steps = vault
        guard let basis = try await steps.basis(ofMoving: Self.chain(coins), to: "ben") else {
            throw ConformanceFailure("the chain has no owner")
        }
        try await learn([VaultShop.badge("2")])
        let picture = try await VaultPicture(of: vault)
        guard case .stale = try await steps.transfer(Self.request(Self.chain(coins), to: "ben", basis)) else {
            throw ConformanceFailure("a transfer with a stale basis was written")
        }
        try await expectUnchanged(since: picture, by: "a transfer with a stale basis")
        await expect(.invalidRequest, from: "a transfer without a reason") { () async throws(VaultError) in
            let request = OwnershipTransfer(
                subject: Self.chain(coins), recipient: "ben", reason: "", recordedBy: nil, at: .day(5),
                rule: VaultShop.rule(), basis: basis, events: [:], wakes: [:])
            _ = try await steps.transfer(request)
        }
    }

    func movedBack() async throws {
        let coins = VaultShop.coins("1")
        try await learn([coins])
        try await transfer(Self.chain(coins), to: "ben")
        try await transfer(Self.chain(coins), to: "anna", at: .day(6))
        expect(try await amount(), is: 500, "the balance after the chain has come back")
        expect(try await amount(of: "ben"), is: 0, "the balance of the other customer")
        expect(
            try await kinds(of: "anna"), is: [.credit, .clawBack, .transfer, .restore, .transfer],
            "the kinds of the entries")
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        expect(report.faults, is: [], "the faults of the vault")
        _ = try await vault.erase("ben", reason: "asked for it", at: .day(7))
        _ = try await vault.erase("anna", reason: "asked for it", at: .day(8))
        expect(try await vault.checkIntegrity().faults, is: [], "the faults after both were erased")
    }

    func erasedOwners() async throws {
        let coins = VaultShop.coins("1")
        try await learn([coins])
        try await transfer(Self.chain(coins), to: "ben")
        _ = try await vault.erase("anna", reason: "asked for it", at: .day(6))
        try await transfer(Self.chain(coins), to: "carl", at: .day(7))
        expect(try await amount(of: "carl"), is: 500, "the balance of the third owner after the first was erased")
        expect(try await amount(of: "ben"), is: 0, "the balance of the second owner")
        _ = try await vault.erase("carl", reason: "asked for it", at: .day(8))
        try await learn([coins], for: "ben", at: .day(9))
        expect(try await amount(of: "ben"), is: 0, "the balance of a former owner after the owner was erased")
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        expect(report.faults, is: [], "the faults of the vault")
    }
}
