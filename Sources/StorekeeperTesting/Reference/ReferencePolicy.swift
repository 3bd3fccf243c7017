public import Storekeeper

/// The rules about access that a business can choose, for the reference model.
public struct ReferencePolicy: Hashable, Sendable {
    /// Whether a grace period gives access.
    public var graceEntitles = true
    /// Whether billing retry without a grace period gives access.
    public var billingRetryEntitles = false
    /// The time in milliseconds for which access continues after an expiry if a renewal is expected.
    public var renewalLeeway: Int64 = 0
    /// The environments whose facts count.
    public var environments: Set<AppStore.Environment> = [.production]
    /// The ownership types that give access.
    public var ownerships: Set<OwnershipType> = [.purchased, .familyShared, .assigned]

    /// Creates the default policy.
    public init() {}

    /// Creates a variant of the default policy.
    private init(_ change: (inout ReferencePolicy) -> Void) { change(&self) }

    /// The policies to test.
    ///
    /// The first policy is the default policy, and each of the other policies changes one or more options.
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
