/// A priority queue of due events.
///
/// The queue is a heap in which every event has up to four children. The heap is half as deep as a binary heap, and the
/// children of an event are adjacent in memory. Equal events are stored separately.
struct EventQueue<Event: Comparable & Sendable>: Sendable {
    private var events: ContiguousArray<Event> = []

    /// Creates an empty queue.
    init() {}

    /// The number of events.
    var count: Int { events.count }

    /// The event that is due first; `nil` if the queue is empty.
    var peek: Event? { events.first }

    /// Adds an event.
    mutating func push(_ event: Event) {
        events.append(event)
        events.withUnsafeMutableBufferPointer { Self.siftUp(event, from: $0.count - 1, in: $0) }
    }

    /// Removes the first event.
    ///
    /// - Returns: The first event; `nil` if the queue is empty.
    @discardableResult
    mutating func popMin() -> Event? {
        guard let last = events.popLast() else { return nil }
        guard let first = events.first else { return last }
        events.withUnsafeMutableBufferPointer { Self.replaceFirst(with: last, in: $0) }
        return first
    }

    /// Replaces the first event, which is faster than removing it and adding another.
    ///
    /// - Returns: The previous first event; `nil` if the queue was empty. The new event is added in both cases.
    @discardableResult
    mutating func replaceMin(_ event: Event) -> Event? {
        guard let first = events.first else {
            events.append(event)
            return nil
        }
        events.withUnsafeMutableBufferPointer { Self.replaceFirst(with: event, in: $0) }
        return first
    }

    // The following two functions work on the unsafe buffer, so that its uniqueness is checked once per operation and
    // not at every move. Neither function accesses an element at or beyond the index `count`, even if the comparison of
    // events is inconsistent.

    /// Writes an event over the first event and restores the order.
    ///
    /// Moves the smallest children up to the leaf level, and only then looks for the event's position. This position is
    /// nearly always at the leaf level, because a new event is seldom due soon.
    private static func replaceFirst(with event: Event, in events: UnsafeMutableBufferPointer<Event>) {
        let count = events.count
        var hole = 0
        while 4 * hole + 4 < count {
            let child = 4 * hole + 1
            // Compare in pairs, which needs no branch that a processor could mispredict.
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

    /// Writes an event at a free position, or nearer to the root if the event is due before its parents.
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
