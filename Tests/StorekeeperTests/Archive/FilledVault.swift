import StorekeeperTesting

@testable import Storekeeper

extension InMemoryVault {
    /// Makes a vault with a customer, anna, who bought coins, got a refund that was later reversed, and was granted
    /// gems.
    static func filled(by rule: LedgerRule) async throws -> InMemoryVault {
        let vault = InMemoryVault()
        let pack = TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(1), id: "1")
        for (day, draft) in [(2, pack), (5, pack.revoked(at: .day(4))), (8, pack.reversed(signedAt: .day(7)))] {
            let batch = CommitBatch(
                customer: "anna", at: .day(day), facts: [try draft.verifiedFact()], rule: rule, syncedAt: .day(day))
            guard case .committed = try await vault.commit(batch) else { throw UnexpectedResult() }
            _ = try await vault.move(
                [.grant(7, of: "gems", to: "anna", because: "welcome", key: "\(day)", at: .day(day))], policy: .debt)
        }
        return vault
    }
}

private struct UnexpectedResult: Error {}
