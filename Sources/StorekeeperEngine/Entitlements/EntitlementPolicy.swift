/// The choices that a business makes about access, where the App Store leaves them open.
public struct EntitlementPolicy: Hashable, Sendable {
    /// Whether a grace period gives access, as Apple asks apps to let it.
    public var gracePeriodEntitles: Bool
    /// Whether billing retry gives access, which Apple does not ask for.
    public var billingRetryEntitles: Bool
    /// For how long after the end of a period, in milliseconds, a renewal may still be on the way.
    ///
    /// Counts only where the newest renewal info says that the subscription renews.
    public var renewalLeeway: Int64
    /// What a transaction of an environment does.
    public var environments: [AppStore.Environment: EnvironmentRule]
    /// The ownership types that give access; a word that is not among them gives none.
    public var entitlingOwnershipTypes: Set<OwnershipType>
    /// What happens to a balance when goods are refunded that were spent already.
    public var refundPolicy: RefundPolicy
    /// For how long, in milliseconds, answers that give access are trusted after the App Store has stopped answering.
    ///
    /// Beyond it they are `unknown`, so that nobody keeps access by cutting the line. `nil` trusts them for ever.
    public var maximumStaleness: Int64?

    /// What a transaction of an environment does.
    public enum EnvironmentRule: String, Sendable {
        /// It counts.
        case grant
        /// It is resolved apart and gives nothing: for reviewers and testers that are to be watched.
        case shadow
        /// It does not exist. The rule for an environment that is not named.
        case refuse
    }

    /// The longest ``renewalLeeway`` that makes sense: a day, in milliseconds.
    public static let maximumRenewalLeeway: Int64 = 86_400_000

    /// The default of ``maximumStaleness``: thirty days, in milliseconds.
    public static let defaultMaximumStaleness: Int64 = 30 * 86_400_000

    /// Makes a policy; the defaults are those of a server in production.
    public init(
        gracePeriodEntitles: Bool = true, billingRetryEntitles: Bool = false, renewalLeeway: Int64 = 0,
        environments: [AppStore.Environment: EnvironmentRule] = [.production: .grant],
        entitlingOwnershipTypes: Set<OwnershipType> = [.purchased, .familyShared, .assigned],
        refundPolicy: RefundPolicy = .debt, maximumStaleness: Int64? = EntitlementPolicy.defaultMaximumStaleness
    ) {
        self.gracePeriodEntitles = gracePeriodEntitles
        self.billingRetryEntitles = billingRetryEntitles
        self.renewalLeeway = min(max(renewalLeeway, 0), Self.maximumRenewalLeeway)
        self.environments = environments
        self.entitlingOwnershipTypes = entitlingOwnershipTypes
        self.refundPolicy = refundPolicy
        self.maximumStaleness = maximumStaleness.map { max($0, 0) }
    }

    /// What a transaction of an environment does.
    public func rule(for environment: AppStore.Environment) -> EnvironmentRule { environments[environment] ?? .refuse }
}
