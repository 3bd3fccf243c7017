/// A business's choices about access that the App Store leaves open.
public struct EntitlementPolicy: Hashable, Codable, Sendable {
    /// Whether a grace period gives access, as Apple recommends.
    public var gracePeriodEntitles: Bool
    /// Whether billing retry gives access, which Apple does not require.
    public var billingRetryEntitles: Bool
    /// The time after the end of a period, at most a day, during which a renewal may still be on the way.
    ///
    /// It applies only if the newest renewal info says that the subscription renews.
    public var renewalLeeway: Duration
    /// The effect of transactions, by environment.
    public var environments: [AppStore.Environment: EnvironmentRule]
    /// The ownership types that give access; any other type gives none.
    public var entitlingOwnershipTypes: Set<OwnershipType>
    /// The effect on a balance of refunding units that were already spent.
    public var refundPolicy: RefundPolicy
    /// The time for which answers that give access are trusted after the App Store has stopped answering.
    ///
    /// After that they are `unknown`, so that no customer keeps access by cutting the connection. `nil`: no limit.
    public var maximumStaleness: Duration?

    /// The effect of transactions of an environment.
    public enum EnvironmentRule: String, Codable, Sendable {
        /// They count.
        case grant
        /// They are resolved separately and give no access: for reviewers and testers whose answers are to be observed.
        case shadow
        /// They are ignored. The rule for an environment that is not named.
        case refuse
    }

    /// The longest useful ``renewalLeeway``.
    package static let maximumRenewalLeeway: Duration = .seconds(86_400)

    /// Creates a policy; the defaults are those of a server in production.
    ///
    /// Answers are trusted for thirty days without the App Store.
    public init(
        gracePeriodEntitles: Bool = true, billingRetryEntitles: Bool = false, renewalLeeway: Duration = .zero,
        environments: [AppStore.Environment: EnvironmentRule] = [.production: .grant],
        entitlingOwnershipTypes: Set<OwnershipType> = [.purchased, .familyShared, .assigned],
        refundPolicy: RefundPolicy = .debt, maximumStaleness: Duration? = .seconds(30 * 86_400)
    ) {
        self.gracePeriodEntitles = gracePeriodEntitles
        self.billingRetryEntitles = billingRetryEntitles
        self.renewalLeeway = min(max(renewalLeeway, .zero), Self.maximumRenewalLeeway)
        self.environments = environments
        self.entitlingOwnershipTypes = entitlingOwnershipTypes
        self.refundPolicy = refundPolicy
        self.maximumStaleness = maximumStaleness.map { max($0, .zero) }
    }

    /// Returns the rule for an environment.
    package func rule(for environment: AppStore.Environment) -> EnvironmentRule { environments[environment] ?? .refuse }
}
