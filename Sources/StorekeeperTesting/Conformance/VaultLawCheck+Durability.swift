import FoundationEssentials
import Storekeeper

extension VaultLawCheck {
    /// Writes data of every kind, opens the vault again, and checks that the vault contains all this data.
    func durability(_ reopen: @Sendable (Tested) async throws -> Tested) async throws {
        let (month, info) = VaultShop.gold("1")
        var batch = try Self.batch([month, VaultShop.coins("2", token: VaultShop.token)], [info])
        batch.facts += [
            try VaultShop.status(1, of: month, at: .day(1)).verifiedFact(), try VaultShop.app("7").verifiedFact(),
        ]
        batch.events = [VaultShop.event("gold.monthly", at: .day(1))]
        batch.owesDelivery = true
        batch.wakeAt = .day(31)
        batch.syncedAt = .day(1)
        batch.evaluatedThrough = .day(1)
        batch.notifications = ["n-1"]
        batch.pending = [PendingPurchase(productID: "badge", reason: .askToBuy, startedAt: .day(1), endsAt: .day(9))]
        batch.step = Self.stepID(5)
        let receipt = try await commit(batch)
        try await spend(100)
        try await learn([VaultShop.coins("3")], for: "ben")
        let erasure = try await vault.erase("ben", reason: "asked for", at: .day(2))
        let (lost, _) = VaultShop.gold("8")
        let waiting = [
            try VaultShop.badge("9").verifiedFact(), try VaultShop.app("9").verifiedFact(),
            try VaultShop.status(2, of: lost, at: .day(1)).verifiedFact(),
        ]
        try await parkForOwners(waiting, at: .day(2))
        _ = try await vault.claim(.chain(ChainID(try month.transaction())), for: "carl", at: .day(2))
        try await vault.setCursor(UpdateCursor(rawValue: "7"), of: "backend")
        for item in receipt.owed.prefix(1) { try await vault.markDelivery(of: item.key, as: .delivered) }
        try await vault.changeWebhook("billing", of: [], isWhole: true) { step in
            step.begin(after: .start)
        }
        let webhook = try await vault.webhookState(of: "billing")
        let picture = try await VaultPicture(of: vault)

        let opened = try await reopen(vault)
        try await expectPicture(of: opened, is: picture, "after reopening")
        expect(try await opened.cursor(of: "backend")?.rawValue, is: "7", "the cursor after reopening")
        expect(try await opened.erasures(of: "ben"), is: [erasure], "the erasures after reopening")
        expect(
            try await opened.webhookState(of: "billing"), is: webhook, "the webhook after reopening")
        let again = VaultLawCheck(vault: opened, law: law, sourceLocation: sourceLocation)
        batch.step = nil
        let repetition = try await again.commit(batch)
        expect(repetition.repeatedNotifications, is: ["n-1"], "the notifications that were seen before reopening")
        expect(repetition.newFacts, is: [], "the facts that are new after reopening")
        let replay = try await again.move(.spend(100, of: "coins", by: "anna", key: "sword", at: .day(2)))
        expect((try? replay.get())?.isReplay, is: true, "whether a key is known after reopening")
        let conflict = try await again.conflicts(of: Self.batch([month.signed(at: .day(4))], for: "carl"))
        expect(conflict.map(\.attempts), is: [2], "the number of attempts after reopening")
        expect(try await opened.wasWritten(Self.stepID(5)), is: true, "whether a step is known after reopening")
        let entry = try await again.vault.load("anna").lastEntry
        try await again.grant(1)
        let last = try await opened.load("anna").lastEntry
        expect(last.number, is: entry.number + 1, "the number of an entry after reopening")
        expect(
            try await opened.entries(after: entry.place, of: nil, limit: 10).map(\.place), is: [last.place],
            "the places after reopening")
        expect(try await opened.checkIntegrity().faults, is: [], "the faults after reopening")
    }

    /// Makes several writes that are refused, opens the vault again, and checks that the vault is unchanged.
    func refusals(_ reopen: @Sendable (Tested) async throws -> Tested) async throws {
        try await learn([VaultShop.coins("1")])
        let picture = try await VaultPicture(of: vault)
        var batch = try Self.batch([VaultShop.coins("1").signed(at: .day(3)), VaultShop.coins("2")], for: "ben")
        batch.expectedOwn = [0, 1]
        expect(try await division(of: batch), is: [1], "the facts that are the customer's")
        _ = try await move(.spend(501, of: "coins", by: "anna", key: "k", at: .day(2)))
        await expect(.invalidRequest, from: "a request without a key") { () throws(VaultError) in
            _ = try await vault.move([.spend(1, of: "coins", by: "anna", key: "", at: .day(2))], policy: .debt)
        }
        let gift = LedgerRequest.grant(.max, of: "coins", to: "anna", because: "a gift", key: "all", at: .day(2))
        await expect(.overflow, from: "a grant of the maximum") { () throws(VaultError) in
            _ = try await vault.move([gift], policy: .debt)
        }
        try await expectPicture(of: try await reopen(vault), is: picture, "after reopening")
    }
}
