import Hummingbird
import Storekeeper

/// The routes for leases: signed answers that other processes can verify without a request.
extension CompanionService {
    /// Responds with a signed lease of the customer's features.
    func lease(_ request: CompanionRequest) async throws -> SignedLease {
        let keys = try leaseKeys()
        let snapshot = try await pool.snapshot(of: try request.customer())
        let lease = EntitlementLease(of: snapshot, issuer: bundleID, life: keys.life, at: request.now)
        return SignedLease(
            lease: lease, text: try await keys.sign(lease), isVerified: snapshot.resolution.isVerified)
    }

    /// Returns the keys of leases.
    func leaseKeys() throws(Problem) -> LeaseKeys {
        guard let leases else {
            throw Problem(404, "noLeases", "Leases are disabled", "start the service with a lease key")
        }
        return leases
    }
}

/// A lease with its signature.
struct SignedLease: JSONShaped {
    fileprivate let lease: EntitlementLease
    fileprivate let text: String
    fileprivate let isVerified: Bool

    static let shape = JSONShape<Self>(
        "Lease",
        [
            .member("lease") { $0.text }, .member("endsAt") { Instant(clamped: $0.lease.exp * 1000) },
            .member("features") { $0.lease.features }, .member("verified") { $0.isVerified },
        ])
}
