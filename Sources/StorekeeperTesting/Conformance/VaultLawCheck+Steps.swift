import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    static var stepChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a step that throws leaves none of its writes") { trial in
                try await trial.failingSteps(of: trial.vault)
            },
            VaultCheck("a step that throws leaves no lease") { trial in
                let vault = trial.vault
                if vault.listsInSteps { try await trial.failingLease(of: vault) }
            },
        ]
    }

    /// Runs a step that writes to all tables and then throws, first in an empty vault, and then in a vault with a
    /// customer.
    func failingSteps(of tabled: some TransactionalVault) async throws {
        let facts = try [VaultShop.badge("5", token: VaultShop.token), VaultShop.badge("6")].map {
            try $0.verifiedFact()
        }
        var batch = try Self.batch(
            [VaultShop.coins("1", token: VaultShop.token), VaultShop.coins("2").revoked(at: .day(3))],
            [VaultShop.gold("3").1])
        batch.facts.append(try VaultShop.gold("3").0.verifiedFact())
        batch.events = [VaultShop.event("badge", at: .day(1))]
        batch.owesDelivery = true
        batch.wakeAt = .day(7)
        batch.notifications = ["n-1"]
        batch.pending = [PendingPurchase(productID: "badge", reason: .askToBuy, startedAt: .day(1), endsAt: .day(9))]
        for round in 1...3 {
            let picture = try await VaultPicture(of: vault)
            let step = batch
            await expect(.invalidRequest, from: "a step that throws") { () throws(VaultError) in
                try await tabled.write { tables throws(VaultError) in
                    try Self.writeEverywhere(step, parking: facts, erases: round > 1, in: &tables)
                    throw VaultError(.invalidRequest, "this step fails on purpose")
                }
            }
            try await expectUnchanged(since: picture, by: "a step that threw")
            expect(try await vault.cursor(of: "backend"), is: nil, "the cursor after a step that threw")
            expect(try await vault.wasWritten(Self.failedStep), is: false, "whether a step that threw was written")
            if round == 1 {
                var kept = step
                kept.expectedVersion = 0
                let receipt = try await commit(kept)
                expect(receipt.repeatedNotifications, is: [], "the notifications of a step that threw")
                expect(receipt.owed.count, is: 3, "the owed transactions after a step that threw")
                expect(receipt.newFacts.count, is: 4, "the number of new facts after a step that threw")
                try await parkForOwners(facts, at: .day(2))
                batch = try Self.batch([VaultShop.coins("4"), VaultShop.coins("1").revoked(at: .day(8))])
            }
        }
    }

    /// Runs a step that leases a wake and then throws, first without and then with an erasure in the step.
    func failingLease(of tabled: some TransactionalVault) async throws {
        var batch = try Self.batch([VaultShop.coins("1")])
        batch.wakeAt = .day(7)
        try await commit(batch)
        for erases in [false, true] {
            await expect(.invalidRequest, from: "a step that throws") { () throws(VaultError) in
                try await tabled.write { tables throws(VaultError) in
                    let hold = HeldWakeLease(node: "node", wakeAt: .day(7), until: .day(9))
                    try tables.setLease(hold, of: "anna", at: .day(7))
                    if erases { _ = try VaultRules.erase("anna", reason: "asked for", at: .day(8), in: &tables) }
                    throw VaultError(.invalidRequest, "this step fails on purpose")
                }
            }
            let wakes = try await tabled.read { tables throws(VaultError) in try tables.wakes(after: nil, limit: 9) }
            expect(
                wakes, is: [WakeRow(customer: "anna", at: .day(7), hold: nil)], "the wakes after a step that threw")
        }
    }

    private static var failedStep: StepID {
        var random = SplitMix64(seed: 1)
        return StepID(using: &random)
    }

    private static func writeEverywhere(
        _ batch: CommitBatch, parking facts: [VerifiedFact], erases: Bool, in tables: inout some VaultTables
    ) throws(VaultError) {
        guard let customer = batch.customer, case .committed = try VaultRules.commit(batch, to: &tables) else {
            throw VaultError(.io, "the batch was not written")
        }
        _ = try VaultRules.commit(
            CommitBatch(for: .owner(primary: nil), at: .day(3), facts: facts), to: &tables)
        for fact in facts.prefix(1) { try tables.unpark(fact) }
        let chain = ChainID(bundleID: "com.example.game", environment: .production, originalID: "8")
        _ = try VaultRules.claim(.chain(chain), for: "ben", at: .day(3), in: &tables)
        _ = try VaultRules.claim(.chain(chain), for: "carl", at: .day(3), in: &tables)
        _ = try VaultRules.move(
            [
                .spend(10, of: "coins", by: customer, key: "k", at: .day(3)),
                .grant(10, of: "gems", to: "ben", because: "a gift", key: "k", at: .day(3)),
            ], policy: .debt, in: &tables)
        let item = try tables.unfinished(of: customer).first
        if let item {
            try tables.markDelivery(of: item.key, as: .delivered)
            try tables.markDelivery(of: item.key, as: nil)
        }
        try tables.setCursor(UpdateCursor(rawValue: "9"), of: "backend")
        try tables.insert(step: Self.failedStep, at: .day(3), forgettingBefore: .day(1))
        if erases { _ = try VaultRules.erase(customer, reason: "asked for", at: .day(3), in: &tables) }
    }
}
