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

    /// Makes a variant of the choices that hold where nobody chooses.
    private init(_ change: (inout ReferencePolicy) -> Void) { change(&self) }

    /// Choices worth testing: the usual ones first, then each knob turned.
    public static let variants: [ReferencePolicy] = [
        ReferencePolicy(),
        ReferencePolicy { $0.graceEntitles = false },
        ReferencePolicy { $0.billingRetryEntitles = true },
        ReferencePolicy { $0.renewalLeeway = 86_400_000 },
        ReferencePolicy {
            $0.renewalLeeway = 16 * 86_400_000
            $0.billingRetryEntitles = true
            $0.graceEntitles = false
        },
        ReferencePolicy { $0.environments = [.production, .sandbox, .xcode] },
        ReferencePolicy { $0.environments = [.sandbox] },
        ReferencePolicy { $0.ownerships = [.purchased, OwnershipType(rawValue: "GUEST")] },
    ]
}
