import Storekeeper

extension VaultLawCheck {
    static var requestChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a spend takes at most the balance") { try await $0.spending() },
            VaultCheck("a key is executed once") { try await $0.replay() },
            VaultCheck("a grant adds units without a purchase and stores a reason") { try await $0.granting() },
            VaultCheck("an entry names the caller that requested it") { try await $0.recordedCallers() },
            VaultCheck("texts that are too long are refused") { try await $0.longTexts() },
            VaultCheck("several requests are executed in order") { try await $0.severalRequests() },
            VaultCheck("an invalid request changes nothing") { try await $0.invalidRequests() },
            VaultCheck("a request that overflows rolls back its whole call") { try await $0.requestOverflow() },
        ]
    }

    private func success(_ result: Result<LedgerReceipt, LedgerRefusal>) throws -> LedgerReceipt {
        guard case .success(let receipt) = result else { throw ConformanceFailure("a request was refused: \(result)") }
        return receipt
    }

    func spending() async throws {
        try await learn([VaultShop.coins("1")])
        let receipt = try success(try await move(.spend(380, of: "coins", by: "anna", key: "a", at: .day(2))))
        expect(receipt.balance, is: 120, "the balance on the receipt")
        expect(receipt.isReplay, is: false, "whether the first receipt is a replay")
        expect(receipt.entry.kind, is: .spend, "the kind of the entry")
        expect(receipt.entry.change, is: -380, "the change of the entry")
        expect(receipt.entry.cause, is: .request(key: "a", reason: nil), "the cause of the entry")
        expect(receipt.entry.at, is: .day(2), "the instant of the entry")
        let picture = try await VaultPicture(of: vault)
        let refused = LedgerRequest.spend(121, of: "coins", by: "anna", key: "b", at: .day(3))
        expect(try await move(refused), is: .failure(.insufficient(balance: 120)), "the answer to a spend of too much")
        let stranger = LedgerRequest.spend(1, of: "coins", by: "ben", key: "b", at: .day(3))
        expect(
            try await move(stranger), is: .failure(.insufficient(balance: 0)),
            "the answer to a spend of an unknown customer")
        try await expectUnchanged(since: picture, by: "refused spends")
        // The caller of a refused request knows that nothing was changed, so the request is not carried out later.
        _ = try success(try await move(.grant(21, of: "coins", to: "anna", because: "a gift", key: "c", at: .day(3))))
        var later = refused
        later.at = .day(4)
        expect(
            try await move(later), is: .failure(.insufficient(balance: 141)), "the answer to a repeated refused spend")
        // A different request may use the key.
        _ = try success(try await move(.spend(120, of: "coins", by: "anna", key: "b", at: .day(4))))
        expect(try await vault.version(of: "anna").lastEntry.number, is: 4, "the number of the last entry")
        expect(try await amount(), is: 21, "the balance")
    }

    func recordedCallers() async throws {
        try await learn([VaultShop.coins("1")])
        var request = LedgerRequest.spend(100, of: "coins", by: "anna", key: "a", at: .day(2), recordedBy: "shop")
        let receipt = try success(try await move(request))
        expect(receipt.entry.recordedBy, is: "shop", "the caller of the entry")
        expect(receipt.customer, is: "anna", "the customer of the receipt")
        request.recordedBy = "desk"
        let again = try success(try await move(request))
        expect(again.isReplay, is: true, "whether the same request of another caller is a replay")
        expect(again.entry.recordedBy, is: "shop", "the caller of the replay")
        let entries = try await vault.entries(after: .start, of: "anna", limit: 9)
        expect(entries.map(\.recordedBy), is: [nil, "shop"], "the callers in the account")
        expect(try await vault.checkIntegrity().faults, is: [], "the faults found by the audit")
    }

    func longTexts() async throws {
        try await learn([VaultShop.coins("1")])
        let (id, long, reason) = (
            String(repeating: "x", count: 256), String(repeating: "x", count: 257), String(repeating: "r", count: 1_024)
        )
        let fitting = LedgerRequest.grant(
            1, of: Balance.ID(id), to: CustomerID(rawValue: id), because: reason, key: LedgerRequest.Key(id),
            at: .day(2), recordedBy: id)
        _ = try success(try await move(fitting))
        let picture = try await VaultPicture(of: vault)
        let others = [
            LedgerRequest.spend(1, of: "coins", by: "anna", key: LedgerRequest.Key(long), at: .day(2)),
            .grant(1, of: Balance.ID(long), to: "anna", because: "gift", key: "k", at: .day(2)),
            .grant(1, of: "coins", to: "anna", because: reason + "r", key: "k", at: .day(2)),
            .grant(1, of: "coins", to: CustomerID(rawValue: long), because: "gift", key: "k", at: .day(2)),
            .spend(1, of: "coins", by: "anna", key: "k", at: .day(2), recordedBy: long),
        ]
        for other in others {
            await expect(.invalidRequest, from: "a text that is too long") { () async throws(VaultError) in
                _ = try await vault.move([other], policy: .debt)
            }
        }
        try await expectUnchanged(since: picture, by: "texts that are too long")
    }

    func replay() async throws {
        try await learn([VaultShop.coins("1")])
        try await learn([VaultShop.coins("2")], for: "ben")
        let request = LedgerRequest.spend(400, of: "coins", by: "anna", key: "k", at: .day(2))
        let first = try success(try await move(request))
        var later = request
        later.at = .day(9)
        let picture = try await VaultPicture(of: vault)
        let again = try success(try await move(later))
        expect(again.isReplay, is: true, "whether the second receipt is a replay")
        expect(again.entry, is: first.entry, "the entry of the second receipt")
        expect(again.receipt, is: first.receipt, "the text of the second receipt")
        let others = [
            LedgerRequest.spend(399, of: "coins", by: "anna", key: "k", at: .day(2)),
            .spend(400, of: "gems", by: "anna", key: "k", at: .day(2)),
            .grant(400, of: "coins", to: "anna", because: "sorry", key: "k", at: .day(2)),
        ]
        for other in others {
            expect(try await move(other), is: .failure(.keyReused), "the answer to another request of the same key")
        }
        try await expectUnchanged(since: picture, by: "replays")
        _ = try success(try await move(.spend(100, of: "coins", by: "ben", key: "k", at: .day(3))))
        expect(try await amount(of: "ben"), is: 400, "the balance of another customer who uses the same key")
    }

    func granting() async throws {
        let request = LedgerRequest.grant(7, of: "gems", to: "anna", because: "sorry", key: "k", at: .day(1))
        let receipt = try success(try await move(request))
        expect(receipt.entry.kind, is: .grant, "the kind of the entry")
        expect(receipt.entry.cause, is: .request(key: "k", reason: "sorry"), "the cause of the entry")
        expect(try success(try await move(request)).isReplay, is: true, "whether the second receipt is a replay")
        let other = LedgerRequest.grant(7, of: "gems", to: "anna", because: "a gift", key: "k", at: .day(1))
        expect(try await move(other), is: .failure(.keyReused), "the answer to another reason of the same key")
        expect(try await amount("gems"), is: 7, "the balance")
        expect(try await vault.customers(after: nil, limit: 10), is: ["anna"], "the customers after a grant")
        expect(try await vault.load("anna").lastEntry, is: AccountEnd(receipt.entry), "the last entry")
    }

    func severalRequests() async throws {
        let gift = LedgerRequest.grant(5, of: "gems", to: "anna", because: "a gift", key: "1", at: .day(1))
        let results = try await vault.move(
            [
                gift, .spend(6, of: "gems", by: "anna", key: "2", at: .day(1)),
                .spend(4, of: "gems", by: "anna", key: "3", at: .day(1)), gift,
                .grant(1, of: "gems", to: "ben", because: "a gift", key: "1", at: .day(1)),
            ], policy: .debt)
        expect(results.count, is: 5, "the number of results")
        expect(results.map { (try? $0.get())?.balance }, is: [5, nil, 1, 5, 1], "the balances on the receipts")
        expect(
            results.map { (try? $0.get())?.isReplay }, is: [false, nil, false, true, false],
            "which receipts are replays")
        expect(try await amount("gems"), is: 1, "the balance")
        expect(try await vault.move([], policy: .debt).count, is: 0, "the number of results of no requests")
    }

    func invalidRequests() async throws {
        try await learn([VaultShop.coins("1")])
        let good = LedgerRequest.spend(1, of: "coins", by: "anna", key: "good", at: .day(1))
        let picture = try await VaultPicture(of: vault)
        for (what, change) in Self.invalidChanges {
            var bad = good
            bad.key = "bad"
            change(&bad)
            let requests = [good, bad]
            await expect(.invalidRequest, from: "a request with \(what)") { () throws(VaultError) in
                _ = try await vault.move(requests, policy: .debt)
            }
            try await expectUnchanged(since: picture, by: "a request with \(what)")
        }
    }

    private static var invalidChanges: [(String, @Sendable (inout LedgerRequest) -> Void)] {
        [
            ("a quantity of 0", { $0.quantity = 0 }), ("a quantity below 0", { $0.quantity = -5 }),
            ("the minimum quantity", { $0.quantity = .min }), ("no key", { $0.key = "" }),
            ("no balance", { $0.balance = "" }),
        ]
    }

    func requestOverflow() async throws {
        try await learn([VaultShop.coins("1")])
        let picture = try await VaultPicture(of: vault)
        await expect(.overflow, from: "a grant of the maximum") { () throws(VaultError) in
            _ = try await vault.move(
                [
                    .grant(1, of: "gems", to: "anna", because: "a gift", key: "1", at: .day(1)),
                    .grant(.max, of: "coins", to: "anna", because: "a gift", key: "2", at: .day(1)),
                ], policy: .debt)
        }
        try await expectUnchanged(since: picture, by: "a call that overflowed")
        let spend = LedgerRequest.spend(.max, of: "coins", by: "anna", key: "3", at: .day(1))
        expect(
            try await move(spend), is: .failure(.insufficient(balance: 500)), "the answer to a spend of the maximum")
        try await grant(1, of: "gems")
    }
}
