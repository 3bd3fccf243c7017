import Storekeeper

/// An event that time alone causes, without a command.
struct DueEvent: Hashable, Sendable {
    /// The subject of an event.
    enum Subject: Hashable, Sendable {
        /// A subscription; the event is ignored if the subscription's `stamp` has changed when the event is due.
        case subscription(RowIndex<Subscription>, stamp: UInt32)
        /// A purchase that waits for a guardian's answer.
        case askToBuy(RowIndex<TransactionState>)
    }

    var at: Instant
    /// The account.
    var account: RowIndex<Account>
    var subject: Subject
}

extension DueEvent: Comparable {
    /// Returns whether an event happens before another event.
    ///
    /// The earlier event is first. At one instant, the event of the older account is first. For one account, events of
    /// subscriptions precede events of purchases, and older subscriptions precede newer ones.
    @inline(__always)
    static func < (left: DueEvent, right: DueEvent) -> Bool {
        let (first, second) = (left.at.millisecondsSince1970, right.at.millisecondsSince1970)
        return first == second ? precedesAtOneInstant(left, right) : first < second
    }

    /// Returns whether an event happens before another event at the same instant.
    ///
    /// This is a separate function so that the comparison of instants stays free of branches.
    @inline(never)
    private static func precedesAtOneInstant(_ left: DueEvent, _ right: DueEvent) -> Bool {
        if left.account != right.account { return left.account < right.account }
        switch (left.subject, right.subject) {
        case (.subscription(let one, let stamp), .subscription(let other, let otherStamp)):
            return one == other ? stamp < otherStamp : one < other
        case (.askToBuy(let one), .askToBuy(let other)): return one < other
        case (.subscription, .askToBuy): return true
        case (.askToBuy, .subscription): return false
        }
    }
}
