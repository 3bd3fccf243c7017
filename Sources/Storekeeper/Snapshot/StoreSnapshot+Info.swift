/// Questions with the same names and meanings as in the Swift package StoreHelper.
extension StoreSnapshot {
    /// Returns the information to show to a customer about a product at an instant.
    ///
    /// - Parameters:
    ///   - id: A product of any type except consumables, which are counted as balances.
    ///   - instant: The instant, in UTC.
    public func purchaseInfo(for id: Product.ID, at instant: Instant) -> PurchaseInfo {
        PurchaseInfo(
            productID: id, product: resolution.catalog.product(id), answer: entitlement(for: id, at: instant),
            instant: instant)
    }

    /// Returns the information to show to a customer about the highest subscription of a group at an instant.
    ///
    /// As in ``highestStatus(group:at:)``, all statuses of the group count, including those in a grace period.
    ///
    /// - Parameters:
    ///   - group: The id or name of the group.
    ///   - instant: The instant, in UTC.
    /// - Returns: The information; `nil` before the first purchase, and for an unknown group.
    public func subscriptionInfo(for group: String, at instant: Instant) -> SubscriptionInfo? {
        guard let status = highestStatus(group: group, at: instant) else { return nil }
        let (catalog, current) = (resolution.catalog, status.transaction.productID)
        let next = status.renewalInfo?.autoRenewPreference
        return SubscriptionInfo(
            group: catalog.group(containing: current) ?? catalog.group(named: group), product: catalog.product(current),
            nextProduct: next.flatMap { $0 == current ? nil : catalog.product($0) }, status: status, instant: instant)
    }

    /// Returns whether the customer could upgrade to a product at an instant.
    ///
    /// This is true if the customer has no access to the product, but has access by a subscription of the same group
    /// with a lower level of service.
    ///
    /// - Parameters:
    ///   - id: A subscription of the catalog; for any other product the answer is `false`.
    ///   - instant: The instant, in UTC.
    public func hasLowerValueCurrentSubscription(than id: Product.ID, at instant: Instant) -> Bool {
        guard let level = resolution.catalog.product(id)?.subscription?.groupLevel,
            let group = resolution.catalog.group(containing: id), !isEntitled(id, at: instant)
        else { return false }
        return subscriptionStatuses(group: group.id.rawValue, at: instant).contains { status in
            status.isEntitled && status.groupLevel.map { $0 > level } == true
        }
    }
}
