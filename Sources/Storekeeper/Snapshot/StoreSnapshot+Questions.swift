/// The ready-made questions that users of StoreHelper know.
extension StoreSnapshot {
    /// The subscription that gives the highest service of a group, in short.
    public struct SubscriptionInfo: Sendable {
        /// The group.
        public let group: SubscriptionGroup
        /// The product as the catalog describes it; `nil` where no catalog has it.
        public let product: Product?
        /// The level of service, 1 the highest; `nil` where no catalog says.
        public let level: Int?
        /// The status it was taken from.
        public let status: SubscriptionStatus

        /// The current transaction.
        public var transaction: Transaction { status.transaction }
        /// What the App Store intends; `nil` where nothing is known.
        public var renewalInfo: RenewalInfo? { status.renewalInfo?.renewalInfo }
        /// The product's id.
        public var productID: Product.ID { status.transaction.productID }
        /// When the period that was paid for ends, exclusive, in UTC; `nil` where the record does not say.
        public var expiresAt: Instant? { status.transaction.expiresAt }
        /// Whether it will renew; `nil` where nothing is known.
        public var willAutoRenew: Bool? { renewalInfo?.autoRenewStatus?.isOn }
    }

    /// The purchase of a product that decides, in short.
    public struct PurchaseInfo: Sendable {
        /// The product's id.
        public let productID: Product.ID
        /// The product as the catalog describes it; `nil` where no catalog has it.
        public let product: Product?
        /// What the customer has of it, and why.
        public let answer: EntitlementAnswer
        /// The transaction that decides.
        public let transaction: Transaction
        /// When the access that it gives ends, exclusive, in UTC; `nil` where it does not.
        public let accessEndsAt: Instant?

        /// Whether the customer has access.
        public var isPurchased: Bool { answer.isEntitled }
        /// When it was bought, in UTC.
        public var purchasedAt: Instant { transaction.purchasedAt }
        /// From when on it was taken back, in UTC; `nil` where it was not.
        public var revokedAt: Instant? { transaction.revokedAt }
    }

    /// Whether the customer has something of a product at an instant, whatever sort it is.
    ///
    /// Of a consumable: whether any is left of what it adds to, now. Of everything else: whether it gives access.
    public func isPurchased(_ id: Product.ID, at instant: Instant) -> Bool {
        guard resolution.isConsumable(id), resolution.product(id) == nil else { return isEntitled(id, at: instant) }
        let grants = resolution.catalog.product(id)?.grants ?? [:]
        let names = grants.isEmpty ? [id] : grants.keys.map(\.text)
        return names.contains { balance(of: $0).amount > 0 }
    }

    /// The subscription that gives the highest service of a group at an instant.
    ///
    /// - Parameters:
    ///   - group: The group, by its id or name.
    ///   - instant: The instant asked about, in UTC.
    /// - Returns: `nil` before the first purchase, and of a group that nobody knows.
    public func subscriptionInfo(for group: String, at instant: Instant) -> SubscriptionInfo? {
        guard let status = highestStatus(group: group, at: instant), let group = resolution.group(group)?.group else {
            return nil
        }
        return SubscriptionInfo(
            group: group, product: resolution.catalog.product(status.transaction.productID),
            level: status.groupLevel, status: status)
    }

    /// The purchase of a product that decides at an instant.
    ///
    /// - Returns: `nil` where no purchase does: before the first, of a consumable, of an id that nobody knows.
    public func purchaseInfo(for id: Product.ID, at instant: Instant) -> PurchaseInfo? {
        let answer = entitlement(for: id, at: instant)
        guard let basis = answer.basis else { return nil }
        return PurchaseInfo(
            productID: id, product: resolution.catalog.product(id), answer: answer, transaction: basis.transaction,
            accessEndsAt: basis.accessEndsAt < .distantFuture ? basis.accessEndsAt : nil)
    }
}
