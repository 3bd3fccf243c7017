import Foundation
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting

/// A folder for vaults that is removed when this value is released.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("vault-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder.
    func file(_ name: String = "vault.sqlite") -> String { path + "/" + name }
}

/// The products of the tests.
enum Shop {
    static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    static let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))

    /// Returns a purchase of 500 coins.
    static func purchase(_ id: Int, quantity: Int64 = 1) -> TransactionDraft {
        var draft = TransactionDraft.purchase(
            of: coins, at: .day(id % 300), id: Transaction.ID(rawValue: "\(2_000_000 + id)"))
        draft.quantity = quantity
        return draft
    }

    static func batch(_ ids: [Int], for customer: CustomerID = "anna", at instant: Instant = .day(400)) throws
        -> CommitBatch
    {
        CommitBatch(
            customer: customer, at: instant, facts: try ids.map { try purchase($0).verifiedFact() }, rule: rule,
            owesDelivery: true)
    }

    static func spend(
        _ quantity: Int64, by customer: CustomerID = "anna", key: LedgerRequest.Key, at instant: Instant = .day(401)
    ) -> LedgerRequest {
        .spend(quantity, of: "coins", by: customer, key: key, at: instant)
    }
}

extension TransactionalVault {
    /// Commits a batch, which must not be refused, and returns its receipt.
    @discardableResult
    func commitAll(_ batch: CommitBatch) async throws -> CommitReceipt {
        guard case .committed(let receipt) = try await commit(batch) else {
            throw UnexpectedResult("a batch was not committed")
        }
        return receipt
    }

    /// Spends an amount, which the balance must cover.
    @discardableResult
    func spend(_ quantity: Int64, by customer: CustomerID = "anna", key: LedgerRequest.Key) async throws
        -> LedgerReceipt
    {
        let results = try await move([Shop.spend(quantity, by: customer, key: key)], policy: .debt)
        guard let result = results.first else { throw UnexpectedResult("a request has no result") }
        return try result.get()
    }
}

struct UnexpectedResult: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Changes a vault's file directly, without the vault.
func tamper(_ path: String, _ sql: String) throws {
    let other = try OtherConnection(to: path)
    try other.run("PRAGMA ignore_check_constraints = ON")
    try other.run(sql)
}
