import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

@Suite("The queue of events") struct EventQueueTests {
    /// An event that is due.
    struct Event: Hashable, Comparable, Sendable {
        var at: Int
        var mark: Int

        static func < (left: Event, right: Event) -> Bool { (left.at, left.mark) < (right.at, right.mark) }
    }

    /// An operation on a queue.
    enum Step: Sendable {
        case push(Event)
        case replace(Event)
        case pop
    }

    @Test("A queue returns events in sorted order")
    func heapOrder() {
        checkProperty(
            "popping all events sorts them",
            generate: { random in (0..<random.number(in: 0...300)).map { _ in event(&random) } },
            shrink: { events in events.indices.map { events.removing($0) } },
            holds: { events in
                var queue = EventQueue<Event>()
                for event in events { queue.push(event) }
                guard queue.count == events.count, queue.peek == events.min() else { return false }
                var popped: [Event] = []
                while let event = queue.popMin() { popped.append(event) }
                return popped == events.sorted() && queue.count == 0 && queue.peek == nil
            })
    }

    @Test("A queue agrees with a sorted list after any operations")
    func agreesWithSortedList() {
        checkProperty(
            "a queue and a sorted list give the same events",
            generate: { random in (0..<random.number(in: 0...400)).map { _ in step(&random) } },
            shrink: { steps in steps.indices.map { steps.removing($0) } },
            holds: { steps in
                var queue = EventQueue<Event>()
                var list: [Event] = []
                for step in steps {
                    let first = list.first
                    switch step {
                    case .push(let event):
                        queue.push(event)
                        list.append(event)
                    case .replace(let event):
                        guard queue.replaceMin(event) == first else { return false }
                        list = list.dropFirst() + [event]
                    case .pop:
                        guard queue.popMin() == first else { return false }
                        list = Array(list.dropFirst())
                    }
                    list.sort()
                    guard queue.count == list.count, queue.peek == list.first else { return false }
                }
                return true
            })
    }

    @Test("A queue is a value: a copy keeps its events")
    func valueSemantics() {
        var random = SplitMix64(seed: 1)
        var queue = EventQueue<Event>()
        for _ in 0..<10 { queue.push(event(&random)) }
        var copy = queue
        while copy.popMin() != nil {}
        #expect(queue.count == 10 && copy.count == 0 && copy.popMin() == nil)
        let only = event(&random)
        #expect(copy.replaceMin(only) == nil && copy.peek == only)
    }
}

/// Returns an event with few possible values, so that many events are equal.
private func event(_ random: inout SplitMix64) -> EventQueueTests.Event {
    EventQueueTests.Event(at: random.number(in: -3...3), mark: random.number(in: 0...2))
}

private func step(_ random: inout SplitMix64) -> EventQueueTests.Step {
    switch random.number(in: 0...5) {
    case 0...2: .push(event(&random))
    case 3: .replace(event(&random))
    default: .pop
    }
}

extension Array {
    /// Returns the array without one element.
    fileprivate func removing(_ index: Int) -> [Element] {
        var rest = self
        rest.remove(at: index)
        return rest
    }
}
