import Storekeeper

// Evidence that is neither a transaction nor a renewal info: the App Store's state of a subscription, which a
// notification contains, and app transactions.
extension VaultLawCheck {
    static var otherEvidenceChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a status and an app transaction are stored once, with their text, for the owner") {
                try await $0.keptStatusAndApp()
            },
            VaultCheck("a status waits for its subscription, and an app transaction for a customer") {
                try await $0.waitingStatusAndApp()
            },
            VaultCheck("a status and an app transaction of another customer are conflicts, and wait for the owner") {
                try await $0.disputedStatusAndApp()
            },
            VaultCheck("a status moves with its subscription, and an app transaction with its own chain") {
                try await $0.movedStatusAndApp()
            },
            VaultCheck("an erasure removes a customer's statuses and app transactions, stored and parked") {
                try await $0.erasedStatusAndApp()
            },
        ]
    }

    private static func chain(_ draft: TransactionDraft) -> ChainID {
        ChainID(bundleID: draft.bundleID, environment: draft.environment, originalID: draft.originalID)
    }

    /// Returns the chain under which the owner of an app transaction is recorded.
    private static func chain(_ draft: AppTransactionDraft) throws -> ChainID {
        guard let chain = ChainID(try draft.appTransaction()) else {
            throw ConformanceFailure("an app transaction has no id")
        }
        return chain
    }

    private static func batch(
        _ facts: [VerifiedFact], for customer: CustomerID = "anna", at instant: Instant = .day(1)
    ) -> CommitBatch {
        CommitBatch(customer: customer, at: instant, facts: facts, rule: VaultShop.rule())
    }

    /// Returns the texts of a customer's facts.
    private func texts(of customer: CustomerID) async throws -> Set<String> {
        Set(try await vault.load(customer).facts.map(\.fact.jws.compact))
    }

    func keptStatusAndApp() async throws {
        let (month, _) = VaultShop.gold("1")
        let (status, app) = (VaultShop.status(4, of: month, at: .day(32)), VaultShop.app("7"))
        let facts = [try month.verifiedFact(), try status.verifiedFact(), try app.verifiedFact()]
        let receipt = try await commit(Self.batch(facts, at: .day(33)))
        expect(receipt.newFacts, is: [0, 1, 2], "the positions of new facts")
        let record = try await vault.load("anna")
        expect(
            record.facts.map(\.fact.jws.compact), is: facts.map(\.jws.compact),
            "the exact text of the facts, in the order in which they came,")
        expect(record.facts.compactMap { $0.fact.notification?.status }, is: [4], "the stored status")
        expect(
            record.facts.compactMap { $0.fact.appTransaction?.appTransactionID }, is: ["7"],
            "the id of the stored app transaction")
        expect(record.facts.allSatisfy { $0.learnedAt == .day(33) }, "the instant of learning is lost")
        let feed = try await vault.facts(after: .start, of: nil, limit: 9)
        expect(feed.map(\.customer), is: ["anna", "anna", "anna"], "the customer of the facts in the feed")
        expect(try await vault.owners(of: facts), is: ["anna", "anna", "anna"], "the owners of the facts")
        let own = try Self.chain(app)
        expect(own.originalID, is: "app:7", "the id of an app transaction's chain")
        let subject = BindingSubject.chain(own)
        expect(try await vault.holders(of: [subject]), is: [subject: "anna"], "the holder of its chain")
        expect(try await vault.chains(originalID: "app:7"), is: [own], "the chains with its id")

        expect(try await commit(Self.batch(facts, at: .day(34))).newFacts, is: [], "the facts that are new again")
        let later = [
            try VaultShop.status(3, of: month, at: .day(35)).verifiedFact(),
            try VaultShop.app("7", signedAt: .day(35)).verifiedFact(),
        ]
        expect(
            try await commit(Self.batch(later, at: .day(36))).newFacts, is: [0, 1],
            "copies that were signed later, which are separate facts,")
        expect(try await vault.load("anna").facts.count, is: 5, "the number of facts")
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        expect(report.faults, is: [], "the faults found by the audit")
        expect(report.signatures, is: 5, "the number of signatures that the audit checks")
    }

    func waitingStatusAndApp() async throws {
        let (month, _) = VaultShop.gold("1")
        let (status, app) = (VaultShop.status(4, of: month, at: .day(32)), VaultShop.app("7"))
        let own = try Self.chain(app)
        let facts = [try status.verifiedFact(), try app.verifiedFact()]
        let parked = try await parkForOwners(facts, at: .day(33))
        expect(parked.positions, is: [0, 1], "the positions of the parked facts")
        // The evidence inside a notification is parked, too, and only this evidence is counted.
        expect(parked.new, is: 1, "the number of parked facts without the notification")
        expect(parked.unclaimed, is: 1, "the number of facts without an owner, without the notification")
        expect(try await parkForOwners(facts, at: .day(33)).new, is: 0, "the number of facts that are parked again")
        expect(try await vault.owners(of: facts), is: [nil, nil], "the owners of the facts")
        expect(
            try await vault.facts(after: .start, of: nil, limit: 9).count, is: 0, "the number of facts that count")
        expect(try await vault.chains(originalID: "app:7"), is: [own], "the chains of the parked app transaction")

        let receipt = try await learn([month])
        expect(
            receipt.adoptable.rows.map(\.jws.compact), is: [status.fakeJWS],
            "the evidence that waited for the subscription")
        expect(
            try await vault.claim(.chain(own), for: "anna", at: .day(34)), is: nil,
            "the answer to a claim of the app transaction")
        let waiting = try await vault.load("anna").adoptable.rows
        expect(
            Set(waiting.map(\.jws.compact)), is: [status.fakeJWS, app.fakeJWS], "the evidence that waits for the owner")
        expect(try await commit(Self.batch(waiting, at: .day(35))).newFacts, is: [0, 1], "the adopted facts")
        expect(
            try await texts(of: "anna"), is: [month.fakeJWS, status.fakeJWS, app.fakeJWS], "the facts of the owner")
        expect(try await vault.allParked().count, is: 0, "the number of parked facts")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults of the vault")
    }

    func disputedStatusAndApp() async throws {
        let (month, _) = VaultShop.gold("1")
        let app = VaultShop.app("7")
        try await commit(Self.batch([try month.verifiedFact(), try app.verifiedFact()]))
        let status = VaultShop.status(4, of: month, at: .day(32))
        let copy = VaultShop.app("7", signedAt: .day(32))
        let facts = [try status.verifiedFact(), try copy.verifiedFact()]
        let conflicts = try await conflicts(of: Self.batch(facts, for: "ben", at: .day(33)))
        expect(conflicts.map(\.holder), is: ["anna", "anna"], "the holders of the chains")
        expect(Set(conflicts.map(\.originalTransactionID)), is: ["1", "app:7"], "the chains of the conflicts")
        expect(try await vault.load("ben").version, is: 0, "the version of the customer who presented the evidence")
        expect(
            try await vault.claim(.chain(try Self.chain(app)), for: "ben", at: .day(33)), is: "anna",
            "the answer to another's claim of the app transaction")
        let waiting = try await vault.load("anna").adoptable.rows
        expect(
            Set(waiting.map(\.jws.compact)), is: [status.fakeJWS, copy.fakeJWS],
            "the evidence that waits for the owner")
        try await commit(Self.batch(waiting, at: .day(34)))
        expect(
            try await texts(of: "anna"), is: [month.fakeJWS, app.fakeJWS, status.fakeJWS, copy.fakeJWS],
            "the facts of the owner")
        // Presented for nobody, such evidence goes to its owner.
        let later = [
            try VaultShop.status(3, of: month, at: .day(40)).verifiedFact(),
            try VaultShop.app("7", signedAt: .day(40)).verifiedFact(),
        ]
        let receipt = try await commit(
            CommitBatch(for: .owner(primary: "anna"), at: .day(41), facts: later, rule: VaultShop.rule()))
        expect(receipt.newFacts, is: [0, 1], "the facts that were presented for nobody")
    }

    func movedStatusAndApp() async throws {
        let (month, _) = VaultShop.gold("1")
        let (status, app) = (VaultShop.status(4, of: month, at: .day(32)), VaultShop.app("7"))
        let own = BindingSubject.chain(try Self.chain(app))
        try await commit(Self.batch([try month.verifiedFact(), try status.verifiedFact(), try app.verifiedFact()]))
        try await transfer(.chain(Self.chain(month)), to: "ben")
        expect(try await texts(of: "anna"), is: [app.fakeJWS], "the facts that stay")
        expect(try await texts(of: "ben"), is: [month.fakeJWS, status.fakeJWS], "the facts of the new owner")
        let moved = try await transfer(own, to: "ben")
        expect(moved.chains.map(\.originalID), is: ["app:7"], "the moved chains")
        expect(try await texts(of: "anna"), is: [], "the facts of the previous owner")
        expect(
            try await texts(of: "ben"), is: [month.fakeJWS, status.fakeJWS, app.fakeJWS],
            "the facts of the new owner with the app transaction")
        expect(try await vault.holders(of: [own]), is: [own: "ben"], "the holder of the app transaction")
        let copy = VaultShop.app("7", signedAt: .day(6))
        let conflicts = try await conflicts(of: Self.batch([try copy.verifiedFact()], at: .day(7)))
        expect(conflicts.map(\.holder), is: ["ben"], "the holder that the previous owner meets")
        let report = try await VaultAudit(vault: vault, verifier: DraftVerifier()).run()
        expect(report.faults, is: [], "the faults found by the audit")
    }

    func erasedStatusAndApp() async throws {
        let (month, _) = VaultShop.gold("1")
        let (status, app) = (VaultShop.status(4, of: month, at: .day(32)), VaultShop.app("7"))
        let facts = [try month.verifiedFact(), try status.verifiedFact(), try app.verifiedFact()]
        try await commit(Self.batch(facts))
        let other = VaultShop.app("8")
        try await commit(Self.batch([try other.verifiedFact()], for: "ben"))
        let waiting = [
            try VaultShop.status(3, of: month, at: .day(40)).verifiedFact(),
            try VaultShop.app("7", signedAt: .day(40)).verifiedFact(),
        ]
        try await parkForOwners(waiting, at: .day(41))
        expect(try await vault.allParked().count, is: 2, "the number of facts that wait")

        let erasure = try await vault.erase("anna", reason: "asked for", at: .day(42))
        expect(erasure.facts, is: 3, "the number of erased facts")
        expect(try await vault.allParked().count, is: 0, "the number of parked facts that are left")
        expect(
            try await vault.facts(after: .start, of: nil, limit: 9).map(\.fact.jws.compact), is: [other.fakeJWS],
            "the facts that are left")
        expect(try await texts(of: "ben"), is: [other.fakeJWS], "the facts of the other customer")
        expect(try await vault.chains(originalID: "app:7"), is: [], "the chains of the erased app transaction")
        // The same download can be presented again.
        expect(
            try await commit(Self.batch(facts, for: "carl", at: .day(43))).newFacts, is: [0, 1, 2],
            "the facts that are new for another customer")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults found by the audit")
    }
}
