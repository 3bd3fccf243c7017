import HTTPTypes
import Hummingbird
import Storekeeper
import StorekeeperPages

/// The routes for access that is granted without a purchase.
extension CompanionService {
    /// Responds with all grants of a customer.
    func grants(_ request: CompanionRequest) async throws -> Response {
        let grants = try await pool.withStore(try request.customer()) { try await $0.grants }
        return Self.json(.object(["grants": .array(grants.map(\.json))]))
    }

    /// Grants access, and responds like `storekeeper vault grant` with `--format json`.
    ///
    /// The value of the header `Idempotency-Key` identifies the grant, and the customer's account stores the caller's
    /// name.
    func grantAccess(_ request: CompanionRequest) async throws -> Response {
        let key = try request.idempotencyKey()
        let object = try await request.object()
        let (kind, name) = try CompanionRequest.choice("feature", "product", in: object)
        try CompanionRequest.check(name, kind)
        guard let text = try CompanionRequest.text("until", in: object), let until = CompanionRequest.instant(text)
        else {
            throw Problem.badRequest("'until' is missing or not a valid time", "write it like 2026-04-01T00:00:00Z")
        }
        let reason = try CompanionRequest.reason(in: object)
        let subject: AccessGrant.Subject = kind == "feature" ? .feature(Feature.ID(name)) : .product(Product.ID(name))
        let receipt = try await grant(
            subject, to: try request.customer(), until: until, because: reason, key: AccessGrant.ID(key), request)
        return Self.json(receipt.json)
    }

    /// Revokes access, and responds like `storekeeper vault revoke-grant` with `--format json`.
    func revokeAccess(_ request: CompanionRequest) async throws -> Response {
        guard let reason = try request.parameter("reason"), !reason.isEmpty else {
            throw Problem.badRequest(
                "the query parameter 'reason' is missing or empty", "add ?reason=TEXT; the account shows it")
        }
        let receipt = try await revoke(
            AccessGrant.ID(try request.name("key")), of: try request.customer(), because: reason, request)
        return Self.json(receipt.json)
    }

    /// Grants access in the name of the caller, which the customer's account stores.
    func grant(
        _ subject: AccessGrant.Subject, to customer: CustomerID, until end: Instant, because reason: String,
        key: AccessGrant.ID, _ request: CompanionRequest
    ) async throws -> AccessReceipt {
        try CompanionRequest.check(reason, "reason")
        return try await written {
            try await pool.withStore(customer) {
                try await $0.grantAccess(
                    to: subject, until: end, because: reason, key: key, recordedBy: request.caller?.name)
            }
        }
    }

    /// Revokes access in the name of the caller, which the customer's account stores.
    func revoke(
        _ id: AccessGrant.ID, of customer: CustomerID, because reason: String, _ request: CompanionRequest
    ) async throws -> AccessReceipt {
        try CompanionRequest.check(reason, "reason")
        return try await written {
            try await pool.withStore(customer) {
                try await $0.revokeAccess(grantedBy: id, because: reason, recordedBy: request.caller?.name)
            }
        }
    }
}
