import Storekeeper

extension VaultLawCheck {
    static var concurrencyChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("64 spenders of one balance never overdraw it") { try await $0.manySpenders() },
            VaultCheck("one key raced 64 times moves once") { try await $0.racedKey() },
            VaultCheck("one purchase raced 16 times is credited once") { try await $0.racedCommit() },
            VaultCheck("of several batches for one version one is written") { try await $0.racedVersion() },
            VaultCheck("a cancelled caller still gets a whole answer") { try await $0.cancelledCaller() },
        ]
    }

    /// Runs calls concurrently.
    private func race<Outcome: Sendable>(
        _ count: Int, _ call: @escaping @Sendable (Int) async throws -> Outcome
    ) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 0..<count { group.addTask { try await call(number) } }
            var outcomes: [Outcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    func manySpenders() async throws {
        try await learn([VaultShop.coins("1")])
        let results = try await race(64) { number in
            try await move(.spend(20, of: "coins", by: "anna", key: "key \(number)", at: .day(2)))
        }
        let receipts = results.compactMap { try? $0.get() }
        expect(receipts.count, is: 25, "the number of spends of 20 that 500 coins allow")
        expect(Set(receipts.map(\.balance)).count, is: 25, "the number of different balances on the receipts")
        expect(try await amount(), is: 0, "the balance")
        let sum = try await vault.entries(after: .start, of: "anna", limit: 100).reduce(0) { $0 + $1.change }
        expect(sum, is: 0, "the sum of the account")
    }

    func racedKey() async throws {
        try await learn([VaultShop.coins("1")])
        let request = LedgerRequest.spend(20, of: "coins", by: "anna", key: "one", at: .day(2))
        let receipts = try await race(64) { _ in try await move(request) }.compactMap { try? $0.get() }
        expect(receipts.count, is: 64, "the number of receipts")
        expect(receipts.count { !$0.isReplay }, is: 1, "the number of receipts that are not replays")
        expect(Set(receipts.map(\.receipt)).count, is: 1, "the number of different receipts")
        expect(try await amount(), is: 480, "the balance")
    }

    func racedCommit() async throws {
        let batch = try Self.batch([VaultShop.coins("1"), VaultShop.coins("1").signed(at: .day(3))])
        let receipts = try await race(16) { _ in try await commit(batch) }
        expect(receipts.reduce(0) { $0 + $1.newFacts.count }, is: 2, "how often a fact was new")
        expect(try await amount(), is: 500, "the balance")
    }

    func racedVersion() async throws {
        var batch = try Self.batch([VaultShop.badge("1")])
        batch.expectedVersion = 0
        batch.events = [VaultShop.event("badge", at: .day(1))]
        let raced = batch
        let outcomes = try await race(16) { _ in
            if case .committed = try await vault.commit(raced) { true } else { false }
        }
        expect(outcomes.count { $0 }, is: 1, "the number of batches that were written")
        expect(try await vault.events(after: .start, of: nil, limit: 100).count, is: 1, "the number of events")
    }

    func cancelledCaller() async throws {
        for number in 1...5 { try await learn([VaultShop.coins(Transaction.ID(rawValue: "\(number)"))]) }
        let whole = try await vault.load("anna")
        let record = try await cancelled { try await vault.load("anna") }
        expect(record.facts.map(\.place), is: whole.facts.map(\.place), "the facts that a cancelled caller gets")
        expect(record.balances, is: whole.balances, "the balances that a cancelled caller gets")
        let balances = try await cancelled { try await vault.balances(of: "anna") }
        expect(balances, is: whole.balances, "the balances that a cancelled caller asks for")
        let entries = try await cancelled { try await vault.entries(after: .start, of: "anna", limit: 100) }
        expect(entries.count, is: 5, "the number of entries that a cancelled caller gets")
        let receipt = try await cancelled {
            try await move(.spend(20, of: "coins", by: "anna", key: "one", at: .day(2)))
        }
        expect((try? receipt.get())?.balance, is: 2_480, "the balance on the receipt of a cancelled caller")
        let late = try await cancelled { try await learn([VaultShop.badge("9")]) }
        expect(late.newFacts, is: [0], "what a cancelled caller has written")
        expect(try await vault.load("anna").facts.count, is: 6, "the number of facts afterwards")
    }
}
