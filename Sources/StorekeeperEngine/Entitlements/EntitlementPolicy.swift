/// The rules for access that the App Store leaves to the business to choose.
public struct EntitlementPolicy: Hashable, Codable, Sendable {
    /// Whether a grace period gives access, as Apple recommends.
    public var gracePeriodEntitles: Bool
    /// Whether billing retry gives access, which Apple does not require.
    public var billingRetryEntitles: Bool
    /// The time after the end of a period, at most a day, during which access continues because a renewal may not have
    /// arrived yet.
    ///
    /// The leeway applies only if auto-renewal is on according to the newest renewal info.
    public var renewalLeeway: Duration
    /// The effect of transactions, for each environment.
    ///
    /// A store takes the accepted environments from its verifier. For a store, this property only names exceptions: an
    /// environment that the verifier accepts and whose transactions give no access.
    public var environments: [AppStore.Environment: EnvironmentRule]
    /// The ownership types that give access; any other type gives no access.
    public var entitlingOwnershipTypes: Set<OwnershipType>
    /// The effect that a refund of already spent units has on a balance.
    public var refundPolicy: RefundPolicy
    /// The time for which answers that give access remain valid if the App Store cannot be reached.
    ///
    /// After that time these answers are `unknown`, so that a customer cannot keep access by cutting the connection.
    /// `nil` means that the time is unlimited.
    public var maximumStaleness: Duration?

    /// The effect of the transactions of one environment.
    public enum EnvironmentRule: String, Codable, Sendable {
        /// The transactions give access.
        case grant
        /// The transactions give no access; their answers are computed separately, for example to observe app reviewers
        /// and testers.
        case shadow
        /// The transactions are ignored; this rule applies to every environment that the policy does not name.
        case refuse
    }

    /// The maximum of ``renewalLeeway``; a longer leeway is shortened to this duration.
    package static let maximumRenewalLeeway: Duration = .seconds(86_400)

    /// Creates a policy; the defaults suit a server in production.
    ///
    /// By default, answers that give access remain valid for thirty days if the App Store cannot be reached.
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

    /// Returns this policy for evidence of a verifier that accepts the given environments.
    ///
    /// Each accepted environment gives access unless this policy names another rule for it. Any other environment is
    /// refused, whatever rule this policy names.
    package func accepting(_ accepted: Set<AppStore.Environment>) -> EntitlementPolicy {
        var policy = self
        policy.environments = Dictionary(
            accepted.map { ($0, environments[$0] ?? .grant) }, uniquingKeysWith: { first, _ in first })
        return policy
    }

    /// Returns whether evidence of an environment counts for answers and balances.
    package func counts(_ environment: AppStore.Environment) -> Bool { rule(for: environment) == .grant }

    /// Returns the rule for an environment.
    package func rule(for environment: AppStore.Environment) -> EnvironmentRule { environments[environment] ?? .refuse }
}
