import HTTPTypes
import Hummingbird
import Storekeeper
import StorekeeperPages

/// The routes for customers' balances.
extension CompanionService {
    /// Responds with the same document as `storekeeper vault balance --format json`.
    func balances(_ request: CompanionRequest) async throws -> BalanceList {
        let snapshot = try await pool.snapshot(of: try request.customer())
        return BalanceList(rows: snapshot.balances.map(BalanceRow.init))
    }

    /// Responds with one balance, which is 0 if no credit or other entry ever changed it.
    ///
    /// A balance that neither a catalog nor the customer's account contains is refused.
    func balance(_ request: CompanionRequest) async throws -> BalanceRow {
        let snapshot = try await pool.snapshot(of: try request.customer())
        let id = Balance.ID(try request.name("balance"))
        guard !snapshot.isUnknown(id) else {
            throw Problem.unknownName("balance", id.rawValue, known: snapshot.balanceNames)
        }
        return BalanceRow(balance: snapshot.balance(of: id))
    }

    /// Spends or grants units, and responds like `storekeeper vault spend` and `vault grant` with `--format json`.
    ///
    /// The value of the header `Idempotency-Key` identifies the request, so that a retry changes nothing; the ledger
    /// stores the caller's name.
    func move(_ request: CompanionRequest, isGrant: Bool) async throws -> LedgerReceipt {
        let key = try request.idempotencyKey()
        let object = try await request.object()
        guard let quantity = object["quantity"]?.int64 else {
            throw Problem.badRequest("'quantity' is not a whole number", "give a number of at least 1")
        }
        let (customer, balance) = (try request.customer(), Balance.ID(try request.name("balance")))
        let movement: LedgerRequest
        if isGrant {
            movement = .grant(
                quantity, of: balance, to: customer, because: try CompanionRequest.reason(in: object),
                key: LedgerRequest.Key(key), at: request.now,
                recordedBy: request.caller?.name)
        } else {
            movement = .spend(
                quantity, of: balance, by: customer, key: LedgerRequest.Key(key), at: request.now,
                recordedBy: request.caller?.name)
        }
        let results = try await written { try await pool.withStore(customer) { try await $0.move([movement]) } }
        guard let result = results.first else { throw VaultError(.io, "the vault gave no answer") }
        return try result.get()
    }
}

/// A balance with its name.
struct BalanceRow: JSONShaped {
    fileprivate let balance: Balance

    static let shape = JSONShape<Self>(
        "BalanceRow", [.member("id") { $0.balance.id }, .member("balance") { $0.balance.amount }])
}

/// The balances of a customer.
struct BalanceList: JSONTyped {
    fileprivate let rows: [BalanceRow]

    static var jsonSchema: JSONSchema { [BalanceRow].jsonSchema.named("Balances") }
    var json: JSONText { rows.json }
}
