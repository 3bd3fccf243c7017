import FoundationEssentials
import JWTKit
import Storekeeper

/// The claims of a lease: what a customer may use for a short while, for processes that ask nobody meanwhile.
///
/// A lease is not taken back; it ends soon.
struct EntitlementLease: JWTPayload, Hashable {
    /// Who leases: the app's bundle id.
    let iss: String
    /// The customer.
    let sub: String
    /// When it was made, in whole seconds since 1970, UTC.
    let iat: Int64
    /// When it ends, likewise: at most the life of leases later, and never after a feature in it ends.
    let exp: Int64
    /// The ids of the features that the customer has, in the catalog's order.
    let features: [String]

    /// Leases what a customer has now.
    ///
    /// - Parameters:
    ///   - snapshot: What the customer has.
    ///   - issuer: The app's bundle id.
    ///   - life: How long it lasts at most, in milliseconds.
    ///   - now: The time of this machine's clock, in UTC.
    init(of snapshot: StoreSnapshot, issuer: String, life: Int64, at now: Instant) {
        // What it says holds by the evidence; when it was made is what other machines compare with their clocks.
        let present = snapshot.now(byClock: now)
        let held = snapshot.resolution.features.filter { snapshot.feature($0.id, at: present).isEntitled }
        let ends =
            held.compactMap { $0.timeline.run(at: present).to } + [snapshot.freshness.trustEndsAt].compactMap(\.self)
        let end = ends.reduce(now.adding(milliseconds: life), min)
        iss = issuer
        sub = snapshot.customer.rawValue
        iat = now.millisecondsSince1970 / 1000
        // A part of a second is not leased.
        exp = end.millisecondsSince1970 / 1000
        features = held.map(\.id.rawValue)
    }

    func verify(using algorithm: some JWTAlgorithm) throws {
        try ExpirationClaim(value: Date(timeIntervalSince1970: Double(exp))).verifyNotExpired()
    }
}
