import Storekeeper

extension VaultLawCheck {
    static var deliveryChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a new transaction is owed until it is finished, and never again") { try await $0.outbox() },
            VaultCheck("a transaction that the vault knew before is not owed") { try await $0.notOwed() },
        ]
    }

    private static func key(_ draft: TransactionDraft) -> TransactionKey {
        TransactionKey(bundleID: draft.bundleID, environment: draft.environment, transactionID: draft.id)
    }

    func outbox() async throws {
        let (first, second, third) = (VaultShop.coins("1"), VaultShop.badge("2"), VaultShop.badge("3"))
        var batch = try Self.batch([first, second, first.signed(at: .day(1))])
        batch.owesDelivery = true
        let receipt = try await commit(batch)
        let items = [first, second].map { OutboxItem(key: Self.key($0), customer: "anna", state: .owed) }
        expect(receipt.owed, is: items, "the transactions owed by the batch")
        var other = try Self.batch([third], for: "ben")
        other.owesDelivery = true
        try await commit(other)
        expect(try await vault.load("anna").unfinished, is: items, "what is unfinished in the record")
        expect(try await vault.unfinished(of: "anna"), is: items, "what is unfinished of the customer")
        expect(
            try await vault.allUnfinished().map(\.key.transactionID), is: ["1", "2", "3"], "all that is unfinished")
        try await vault.markDelivery(of: Self.key(first), as: .delivered)
        expect(
            try await vault.unfinished(of: "anna").map(\.state), is: [.delivered, .owed], "the states after a delivery")
        try await vault.markDelivery(of: Self.key(first), as: nil)
        try await vault.markDelivery(of: Self.key(first), as: nil)
        expect(try await vault.unfinished(of: "anna"), is: [items[1]], "what is unfinished after a finish")
        batch = try Self.batch([first, first.revoked(at: .day(4)), second.signed(at: .day(4))])
        batch.owesDelivery = true
        expect(try await commit(batch).owed, is: [], "the transactions owed again by new copies")
        expect(try await vault.allUnfinished().map(\.key.transactionID), is: ["2", "3"], "what is left unfinished")
        try await vault.markDelivery(of: Self.key(VaultShop.badge("unheard of")), as: nil)
    }

    func notOwed() async throws {
        expect(
            try await learn([VaultShop.coins("1")]).owed, is: [], "the transactions owed by a batch that owes nothing")
        var batch = try Self.batch([VaultShop.coins("1").revoked(at: .day(3)), VaultShop.coins("2")])
        batch.owesDelivery = true
        expect(
            try await commit(batch).owed.map(\.key.transactionID), is: ["2"],
            "the owed transactions when one of two transactions was known")
    }
}
