import HTTPTypes
import Hummingbird
import Storekeeper

/// The balances of customers.
extension CompanionService {
    /// Responds as `storekeeper vault balance --format json`.
    func balances(_ question: CompanionQuestion) async throws -> Response {
        try question.allow()
        let snapshot = try await pool.snapshot(of: try question.customer())
        return Self.json(.array(snapshot.balances.map(Self.row)))
    }

    /// Responds with one balance; 0 if no entry ever changed it.
    func balance(_ question: CompanionQuestion) async throws -> Response {
        try question.allow()
        let snapshot = try await pool.snapshot(of: try question.customer())
        return Self.json(Self.row(snapshot.balance(of: Balance.ID(try question.name("balance")))))
    }

    private static func row(_ balance: Balance) -> JSONText {
        .object(["id": .text(balance.id), "balance": .integer(balance.amount)])
    }

    /// Responds as `storekeeper vault spend` and `vault grant` with `--format json`; the header `Idempotency-Key` is
    /// the key.
    ///
    /// - Parameter caller: The caller, whose name the ledger stores.
    func move(_ question: CompanionQuestion, isGrant: Bool, by caller: Caller?) async throws -> Response {
        try question.allow()
        guard let key = try question.field(Self.idempotencyKey) else {
            throw Problem.badRequest(
                "there is no header Idempotency-Key",
                "give every request a name of its own, and repeat it with the same one")
        }
        let object = isGrant ? try await question.object("quantity", "reason") : try await question.object("quantity")
        guard let quantity = object["quantity"]?.int64 else {
            throw Problem.badRequest("'quantity' is no whole number", "give one from 1 on")
        }
        let (customer, balance) = (try question.customer(), Balance.ID(try question.name("balance")))
        let request: LedgerRequest
        if isGrant {
            guard let reason = try CompanionQuestion.text("reason", in: object) else {
                throw Problem.badRequest("there is no 'reason'", "say why; the account will show it")
            }
            request = .grant(
                quantity, of: balance, to: customer, because: reason, key: LedgerRequest.Key(key), at: question.now,
                recordedBy: caller?.name)
        } else {
            request = .spend(
                quantity, of: balance, by: customer, key: LedgerRequest.Key(key), at: question.now,
                recordedBy: caller?.name)
        }
        let results = try await written { try await pool.withStore(customer) { try await $0.move([request]) } }
        guard let result = results.first else { throw VaultError(.io, "the vault gave no answer") }
        return Self.json(try result.get().json)
    }

    private static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .ifMatch
}
