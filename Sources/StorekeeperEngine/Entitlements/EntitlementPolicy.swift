/// The choices that a business makes about access, where the App Store leaves them open.
public struct EntitlementPolicy: Hashable, Codable, Sendable {
    /// Whether a grace period gives access, as Apple asks apps to let it.
    public var gracePeriodEntitles: Bool
    /// Whether billing retry gives access, which Apple does not ask for.
    public var billingRetryEntitles: Bool
    /// For how long after the end of a period, a day at most, a renewal may still be on the way.
    ///
    /// Counts only where the newest renewal info says that the subscription renews.
    public var renewalLeeway: Duration
    /// What a transaction of an environment does.
    public var environments: [AppStore.Environment: EnvironmentRule]
    /// The ownership types that give access; a word that is not among them gives none.
    public var entitlingOwnershipTypes: Set<OwnershipType>
    /// What happens to a balance when goods are refunded that were spent already.
    public var refundPolicy: RefundPolicy
    /// For how long answers that give access are trusted after the App Store has stopped answering.
    ///
    /// Beyond it they are `unknown`, so that nobody keeps access by cutting the line. `nil` trusts them for ever.
    public var maximumStaleness: Duration?

    /// What a transaction of an environment does.
    public enum EnvironmentRule: String, Codable, Sendable {
        /// It counts.
        case grant
        /// It is resolved apart and gives nothing: for reviewers and testers that are to be watched.
        case shadow
        /// It does not exist. The rule for an environment that is not named.
        case refuse
    }

    /// The longest ``renewalLeeway`` that makes sense.
    package static let maximumRenewalLeeway: Duration = .seconds(86_400)

    /// Makes a policy; the defaults are those of a server in production.
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

    /// What a transaction of an environment does.
    package func rule(for environment: AppStore.Environment) -> EnvironmentRule { environments[environment] ?? .refuse }
}
