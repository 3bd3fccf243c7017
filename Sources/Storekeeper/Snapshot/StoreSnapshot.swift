/// All that a store knows of one customer at one moment.
///
/// A value that never changes: every question about it is answered at once, without waiting, for any instant. No
/// question fails: of an id that nobody knows the answer is `never`, or `unknown` where the evidence is not complete.
public struct StoreSnapshot: Sendable {
    private let content: Content

    /// One object, so that a copy of a snapshot costs little.
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

    /// Makes a snapshot.
    ///
    /// - Parameters:
    ///   - customer: About whom.
    ///   - resolution: The answers that follow from the evidence.
    ///   - balances: What the customer's account says.
    ///   - freshness: How complete and fresh the evidence is.
    package init(
        customer: CustomerID, resolution: Resolution, balances: [Balance] = [], freshness: Freshness = Freshness()
    ) {
        content = Content(customer: customer, resolution: resolution, balances: balances, freshness: freshness)
    }

    /// Whether both are the same publication.
    package func isIdentical(to other: StoreSnapshot) -> Bool { content === other.content }

    /// The same of a backend that has failed since an instant; `nil`: that answers.
    func failing(since instant: Instant?) -> StoreSnapshot {
        var freshness = freshness
        freshness.failingSince = instant
        return StoreSnapshot(customer: customer, resolution: resolution, balances: balances, freshness: freshness)
    }

    /// About whom it is.
    public var customer: CustomerID { content.customer }
    /// The answers that follow from the evidence, for all time, whatever it is worth.
    public var resolution: Resolution { content.resolution }
    /// The balances of the customer's account.
    public var balances: [Balance] { content.balances }
    /// How complete and fresh the evidence is.
    public var freshness: Freshness { content.freshness }

    // MARK: Products and features

    /// What the customer has of a product at an instant, and why.
    ///
    /// - Parameters:
    ///   - id: A product; of a consumable, which is counted and not owned, the answer is always `never`.
    ///   - instant: The instant asked about, in UTC.
    public func entitlement(for id: Product.ID, at instant: Instant) -> EntitlementAnswer {
        if let answer = content.resolution.answer(for: id, at: instant) {
            return content.freshness.judged(answer, at: instant)
        }
        return content.resolution.isConsumable(id) ? .never : content.freshness.judged(.never, at: instant)
    }

    /// Whether the customer has access to a product at an instant.
    public func isEntitled(_ id: Product.ID, at instant: Instant) -> Bool {
        content.resolution.isEntitled(id, at: instant) && content.freshness.isTrusting(at: instant)
    }

    /// Whether the customer has a feature at an instant, and why: the best answer of its products.
    public func feature(_ id: Feature.ID, at instant: Instant) -> EntitlementAnswer {
        let (resolution, freshness) = (content.resolution, content.freshness)
        guard let feature = resolution.catalog.feature(id) else { return freshness.judged(.never, at: instant) }
        if freshness.isComplete(at: instant), let timeline = resolution.feature(id)?.timeline {
            return timeline.value(at: instant).answer
        }
        // What the evidence is worth can change which product is the best.
        var best = EntitlementAnswer.never
        for productID in feature.productIDs {
            let answer = entitlement(for: productID, at: instant)
            if ServiceLevel.isBetter(answer, best) { best = answer }
        }
        return best
    }

    /// Whether the customer has a feature at an instant.
    public func hasFeature(_ id: Feature.ID, at instant: Instant) -> Bool {
        content.resolution.hasFeature(id, at: instant) && content.freshness.isTrusting(at: instant)
    }

    // MARK: Subscriptions

    /// The statuses of a group at an instant, the highest service first.
    ///
    /// Where the evidence is no longer trusted none of them gives access.
    ///
    /// - Parameters:
    ///   - group: The group, by its id or name; of one that nobody knows there are none.
    ///   - instant: The instant asked about, in UTC.
    public func subscriptionStatuses(group: String, at instant: Instant) -> [SubscriptionStatus] {
        (content.resolution.group(group)?.statuses(at: instant) ?? []).map { judged($0, at: instant) }
    }

    /// The status that gives the highest service of a group at an instant, or is best to show where none gives any.
    ///
    /// - Parameters:
    ///   - group: The group, by its id or name.
    ///   - instant: The instant asked about, in UTC.
    /// - Returns: `nil` before the first purchase, and of a group that nobody knows.
    public func highestStatus(group: String, at instant: Instant) -> SubscriptionStatus? {
        content.resolution.group(group)?.highest(at: instant).map { judged($0, at: instant) }
    }

    private func judged(_ status: SubscriptionStatus, at instant: Instant) -> SubscriptionStatus {
        content.freshness.isTrusting(at: instant) ? status : status.withoutAccess
    }

    // MARK: Balances

    /// What the customer has of something that is counted; nothing where nothing ever moved it.
    ///
    /// - Parameter id: The name of the balance.
    public func balance(of id: Balance.ID) -> Balance {
        content.balances.first { $0.id == id } ?? Balance(id: id)
    }

    // MARK: Time

    /// The instant that counts as now: the later of this machine's clock and the newest verified signature of the
    /// evidence, if that is at most 60 seconds ahead.
    ///
    /// So a clock that is a little slow takes nothing from a customer who has just paid. The questions of ``Store``
    /// without an instant are about this one.
    ///
    /// - Parameter clock: The time of this machine's clock, in UTC.
    public func now(byClock clock: Instant) -> Instant { content.resolution.now(byClock: clock) }

    /// The first instant after another at which an answer changes by time alone.
    ///
    /// Some instants change nothing that can be seen, because evidence that is no longer trusted changes, too.
    public func nextChange(after instant: Instant) -> Instant? {
        let changes = [
            content.resolution.nextChange(after: instant), content.freshness.nextChange(after: instant),
        ]
        return changes.compactMap { $0 }.min()
    }
}
