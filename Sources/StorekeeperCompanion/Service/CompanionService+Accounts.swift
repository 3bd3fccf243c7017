import HTTPTypes
import Hummingbird
import Storekeeper
import StorekeeperPages

/// The routes for customers' balances.
extension CompanionService {
    /// Responds with the same document as `storekeeper vault balance --format json`.
    func balances(_ request: CompanionRequest) async throws -> Response {
        let snapshot = try await pool.snapshot(of: try request.customer())
        return Self.json(.array(snapshot.balances.map(Self.row)))
    }

    /// Responds with one balance, which is 0 if no credit or other entry ever changed it.
    ///
    /// A balance that neither a catalog nor the customer's account contains is refused.
    func balance(_ request: CompanionRequest) async throws -> Response {
        let snapshot = try await pool.snapshot(of: try request.customer())
        let id = Balance.ID(try request.name("balance"))
        guard !snapshot.isUnknown(id) else {
            throw Problem.unknownName(.unknownBalance, id.rawValue, known: snapshot.balanceNames)
        }
        return Self.json(Self.row(snapshot.balance(of: id)))
    }

    private static func row(_ balance: Balance) -> JSONText {
        .object(["id": .text(balance.id), "balance": .integer(balance.amount)])
    }

    /// Spends or grants units, and responds like `storekeeper vault spend` and `vault grant` with `--format json`.
    ///
    /// The value of the header `Idempotency-Key` identifies the request, so that a retry changes nothing; the ledger
    /// stores the caller's name.
    func move(_ request: CompanionRequest, isGrant: Bool) async throws -> Response {
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
        return Self.json(try result.get().json)
    }
}
