import FoundationEssentials
import JWTKit
import Storekeeper

/// The claims of a lease: the features that a customer may use for a short time without another request.
///
/// A lease cannot be revoked, but it expires soon.
struct EntitlementLease: JWTPayload, Hashable {
    /// The issuer: the app's bundle id.
    let iss: String
    /// The customer.
    let sub: String
    /// The date of issue, in whole seconds since 1970, UTC.
    let iat: Int64
    /// The expiry, in whole seconds since 1970, UTC.
    ///
    /// The lease expires after the maximum lifetime. It expires earlier if the customer's access to a feature ends
    /// earlier, or if the backend is failing and the answers may be trusted only for a shorter time.
    let exp: Int64
    /// The ids of the features that the customer has, in the catalog's order.
    let features: [String]

    /// Makes a lease of the features that a customer has now.
    ///
    /// - Parameters:
    ///   - snapshot: The customer's state.
    ///   - issuer: The app's bundle id.
    ///   - life: The maximum lifetime, in milliseconds.
    ///   - now: The time of this machine's clock, in UTC.
    init(of snapshot: StoreSnapshot, issuer: String, life: Int64, at now: Instant) {
        // Features are evaluated at the present instant of the snapshot, which signed evidence can move ahead of the
        // clock. The date of issue is this machine's time, because other machines compare the date with their clocks.
        let present = snapshot.now(byClock: now)
        let held = snapshot.resolution.features.filter { snapshot.feature($0.id, at: present).isEntitled }
        let ends =
            held.compactMap { $0.timeline.run(at: present).to } + [snapshot.freshness.trustEndsAt].compactMap(\.self)
        let end = ends.reduce(now.adding(milliseconds: life), min)
        iss = issuer
        sub = snapshot.customer.rawValue
        iat = now.millisecondsSince1970 / 1000
        // The expiry is rounded down, so that the lease never outlives a feature.
        exp = end.millisecondsSince1970 / 1000
        features = held.map(\.id.rawValue)
    }

    func verify(using algorithm: some JWTAlgorithm) throws {
        try ExpirationClaim(value: Date(timeIntervalSince1970: Double(exp))).verifyNotExpired()
    }
}
