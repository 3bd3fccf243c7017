/// A customer's statuses in one subscription group over time.
public struct GroupTimeline: Sendable, Equatable {
    /// The group.
    public let group: SubscriptionGroup
    /// The timelines of the statuses, one for each line of service, such as the customer's own and a shared
    /// subscription; a status is `nil` before the first purchase.
    let statuses: [Timeline<SubscriptionStatus?>]
    /// The status that gives the highest service; if no status gives access, the first status in the order of
    /// ``ServiceLevel``.
    package let highest: Timeline<SubscriptionStatus?>

    /// Creates the timeline.
    ///
    /// - Parameter earlier: The highest status from before the change; it must have been built from at least two of the
    ///   present lines of service and from no other line.
    init(
        _ group: SubscriptionGroup, statuses: [Timeline<SubscriptionStatus?>],
        after earlier: Overlay.Earlier<SubscriptionStatus?>? = nil
    ) {
        self.group = group
        self.statuses = statuses
        if statuses.count == 1, let only = statuses.first {
            highest = only
        } else {
            highest = Overlay.best(
                of: statuses, after: earlier, background: nil, key: { $0.map(ServiceLevel.key(of:)) },
                isBetter: { left, right in
                    guard let left = left.0, let right = right.0 else { return false }
                    return ServiceLevel.isHigher(left, right)
                },
                value: { status, _ in status },
                joins: Self.areOneRun)
        }
    }

    /// Returns the statuses at an instant, the highest service first.
    public func statuses(at instant: Instant) -> [SubscriptionStatus] {
        statuses.compactMap { $0.value(at: instant) }.sorted(by: ServiceLevel.isHigher)
    }

    /// Returns the status that gives the highest service at an instant; `nil` before the first purchase.
    public func highest(at instant: Instant) -> SubscriptionStatus? { highest.value(at: instant) }

    /// Returns the first instant after the given one at which the state or product of a status changes, or at which a
    /// different status becomes the highest.
    package func nextChange(after instant: Instant) -> Instant? {
        var earliest = highest.nextChange(after: instant)
        for status in statuses { earliest.lower(to: status.nextChange(after: instant)) }
        return earliest
    }

    /// Returns the first instant after the given one at which anything in a status changes, such as its renewal info.
    func nextDetail(after instant: Instant) -> Instant? {
        (statuses + [highest]).compactMap { $0.nextValue(after: instant) }.min()
    }

    /// Returns whether two timelines have the same statuses; the order of the chains does not matter.
    func hasEqualAnswers(to other: GroupTimeline) -> Bool {
        group == other.group && highest == other.highest && statuses.count == other.statuses.count
            && statuses.allSatisfy(other.statuses.contains)
    }

    private static func areOneRun(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        SubscriptionChain.areOneRun(left, right)
            && left?.fact.transaction.originalID == right?.fact.transaction.originalID
            && left?.fact.transaction.environment == right?.fact.transaction.environment
            && left?.isEntitled == right?.isEntitled
    }
}
