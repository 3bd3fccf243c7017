public import Storekeeper

/// What a business may choose, as the reference model takes it.
public struct ReferencePolicy: Hashable, Sendable {
    /// Whether a grace period gives access.
    public var graceEntitles = true
    /// Whether billing retry without a grace period gives access.
    public var billingRetryEntitles = false
    /// How long access goes on after an expiry that a renewal should follow, in milliseconds.
    public var renewalLeeway: Int64 = 0
    /// The environments whose facts count.
    public var environments: Set<AppStore.Environment> = [.production]
    /// The ownership words that give access.
    public var ownerships: Set<OwnershipType> = [.purchased, .familyShared, .assigned]

    /// Makes the choices that hold where nobody chooses.
    public init() {}
}
