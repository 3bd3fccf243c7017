import Hummingbird
import Storekeeper

/// The routes for leases: signed answers that other processes can verify without a request.
extension CompanionService {
    /// Responds with a signed lease of the customer's features.
    func lease(_ request: CompanionRequest) async throws -> Response {
        try request.allowOnly()
        let keys = try leaseKeys()
        let snapshot = try await pool.snapshot(of: try request.customer())
        let lease = EntitlementLease(of: snapshot, issuer: bundleID, life: keys.life, at: request.now)
        return Self.json(
            .object([
                "lease": .string(try await keys.sign(lease)), "endsAt": .time(Instant(clamped: lease.exp * 1000)),
                "features": .array(lease.features.map(JSONText.string)),
                "verified": .bool(snapshot.resolution.isVerified),
            ]))
    }

    /// Responds with the public keys with which leases are verified.
    func publishedKeys() throws(Problem) -> Response {
        var response = Self.json(try leaseKeys().published)
        // Clients may cache the keys, because keys change rarely and a new key is published before it signs.
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }

    private func leaseKeys() throws(Problem) -> LeaseKeys {
        guard let leases else {
            throw Problem(.noLeases, "start the service with a lease key")
        }
        return leases
    }
}
