import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var erasureChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("an erasure removes all data of one customer and none of another") { try await $0.erasure() },
            VaultCheck("an erased id can be used again") { try await $0.lifeAfterErasure() },
            VaultCheck("the version of an erased customer never returns") { try await $0.versionsAfterErasure() },
            VaultCheck("a batch that adds nothing about an unknown customer does not make them known") {
                try await $0.lateBatch()
            },
            VaultCheck("the erasure of an unknown customer is refused and writes nothing") {
                try await $0.emptyErasure()
            },
            VaultCheck("coins are credited once, and a key is used once, also across an erasure") {
                try await $0.creditedBefore()
            },
            VaultCheck("an erasure keeps a renewal info that another customer's chain shares") {
                try await $0.sharedInfo()
            },
            VaultCheck("an erasure keeps evidence that is parked for another customer") {
                try await $0.parkedOfAnother()
            },
            VaultCheck("an undamaged vault has no fault") { try await $0.integrity() },
        ]
    }

    /// Writes data of every kind for a customer.
    ///
    /// The ids of the data begin with the given letter.
    private func writeEveryKind(_ customer: CustomerID, _ letter: String, token: String) async throws {
        let (month, info) = VaultShop.gold(Transaction.ID(rawValue: "\(letter)1"))
        var batch = try Self.batch(
            [month, VaultShop.coins(Transaction.ID(rawValue: "\(letter)2"), token: token)], [info], for: customer)
        batch.events = [VaultShop.event("gold.monthly", at: .day(1))]
        batch.owesDelivery = true
        batch.wakeAt = .day(31)
        batch.pending = [PendingPurchase(productID: "badge", reason: .askToBuy, startedAt: .day(1), endsAt: .day(9))]
        try await commit(batch)
        try await spend(100, by: customer, key: "sword of \(letter)")
        let parked = VaultShop.badge(Transaction.ID(rawValue: "\(letter)3"), token: token)
        try await parkForOwners([parked.verifiedFact()], at: .day(2))
    }

    func erasure() async throws {
        try await writeEveryKind("anna", "a", token: VaultShop.token)
        try await writeEveryKind("ben", "b", token: VaultShop.otherToken)
        let erasure = try await vault.erase("anna", reason: "asked for", at: .day(5))
        expect(erasure.facts, is: 3, "the number of erased facts")
        expect(erasure.entries, is: 2, "the number of emptied entries")
        expect(erasure.reason, is: "asked for", "the reason")
        expect(erasure.at, is: .day(5), "the instant")
        expect(!erasure.proof.isEmpty, "there is no proof")
        let record = try await vault.load("anna")
        expect(record.version, is: 0, "the version of the erased customer")
        expect(record.facts.count + record.balances.count + record.unfinished.count, is: 0, "the number of rows left")
        expect(
            record.pending.count + record.adoptable.rows.count, is: 0, "the number of pending or adoptable items left")
        expect(record.lastEntry, is: .none, "the last entry of the erased customer")
        expect(try await vault.bindings(of: "anna").count, is: 0, "the number of bindings of the erased customer")
        expect(try await vault.customers(after: nil, limit: 10), is: ["ben"], "the customers who are left")
        expect(try await vault.nextWake()?.customer, is: "ben", "the customer who is woken")
        let left = try await VaultPicture(of: vault).lines
        for line in left { expect(!line.contains("anna"), "the erased customer is still named: \(line)") }
        expect(try await vault.chains(originalID: "a1"), is: [], "the chains of the erased customer")
        expect(try await vault.allParked().count, is: 1, "the number of parked facts that are left")
        let ben = try await vault.load("ben")
        expect(ben.facts.count, is: 3, "the facts of the other customer")
        expect(ben.balances.map(\.amount), is: [400], "the balances of the other customer")
        expect(
            ben.unfinished.count + ben.pending.count + ben.adoptable.rows.count, is: 4,
            "the number of waiting items of the other customer")
        expect(
            try await vault.entries(after: .start, of: nil, limit: 10).map(\.customer), is: ["ben", "ben"],
            "the accounts")
        expect(try await vault.events(after: .start, of: nil, limit: 10).map(\.customer), is: ["ben"], "the events")
        expect(try await vault.erasures(of: "anna"), is: [erasure], "the erasures of the erased customer")
        expect(try await vault.erasures(of: "ben"), is: [], "the erasures of the other customer")
    }

    func lifeAfterErasure() async throws {
        try await writeEveryKind("anna", "a", token: VaultShop.token)
        let last = try await vault.load("anna").lastEntry
        _ = try await vault.erase("anna", reason: "asked for", at: .day(5))
        try await writeEveryKind("anna", "c", token: VaultShop.token)
        expect(try await amount(), is: 400, "the balance after starting again")
        let record = try await vault.load("anna")
        expect(record.facts.count, is: 3, "the facts after starting again")
        expect(record.unfinished.count, is: 2, "the owed transactions after starting again")
        expect(record.lastEntry.number, is: last.number, "the number of the last entry after starting again")
        expect(record.lastEntry.place != last.place, "a place was used twice")
        _ = try await vault.erase("anna", reason: "asked again", at: .day(6))
        expect(try await vault.erasures(of: "anna").map(\.reason), is: ["asked for", "asked again"], "the erasures")
        try await learn([VaultShop.coins("a2")], for: "ben")
        expect(
            try await vault.load("ben").facts.count, is: 1, "the facts of the customer with evidence of an erased one")
        expect(
            try await vault.balances(of: "ben").count, is: 0,
            "the balances of the customer with evidence of an erased one")
    }

    func versionsAfterErasure() async throws {
        var versions: [Int64] = []
        for round in 1...3 {
            for number in 1...2 {
                let badge = VaultShop.badge(Transaction.ID(rawValue: "\(round)-\(number)"))
                versions.append(try await learn([badge]).version)
            }
            var batch = try Self.batch([])
            batch.wakeAt = .day(round)
            versions.append(try await commit(batch).version)
            _ = try await vault.erase("anna", reason: "asked for", at: .day(5))
            expect(try await vault.version(of: "anna").version, is: 0, "the version after an erasure")
        }
        let chain = ChainID(try VaultShop.badge("claimed").transaction())
        expect(try await vault.claim(.chain(chain), for: "anna", at: .day(6)), is: nil, "the answer to the claim")
        versions.append(try await vault.version(of: "anna").version)
        _ = try await vault.erase("anna", reason: "asked for", at: .day(7))
        try await grant(1)
        versions.append(try await vault.version(of: "anna").version)
        expect(Set(versions).count, is: versions.count, "the number of different versions among \(versions)")
        var late = try Self.batch([VaultShop.badge("late")])
        for version in versions.dropLast() {
            late.expectedVersion = version
            guard case .stale = try await vault.commit(late) else {
                throw ConformanceFailure("a batch for version \(version) of an erased customer was written")
            }
        }
    }

    /// Commits a batch that was computed before its customer was erased.
    func lateBatch() async throws {
        try await learn([VaultShop.badge("1")])
        _ = try await vault.erase("anna", reason: "asked for", at: .day(5))
        let picture = try await VaultPicture(of: vault)
        var batch = try Self.batch([], at: .day(6))
        batch.evaluatedThrough = .day(6)
        batch.wakeAt = .day(7)
        batch.settledPending = ["badge"]
        batch.notifications = ["n-1"]
        batch.expectedVersion = 0
        expect(try await commit(batch).version, is: 0, "the version of the unknown customer")
        try await expectUnchanged(since: picture, by: "a batch that adds nothing")
        expect(try await vault.seenNotifications(among: ["n-1"]), is: ["n-1"], "the recorded notifications")
        // The instant at which the App Store's history was read is stored even if the history is empty.
        batch.syncedAt = .day(6)
        try await commit(batch)
        expect(try await vault.customers(after: nil, limit: 10), is: ["anna"], "the known customers")
    }

    func creditedBefore() async throws {
        try await learn([VaultShop.coins("1"), VaultShop.badge("2")])
        try await spend(450, by: "anna")
        let key: LedgerRequest.Key = "used"
        let request = LedgerRequest.spend(50, of: "coins", by: "anna", key: key, at: .day(2))
        _ = try await vault.move([request], policy: .debt)
        _ = try await vault.erase("anna", reason: "asked for", at: .day(3))

        var batch = try Self.batch([VaultShop.coins("1"), VaultShop.badge("2"), VaultShop.coins("3")], at: .day(4))
        batch.owesDelivery = true
        let receipt = try await commit(batch)
        expect(receipt.newFacts.count, is: 3, "the facts that are new again")
        expect(receipt.creditedBefore.map(\.transactionID), is: ["1"], "the transactions reported as credited before")
        expect(receipt.entries.map(\.change), is: [500], "the entries after starting again")
        let owed = try await vault.load("anna").unfinished
        expect(
            Dictionary(uniqueKeysWithValues: owed.map { ($0.key.transactionID, $0.state) }),
            is: ["1": .delivered, "2": .owed, "3": .owed], "the owed transactions of those that were delivered before")
        let again = try await commit(batch)
        expect(again.newFacts.count + again.entries.count, is: 0, "what is new when the evidence is presented again")
        expect(
            again.creditedBefore.map(\.transactionID), is: ["1"],
            "the transactions reported as credited before, presented again")
        // A refund claws back only units that were credited.
        let refund = try await learn([VaultShop.coins("1").revoked(at: .day(5), signedAt: .day(5))], at: .day(5))
        expect(refund.newFacts.count, is: 1, "the facts of a refund")
        expect(refund.entries.count, is: 0, "the entries of a refund of an uncredited purchase")
        expect(try await vault.move([request], policy: .debt), is: [.failure(.keyReused)], "the answer to an old key")
        expect(try await amount(), is: 500, "the balance after an old key")
        var other = request
        other.key = "new"
        let moved = try await vault.move([other], policy: .debt)
        expect((try? moved.first?.get().balance) ?? 0, is: 450, "the balance after a new key")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults found by the audit")
    }

    func emptyErasure() async throws {
        try await writeEveryKind("anna", "a", token: VaultShop.token)
        let picture = try await VaultPicture(of: vault)
        await expect(.unknownCustomer, from: "the erasure of an unknown customer") { () async throws(VaultError) in
            _ = try await vault.erase("nobody", reason: "asked for", at: .day(5))
        }
        expect(try await vault.erasures(of: "nobody"), is: [], "the erasures of an unknown customer")
        try await expectUnchanged(since: picture, by: "the erasure of an unknown customer")
    }

    /// Erases two customers who have purchases with equal ids in two apps, and therefore the same renewal info.
    func sharedInfo() async throws {
        let (month, info) = VaultShop.gold("7")
        var other = month
        other.bundleID = "com.example.other"
        try await learn([month], [info], for: "anna")
        try await learn([other], for: "ben")
        expect(
            try await vault.erase("anna", reason: "asked for", at: .day(9)).facts, is: 1,
            "the number of erased facts of the first")
        expect(
            try await vault.load("ben").facts.count, is: 2, "the number of facts of the customer who shares the info")
        expect(
            try await vault.erase("ben", reason: "asked for", at: .day(9)).facts, is: 2,
            "the number of erased facts of the second")
        expect(
            try await vault.facts(after: .start, of: nil, limit: 9).count, is: 0, "the number of facts that are left")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults found by the audit")
    }

    /// Erases a customer whose token is in two pieces of parked evidence: one of another customer's chain, and one of a
    /// chain without an owner.
    func parkedOfAnother() async throws {
        guard vault.accountTokens == .asIDs else { return }
        let anna = CustomerID(rawValue: VaultShop.token)
        // A token that equals a customer's id has no owner until the vault contains this customer.
        try await learn([VaultShop.badge("9")], for: anna)
        try await learn([VaultShop.badge("7")], for: "ben")
        var disputed = VaultShop.badge("7", token: VaultShop.token).signed(at: .day(2))
        disputed.id = "7-again"
        _ = try await conflicts(of: Self.batch([disputed], for: "ben"))
        try await parkForOwners([VaultShop.badge("8", token: VaultShop.token).verifiedFact()], at: .day(2))
        expect(try await vault.allParked().count, is: 2, "the number of facts that wait")
        _ = try await vault.erase(anna, reason: "asked for", at: .day(9))
        expect(
            try await vault.allParked().map { $0.fact.transaction?.id }, is: ["7-again"],
            "the evidence that is parked after the erasure")
        expect(
            try await vault.chains(originalID: "8"), is: [],
            "the chains of evidence that was parked for the erased customer")
    }

    func integrity() async throws {
        try await writeEveryKind("anna", "a", token: VaultShop.token)
        try await writeEveryKind("ben", "b", token: VaultShop.otherToken)
        _ = try await vault.erase("anna", reason: "asked for", at: .day(5))
        expect(try await vault.checkIntegrity().faults, is: [], "the faults found by the audit")
    }
}
