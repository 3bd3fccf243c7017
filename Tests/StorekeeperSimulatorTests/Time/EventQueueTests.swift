import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

@Suite("The queue of events") struct EventQueueTests {
    /// What is done with a queue.
    enum Step: Sendable {
        case push(DueEvent)
        case replace(DueEvent)
        case pop
    }

    @Test("gives events back in the order that sorting gives")
    func heapOrder() {
        checkProperty(
            "popping all events sorts them",
            generate: { random in (0..<random.number(in: 0...300)).map { _ in event(&random) } },
            shrink: { events in events.indices.map { events.removing($0) } },
            holds: { events in
                var queue = EventQueue()
                for event in events { queue.push(event) }
                guard queue.count == events.count, queue.peek == events.min() else { return false }
                var popped: [DueEvent] = []
                while let event = queue.popMin() { popped.append(event) }
                return popped == events.sorted() && queue.isEmpty && queue.peek == nil
            })
    }

    @Test("agrees with a sorted list whatever is done to it")
    func agreesWithSortedList() {
        checkProperty(
            "a queue and a sorted list give the same events",
            generate: { random in (0..<random.number(in: 0...400)).map { _ in step(&random) } },
            shrink: { steps in steps.indices.map { steps.removing($0) } },
            holds: { steps in
                var queue = EventQueue()
                var list: [DueEvent] = []
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

    @Test("orders by instant, account, line, kind, stamp and subject, in that order")
    func orderOfFields() {
        let least = DueEvent(at: Instant(clamped: -5), account: -1, line: 0, kind: 0, stamp: 0, subject: -1)
        let steps: [(inout DueEvent) -> Void] = [
            { $0.subject = 7 }, { $0.stamp = 1 }, { $0.kind = 255 }, { $0.line = 1 }, { $0.account = 0 },
            { $0.at = Instant(clamped: 5) },
        ]
        var events = [least]
        for step in steps {
            // Each event is greater by one field alone, and less in every field that counts for less.
            var event = least
            step(&event)
            #expect(events.allSatisfy { $0 < event && !(event < $0) })
            events.append(event)
        }
    }

    @Test("is a value: a copy keeps its events")
    func valueSemantics() {
        var random = SplitMix64(seed: 1)
        var queue = EventQueue()
        for _ in 0..<10 { queue.push(event(&random)) }
        var copy = queue
        while copy.popMin() != nil {}
        #expect(queue.count == 10 && copy.isEmpty)
        queue.removeAll()
        #expect(queue.isEmpty && queue.popMin() == nil)
        let only = event(&random)
        #expect(queue.replaceMin(only) == nil && queue.peek == only)
    }
}

/// An event of few possible values, so that many agree in some fields.
private func event(_ random: inout SplitMix64) -> DueEvent {
    DueEvent(
        at: Instant(clamped: Int64(random.number(in: -3...3))), account: Int32(random.number(in: 0...2)),
        line: Int32(random.number(in: -1...1)), kind: UInt8(random.number(in: 0...2)),
        stamp: UInt32(random.number(in: 0...1)), subject: Int32(random.number(in: -1...1)))
}

private func step(_ random: inout SplitMix64) -> EventQueueTests.Step {
    switch random.number(in: 0...5) {
    case 0...2: .push(event(&random))
    case 3: .replace(event(&random))
    default: .pop
    }
}

extension Array {
    /// The same without one element.
    fileprivate func removing(_ index: Int) -> [Element] {
        var rest = self
        rest.remove(at: index)
        return rest
    }
}
