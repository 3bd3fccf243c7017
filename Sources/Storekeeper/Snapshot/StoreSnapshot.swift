/// The state of one customer at one moment.
///
/// An immutable value: every question about it is answered synchronously, for any instant. No question fails: for an
/// unknown id the answer is `never`, or `unknown` if the evidence is incomplete.
public struct StoreSnapshot: Sendable {
    /// The number of snapshots published about the customer since the store was opened, this one included; 0 if not
    /// published.
    package let version: Int64
    private let content: Content

    /// A single object, so that a snapshot is cheap to copy.
    private final class Content: Sendable {
        let customer: CustomerID
        let resolution: Resolution
        let balances: [Balance]
        let freshness: Freshness

        init(customer: CustomerID, resolution: Resolution, balances: [Balance], freshness: Freshness) {
            self.customer = customer
            self.resolution = resolution
            self.balances = balances
            self.freshness = freshness
        }
    }

    /// Makes a snapshot that was not published.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - resolution: The answers that follow from the evidence.
    ///   - balances: The balances of the customer's account.
    ///   - freshness: How complete and fresh the evidence is.
    package init(
        customer: CustomerID, resolution: Resolution, balances: [Balance] = [], freshness: Freshness = Freshness()
    ) {
        version = 0
        content = Content(customer: customer, resolution: resolution, balances: balances, freshness: freshness)
    }

    private init(version: Int64, content: Content) {
        self.version = version
        self.content = content
    }

    /// Returns this snapshot as the publication with a version.
    func published(as version: Int64) -> StoreSnapshot { StoreSnapshot(version: version, content: content) }

    /// Returns this snapshot with a backend that has failed since an instant; `nil` for one that works.
    func failing(since instant: Instant?) -> StoreSnapshot {
        var freshness = freshness
        freshness.failingSince = instant
        return StoreSnapshot(customer: customer, resolution: resolution, balances: balances, freshness: freshness)
    }

    /// The customer.
    public var customer: CustomerID { content.customer }
    /// The answers that follow from the evidence alone, for all time, regardless of freshness.
    public var resolution: Resolution { content.resolution }
    /// The balances of the customer's account.
    public var balances: [Balance] { content.balances }
    /// How complete and fresh the evidence is.
    public var freshness: Freshness { content.freshness }

    // MARK: Products and features

    /// Returns the customer's entitlement to a product at an instant, with its reason.
    ///
    /// - Parameters:
    ///   - id: The product; for a consumable, which has a balance instead, the answer is always `never`.
    ///   - instant: The instant, in UTC.
    public func entitlement(for id: Product.ID, at instant: Instant) -> EntitlementAnswer {
        if let answer = content.resolution.answer(for: id, at: instant) {
            return content.freshness.judged(answer, at: instant)
        }
        return content.resolution.isConsumable(id) ? .never : content.freshness.judged(.never, at: instant)
    }

    /// Returns whether the customer has access to a product at an instant.
    public func isEntitled(_ id: Product.ID, at instant: Instant) -> Bool {
        entitlement(for: id, at: instant).isEntitled
    }

    /// Returns the answer for a feature at an instant: the best answer of its products.
    public func feature(_ id: Feature.ID, at instant: Instant) -> EntitlementAnswer {
        let (resolution, freshness) = (content.resolution, content.freshness)
        guard let feature = resolution.catalog.feature(id) else { return freshness.judged(.never, at: instant) }
        if freshness.isComplete(at: instant), let timeline = resolution.feature(id)?.timeline {
            return timeline.value(at: instant).answer
        }
        // Freshness can change which product is the best.
        var best = EntitlementAnswer.never
        for productID in feature.productIDs {
            let answer = entitlement(for: productID, at: instant)
            if ServiceLevel.isBetter(answer, best) { best = answer }
        }
        return best
    }

    /// Returns whether the customer has a feature at an instant.
    public func hasFeature(_ id: Feature.ID, at instant: Instant) -> Bool { feature(id, at: instant).isEntitled }

    // MARK: Subscriptions

    /// Returns the statuses of a group at an instant, the highest service level first.
    ///
    /// None of them gives access if the evidence is not trusted any more.
    ///
    /// - Parameters:
    ///   - group: The group, by its id or name; an unknown group has no statuses.
    ///   - instant: The instant, in UTC.
    public func subscriptionStatuses(group: String, at instant: Instant) -> [SubscriptionStatus] {
        (content.resolution.group(group)?.statuses(at: instant) ?? []).map { judged($0, at: instant) }
    }

    /// Returns the status with the highest service level of a group at an instant, or if none gives access, the one to
    /// show.
    ///
    /// - Parameters:
    ///   - group: The group, by its id or name.
    ///   - instant: The instant, in UTC.
    /// - Returns: `nil` before the first purchase, and for an unknown group.
    public func highestStatus(group: String, at instant: Instant) -> SubscriptionStatus? {
        content.resolution.group(group)?.highest(at: instant).map { judged($0, at: instant) }
    }

    private func judged(_ status: SubscriptionStatus, at instant: Instant) -> SubscriptionStatus {
        content.freshness.isTrusting(at: instant) ? status : status.withoutAccess
    }

    // MARK: Balances

    /// Returns a balance of the customer; zero if no entry ever changed it.
    ///
    /// - Parameter id: The name of the balance.
    public func balance(of id: Balance.ID) -> Balance {
        content.balances.first { $0.id == id } ?? Balance(id: id)
    }

    // MARK: Time

    /// Returns the current instant: the later of this machine's clock and the newest verified signature of the
    /// evidence, if that is at most 60 seconds ahead.
    ///
    /// A clock that is a little slow therefore takes nothing from a customer who has just paid. The methods of
    /// ``Store`` without an instant use this one.
    ///
    /// - Parameter clock: The time of this machine's clock, in UTC.
    public func now(byClock clock: Instant) -> Instant { content.resolution.now(byClock: clock) }

    /// Returns the first instant after `instant` at which time alone may change an answer.
    ///
    /// At some of these instants no visible answer changes, because the trust in the evidence changes, too.
    public func nextChange(after instant: Instant) -> Instant? {
        let changes = [
            content.resolution.nextChange(after: instant), content.freshness.nextChange(after: instant),
        ]
        return changes.compactMap { $0 }.min()
    }
}
