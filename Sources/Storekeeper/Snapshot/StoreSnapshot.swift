/// The state of one customer in a store at one moment: the answers, the balances and the freshness of the evidence.
///
/// A snapshot is an immutable value, which answers every question without waiting, for any instant. No question fails.
/// The answer about an unknown id is `never`, or `unknown` if the evidence is incomplete.
public struct StoreSnapshot: Sendable {
    private let content: Content

    /// The members of a snapshot, in a class so that copies of the snapshot are cheap.
    private final class Content: Sendable {
        let customer: CustomerID
        let resolution: Resolution
        let balances: [Balance]
        let freshness: Freshness
        let takenAt: Instant

        init(
            customer: CustomerID, resolution: Resolution, balances: [Balance], freshness: Freshness, takenAt: Instant
        ) {
            self.customer = customer
            self.resolution = resolution
            self.balances = balances
            self.freshness = freshness
            self.takenAt = takenAt
        }
    }

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - resolution: The answers that follow from the evidence.
    ///   - balances: The balances of the customer's account.
    ///   - freshness: The completeness and the age of the evidence.
    ///   - instant: The instant of the balances.
    package init(
        customer: CustomerID, resolution: Resolution, balances: [Balance] = [], freshness: Freshness = Freshness(),
        takenAt instant: Instant = .distantPast
    ) {
        content = Content(
            customer: customer, resolution: resolution, balances: balances, freshness: freshness, takenAt: instant)
    }

    /// Returns whether this snapshot and another are the same object.
    package func isIdentical(to other: StoreSnapshot) -> Bool { content === other.content }

    /// Returns a copy of the snapshot with the instant since which the backend has failed; `nil` means that the backend
    /// works.
    func failing(since instant: Instant?) -> StoreSnapshot {
        var freshness = freshness
        freshness.failingSince = instant
        return StoreSnapshot(
            customer: customer, resolution: resolution, balances: balances, freshness: freshness, takenAt: takenAt)
    }

    /// The customer.
    public var customer: CustomerID { content.customer }
    /// The answers for all time that follow from the evidence, regardless of its freshness.
    public var resolution: Resolution { content.resolution }
    /// The balances of the customer's account.
    public var balances: [Balance] { content.balances }
    /// The completeness and the age of the evidence.
    public var freshness: Freshness { content.freshness }
    /// The instant of the balances.
    var takenAt: Instant { content.takenAt }

    /// Returns the answers for all time, with `unknown` in place of `never` if evidence may be missing at an instant.
    package func resolution(asCompleteAt instant: Instant) -> Resolution {
        freshness.doubt(at: instant).map { resolution.incomplete(because: $0) } ?? resolution
    }

    // MARK: Products and features

    /// Returns the answer about a product at an instant, with its reason.
    ///
    /// - Parameters:
    ///   - id: A product; the answer about a consumable is always `never`, because consumables are counted as balances.
    ///   - instant: The instant, in UTC.
    /// - Returns: The answer; `unknown` with the reason ``EntitlementAnswer/UnknownReason/notInCatalog`` if neither the
    ///   catalog nor the evidence knows the product. ``diagnostic(aboutUnknownProduct:)`` suggests another id.
    public func entitlement(for id: Product.ID, at instant: Instant) -> EntitlementAnswer {
        if let answer = content.resolution.answer(for: id, at: instant) {
            let adjusted = content.freshness.adjusted(answer, at: instant)
            // A grant counts even if the evidence is not trusted.
            if answer.isEntitled, !adjusted.isEntitled, let grant = content.resolution.grant(ofProduct: id, at: instant)
            {
                return .granted(grant)
            }
            return adjusted
        }
        if content.resolution.isConsumable(id) { return .never }
        return isUnknown(id) ? .unknown(.notInCatalog) : content.freshness.adjusted(.never, at: instant)
    }

    /// Returns whether the customer has access to a product at an instant.
    public func isEntitled(_ id: Product.ID, at instant: Instant) -> Bool {
        content.resolution.isEntitled(id, at: instant)
            && (content.freshness.isTrusting(at: instant) || entitlement(for: id, at: instant).isEntitled)
    }

    /// Returns the answer about a feature at an instant: the best answer of its products and of the feature's own
    /// grants.
    ///
    /// The answer is `unknown` with the reason ``EntitlementAnswer/UnknownReason/notInCatalog`` if the catalog does not
    /// contain the feature. ``diagnostic(aboutUnknownFeature:)`` suggests another name.
    public func feature(_ id: Feature.ID, at instant: Instant) -> EntitlementAnswer {
        let (resolution, freshness) = (content.resolution, content.freshness)
        guard let feature = resolution.catalog.feature(id) else {
            return isUnknown(id) ? .unknown(.notInCatalog) : freshness.adjusted(.never, at: instant)
        }
        if freshness.isComplete(at: instant), let timeline = resolution.feature(id)?.timeline {
            return timeline.value(at: instant).answer
        }
        // Each product's answer is adjusted to the freshness, so that a different product may now have the best answer.
        var best = EntitlementAnswer.never
        for productID in feature.productIDs {
            let answer =
                feature.paidPeriods
                ? freshness.adjusted(resolution.paidAnswer(for: productID, at: instant) ?? .never, at: instant)
                : entitlement(for: productID, at: instant)
            if ServiceLevel.isBetter(answer, best) { best = answer }
        }
        for right in resolution.paidAppRights(to: feature, at: instant) {
            let answer = freshness.adjusted(.paidApp(right), at: instant)
            if ServiceLevel.isBetter(answer, best) { best = answer }
        }
        if let grant = resolution.grant(ofFeature: id, at: instant), ServiceLevel.isBetter(.granted(grant), best) {
            best = .granted(grant)
        }
        return best
    }

    /// Returns whether the customer has a feature at an instant.
    public func hasFeature(_ id: Feature.ID, at instant: Instant) -> Bool {
        content.resolution.hasFeature(id, at: instant)
            && (content.freshness.isTrusting(at: instant) || feature(id, at: instant).isEntitled)
    }

    // MARK: Subscriptions

    /// Returns the statuses of a subscription group at an instant, highest service level first.
    ///
    /// If access is not trusted any more, no status gives access.
    ///
    /// - Parameters:
    ///   - group: The id or name of the group; an unknown group has no statuses.
    ///   - instant: The instant, in UTC.
    public func subscriptionStatuses(group: String, at instant: Instant) -> [SubscriptionStatus] {
        (content.resolution.group(group)?.statuses(at: instant) ?? []).map { adjusted($0, at: instant) }
    }

    /// Returns the status with the highest service level of a subscription group at an instant.
    ///
    /// If no status gives access, the result is the status that is best to display.
    ///
    /// - Parameters:
    ///   - group: The id or name of the group.
    ///   - instant: The instant, in UTC.
    /// - Returns: The status; `nil` before the first purchase, and for an unknown group.
    public func highestStatus(group: String, at instant: Instant) -> SubscriptionStatus? {
        content.resolution.group(group)?.highest(at: instant).map { adjusted($0, at: instant) }
    }

    private func adjusted(_ status: SubscriptionStatus, at instant: Instant) -> SubscriptionStatus {
        content.freshness.isTrusting(at: instant) ? status : status.withoutAccess
    }

    // MARK: Balances

    /// Returns a balance of the customer; its amount is zero if it has no entries.
    ///
    /// - Parameter id: The id of the balance.
    public func balance(of id: Balance.ID) -> Balance {
        content.balances.first { $0.id == id } ?? Balance(id: id)
    }

    // MARK: Time

    /// Returns the instant that counts as now.
    ///
    /// This is the later of this machine's clock and the newest verified signed date of the evidence. A signed date
    /// that is more than 60 seconds ahead of the clock is ignored.
    ///
    /// A slightly slow clock therefore does not deny access to a customer who has just paid. Questions of ``Store``
    /// that are asked without an instant use this instant.
    ///
    /// - Parameter clock: The time of this machine's clock, in UTC.
    public func now(byClock clock: Instant) -> Instant { content.resolution.now(byClock: clock) }

    /// Returns the first instant after a given instant at which an answer changes by time alone.
    ///
    /// The answer may be an answer that is not trusted any more. Such an answer stays `unknown`, so that no visible
    /// answer changes.
    public func nextChange(after instant: Instant) -> Instant? {
        var earliest = content.resolution.nextChange(after: instant)
        earliest.lower(to: content.freshness.nextChange(after: instant))
        return earliest
    }
}

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

/// Questions about names that neither the catalog nor the customer's data contains, such as misspelled ids.
///
/// A catalog without products knows no names, so every name is accepted.
extension StoreSnapshot {
    private var catalog: Catalog { resolution.catalog }

    /// Returns whether neither the catalog nor the evidence contains a product.
    func isUnknown(_ id: Product.ID) -> Bool {
        !catalog.products.isEmpty && catalog.product(id) == nil && resolution.product(id) == nil
            && !resolution.isConsumable(id)
    }

    /// Returns whether the catalog does not contain a feature.
    func isUnknown(_ id: Feature.ID) -> Bool { !catalog.products.isEmpty && resolution.feature(id) == nil }

    /// Returns whether neither the catalog nor the customer's account contains a balance.
    package func isUnknown(_ id: Balance.ID) -> Bool {
        !catalog.products.isEmpty && !catalog.balances.contains(id) && !balances.contains { $0.id == id }
    }

    /// The names of all balances of the catalog and the account.
    package var balanceNames: [String] {
        let named = catalog.balances
        return (named + balances.map(\.id).filter { !named.contains($0) }).map(\.rawValue)
    }

    /// Returns a diagnostic that suggests the most similar product; `nil` if the catalog or the evidence contains the
    /// product.
    public func diagnostic(aboutUnknownProduct id: Product.ID) -> Diagnostic? {
        guard isUnknown(id) else { return nil }
        let other =
            resolution.feature(Feature.ID(id.rawValue)) != nil
            ? "'\(id)' is a feature" : catalog.group(named: id.rawValue) != nil ? "'\(id)' is a group" : nil
        return .unknownName("product", id.rawValue, known: catalog.products.map(\.id.rawValue), other: other)
    }

    /// Returns a diagnostic that suggests the most similar feature; `nil` if the catalog contains the feature.
    public func diagnostic(aboutUnknownFeature id: Feature.ID) -> Diagnostic? {
        guard isUnknown(id) else { return nil }
        let isProduct = catalog.product(Product.ID(id.rawValue)) != nil
        return .unknownName(
            "feature", id.rawValue, known: catalog.features.map(\.id.rawValue),
            other: isProduct ? "'\(id)' is a product" : nil)
    }

    /// Returns a diagnostic that suggests the most similar balance; `nil` if the catalog or the customer's account
    /// contains the balance.
    public func diagnostic(aboutUnknownBalance id: Balance.ID) -> Diagnostic? {
        guard isUnknown(id) else { return nil }
        let isProduct = catalog.product(Product.ID(id.rawValue)) != nil
        return .unknownName(
            "balance", id.rawValue, known: balanceNames, other: isProduct ? "'\(id)' is a product" : nil)
    }
}

extension Diagnostic {
    fileprivate static func unknownName(_ kind: String, _ name: String, known: [String], other: String?) -> Diagnostic {
        let advice = other ?? NearestWord.advice(for: name, among: known)
        return Diagnostic(
            .unknownProduct, subject: name, message: "no catalog has a \(kind) '\(name)': \(advice)")
    }
}
