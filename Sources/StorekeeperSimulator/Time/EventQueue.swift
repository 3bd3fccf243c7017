import Storekeeper

/// Something that is to happen at an instant.
struct DueEvent: Hashable, Sendable {
    /// When it happens.
    var at: Instant
    /// Whom it happens to, by the order in which accounts were made.
    var account: Int32
    /// Which subscription or purchase of the account it belongs to.
    var line: Int32
    /// What happens; of two kinds at one instant the lower comes first.
    var kind: UInt8
    /// Which version of the line it was made for; one made for an older version is void.
    var stamp: UInt32
    /// What else it is about, such as a transaction.
    var subject: Int32
}

extension DueEvent: Comparable {
    /// Whether an event happens before another.
    static func < (left: DueEvent, right: DueEvent) -> Bool {
        if left.at.millisecondsSince1970 != right.at.millisecondsSince1970 {
            return left.at.millisecondsSince1970 < right.at.millisecondsSince1970
        }
        if left.account != right.account { return left.account < right.account }
        if left.line != right.line { return left.line < right.line }
        if left.kind != right.kind { return left.kind < right.kind }
        if left.stamp != right.stamp { return left.stamp < right.stamp }
        return left.subject < right.subject
    }
}

/// The events that are due, the first of them at hand.
///
/// A heap in which every event has up to four followers: half as deep as one with two, and the four lie side by side
/// in memory. Of equal events each is kept.
struct EventQueue: Sendable {
    private var events: ContiguousArray<DueEvent> = []

    /// Makes an empty queue.
    init() {}

    /// How many events are due.
    var count: Int { events.count }

    /// Whether nothing is due.
    var isEmpty: Bool { events.isEmpty }

    /// The first event.
    var peek: DueEvent? { events.first }

    /// Makes room for a number of events.
    mutating func reserveCapacity(_ count: Int) { events.reserveCapacity(count) }

    /// Forgets all events.
    mutating func removeAll() { events.removeAll(keepingCapacity: true) }

    /// Adds an event.
    mutating func push(_ event: DueEvent) {
        var hole = events.count
        events.append(event)
        while hole > 0 {
            let parent = (hole - 1) / 4
            guard event < events[parent] else { break }
            events[hole] = events[parent]
            hole = parent
        }
        events[hole] = event
    }

    /// Takes the first event away.
    ///
    /// - Returns: `nil` where nothing is due.
    @discardableResult
    mutating func popMin() -> DueEvent? {
        guard let last = events.popLast() else { return nil }
        guard let first = events.first else { return last }
        sink(last)
        return first
    }

    /// Puts an event in the place of the first: quicker than taking one away and adding another.
    ///
    /// - Returns: The event that was first; where nothing was due, `nil`, and the new event is added.
    @discardableResult
    mutating func replaceMin(_ event: DueEvent) -> DueEvent? {
        guard let first = events.first else {
            events.append(event)
            return nil
        }
        sink(event)
        return first
    }

    /// Writes an event over the first and restores the order.
    private mutating func sink(_ event: DueEvent) {
        let count = events.count
        var hole = 0
        while true {
            let child = 4 * hole + 1
            guard child < count else { break }
            var least = child
            var next = child + 1
            let end = min(child + 4, count)
            while next < end {
                if events[next] < events[least] { least = next }
                next += 1
            }
            guard events[least] < event else { break }
            events[hole] = events[least]
            hole = least
        }
        events[hole] = event
    }
}
