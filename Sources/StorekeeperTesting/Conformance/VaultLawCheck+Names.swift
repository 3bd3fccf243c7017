import Storekeeper

extension VaultLawCheck {
    static var nameChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("customer ids that only look alike are different") { try await $0.lookalikeCustomers() },
            VaultCheck("keys and balances that only look alike are different") { try await $0.lookalikeBalances() },
            VaultCheck("purchases that only look alike are different") { try await $0.lookalikePurchases() },
        ]
    }

    /// Two words that look equal but differ in their bytes.
    ///
    /// One word contains a composed letter, and the other word contains a letter with a combining accent.
    private static var composed: String { "caf\u{E9}" }
    private static var decomposed: String { "cafe\u{301}" }

    func lookalikeCustomers() async throws {
        let (one, other) = (CustomerID(rawValue: Self.composed), CustomerID(rawValue: Self.decomposed))
        try await learn([VaultShop.coins("1")], for: one)
        try await learn([VaultShop.coins("2", quantity: 2)], for: other)
        expect(try await amount(of: one), is: 500, "the balance of the first")
        expect(try await amount(of: other), is: 1_000, "the balance of the second")
        expect(try await vault.customers(after: nil, limit: 10), is: [other, one], "the customers, in order of bytes,")
        expect(try await vault.customers(after: other, limit: 10), is: [one], "the customers after the first")
        let conflicts = try await conflicts(of: Self.batch([VaultShop.coins("1")], for: other))
        expect(conflicts.map(\.holder), is: [one], "the holder of the other's purchase")
        _ = try await vault.erase(one, reason: "asked for", at: .day(9))
        expect(try await vault.customers(after: nil, limit: 10), is: [other], "the customers after one was erased")
        expect(try await vault.erasures(of: other).count, is: 0, "the erasures of the other customer")
    }

    func lookalikeBalances() async throws {
        try await grant(100, of: Balance.ID(Self.composed))
        let second = LedgerRequest.grant(
            7, of: Balance.ID(Self.decomposed), to: "anna", because: "a gift", key: "other gift", at: .day(1))
        guard case .success = try await move(second) else { throw ConformanceFailure("a gift was refused") }
        let found = try await vault.balances(of: "anna")
        expect(
            found.map { Array($0.id.rawValue.utf8) }, is: [Self.decomposed, Self.composed].map { Array($0.utf8) },
            "the names")
        expect(found.map(\.amount), is: [7, 100], "the balances")
        try await spend(60, of: Balance.ID(Self.composed), key: "key \(Self.composed)")
        // The request has a different key, so it is not a repetition.
        let request = LedgerRequest.spend(
            40, of: Balance.ID(Self.composed), by: "anna", key: "key \(Self.decomposed)", at: .day(2))
        let receipt = try await move(request).get()
        expect(receipt.isReplay, is: false, "whether another key is a replay")
        expect(receipt.balance, is: 0, "the balance after both")
        let same = LedgerRequest.spend(
            60, of: Balance.ID(Self.decomposed), by: "anna", key: "key \(Self.composed)", at: .day(2))
        expect(try await move(same), is: .failure(.keyReused), "the answer to the same key for another balance")
        try await expectProved()
    }

    func lookalikePurchases() async throws {
        try await learn([VaultShop.coins(Transaction.ID(rawValue: Self.composed))])
        try await learn([VaultShop.coins(Transaction.ID(rawValue: Self.decomposed))], for: "ben")
        expect(try await amount(of: "anna"), is: 500, "the balance of the first")
        expect(try await amount(of: "ben"), is: 500, "the balance of the second")
        try await expectProved()
    }

    /// Expects that an audit finds no faults in the accounts and bindings.
    private func expectProved() async throws {
        let report = try await VaultAudit(vault: vault, verifier: RefusingVerifier()).run()
        expect(report.faults.filter { $0.kind != .signature }, is: [], "the faults of the vault")
    }
}

/// A verifier that refuses all evidence, because the evidence of these checks is not signed.
private struct RefusingVerifier: TransactionVerifier {
    let environments: Set<AppStore.Environment> = []

    func verify(_ jws: String) -> CheckedEvidence {
        .unreadable(VerificationError(.invalidSignature, "made up"), payload: nil)
    }
}
