/// The events that are due, the least of them at hand.
///
/// A heap in which every event has up to four followers: half as deep as one with two, and the four lie side by side
/// in memory. Of equal events each is kept.
struct EventQueue<Event: Comparable & Sendable>: Sendable {
    private var events: ContiguousArray<Event> = []

    /// Makes an empty queue.
    init() {}

    /// How many events are due.
    var count: Int { events.count }

    /// The first event.
    var peek: Event? { events.first }

    /// Adds an event.
    mutating func push(_ event: Event) {
        events.append(event)
        events.withUnsafeMutableBufferPointer { Self.siftUp(event, from: $0.count - 1, in: $0) }
    }

    /// Takes the first event away.
    ///
    /// - Returns: `nil` if nothing is due.
    @discardableResult
    mutating func popMin() -> Event? {
        guard let last = events.popLast() else { return nil }
        guard let first = events.first else { return last }
        events.withUnsafeMutableBufferPointer { Self.replaceFirst(with: last, in: $0) }
        return first
    }

    /// Puts an event in the place of the first: quicker than taking one away and adding another.
    ///
    /// - Returns: The event that was first; where nothing was due, `nil`, and the new event is added.
    @discardableResult
    mutating func replaceMin(_ event: Event) -> Event? {
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
    private static func replaceFirst(with event: Event, in events: UnsafeMutableBufferPointer<Event>) {
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
        siftUp(event, from: hole, in: events)
    }

    /// Writes an event into a place that is free, or one further up where it belongs.
    private static func siftUp(
        _ event: Event, from place: Int, in events: UnsafeMutableBufferPointer<Event>
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
