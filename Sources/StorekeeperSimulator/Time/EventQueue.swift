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
    @inline(__always)
    static func < (left: DueEvent, right: DueEvent) -> Bool {
        let (first, second) = (left.at.millisecondsSince1970, right.at.millisecondsSince1970)
        return first == second ? precedesAtOneInstant(left, right) : first < second
    }

    /// The order of events at one instant; apart, so that the comparison of instants stays free of jumps.
    @inline(never)
    private static func precedesAtOneInstant(_ left: DueEvent, _ right: DueEvent) -> Bool {
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
        events.append(event)
        events.withUnsafeMutableBufferPointer { Self.raise(event, from: $0.count - 1, in: $0) }
    }

    /// Takes the first event away.
    ///
    /// - Returns: `nil` where nothing is due.
    @discardableResult
    mutating func popMin() -> DueEvent? {
        guard let last = events.popLast() else { return nil }
        guard let first = events.first else { return last }
        events.withUnsafeMutableBufferPointer { Self.replaceFirst(with: last, in: $0) }
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
        events.withUnsafeMutableBufferPointer { Self.replaceFirst(with: event, in: $0) }
        return first
    }

    // Both work on the bare buffer, which is checked for other owners once and not at every move. They reach no place
    // at or beyond `count`, whatever the events are.

    /// Writes an event over the first and restores the order.
    ///
    /// Draws the first followers up to the very end before it looks for the event's place, which is nearly always
    /// there: what is due next is seldom due soon.
    private static func replaceFirst(with event: DueEvent, in events: UnsafeMutableBufferPointer<DueEvent>) {
        let count = events.count
        var hole = 0
        while 4 * hole + 4 < count {
            let child = 4 * hole + 1
            // Two by two, without a jump that a processor could guess wrong.
            let left = child + (events[child + 1] < events[child] ? 1 : 0)
            let right = child + 2 + (events[child + 3] < events[child + 2] ? 1 : 0)
            let least = events[right] < events[left] ? right : left
            events[hole] = events[least]
            hole = least
        }
        var least = 4 * hole + 1
        if least < count {
            for other in least + 1..<count where events[other] < events[least] { least = other }
            events[hole] = events[least]
            hole = least
        }
        raise(event, from: hole, in: events)
    }

    /// Writes an event into a place that is free, or one further up where it belongs.
    private static func raise(
        _ event: DueEvent, from place: Int, in events: UnsafeMutableBufferPointer<DueEvent>
    ) {
        var hole = place
        while hole > 0 {
            let parent = (hole - 1) / 4
            guard event < events[parent] else { break }
            events[hole] = events[parent]
            hole = parent
        }
        events[hole] = event
    }
}
