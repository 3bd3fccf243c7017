import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of the values that record the waiting callers of a store, such as the callers that wait for a lock.
struct WaitingValueTests {
    private static func key(_ id: Transaction.ID) -> TransactionKey {
        TransactionKey(bundleID: "com.example.game", environment: .production, transactionID: id)
    }

    @Test("A lock passes to its waiters in order of arrival, even if many wait")
    func lock() {
        var lock = FIFOLock<Int>()
        let isTaken1 = lock.begin()
        #expect(isTaken1)
        let isTwice1 = lock.begin()
        #expect(!isTwice1)
        for number in 0..<200 { lock.wait(number) }
        let firstHalf = (0..<150).map { _ in lock.next() }
        #expect(firstHalf == Array(0..<150))
        for number in 200..<300 { lock.wait(number) }
        let secondHalf = (150..<300).map { _ in lock.next() }
        #expect(secondHalf == Array(150..<300))
        let isTwice2 = lock.begin()
        #expect(!isTwice2, "the last one has it still")
        let afterTheLast = lock.next()
        #expect(afterTheLast == nil)
        let isTaken2 = lock.begin()
        #expect(isTaken2)
    }

    @Test("A transaction has one delivery at a time, and its end resumes the waiting callers")
    func deliveries() {
        var deliveries = Deliveries<String>()
        let (one, two) = (Self.key("1"), Self.key("2"))
        deliveries.wait("early", for: one)
        let isTaken3 = deliveries.begin(one)
        #expect(isTaken3)
        let isTakenTwice3 = deliveries.begin(one)
        #expect(!isTakenTwice3)
        let isTaken4 = deliveries.begin(two)
        #expect(isTaken4)
        deliveries.wait("first", for: one)
        deliveries.wait("second", for: one)
        #expect(deliveries.isInProgress(one))
        let resumed = deliveries.end(one)
        #expect(resumed == ["first", "second"], "a caller does not wait for a delivery that has not begun")
        #expect(!deliveries.isInProgress(one) && deliveries.isInProgress(two))
        let later = deliveries.end(one)
        #expect(later == [])
        let isTaken5 = deliveries.begin(one)
        #expect(isTaken5)
    }

    @Test("Requests are carried out together in order, and each outcome is collected once")
    func requests() {
        var waiting = WaitingRequests()
        func spend(_ key: LedgerRequest.Key) -> LedgerRequest {
            .spend(1, of: "coins", by: "anna", key: key, at: .day(1))
        }
        let (first, second) = (waiting.add([spend("a")]), waiting.add([spend("b"), spend("c")]))
        #expect(waiting.removeAll().flatMap(\.requests).map(\.key) == ["a", "b", "c"])
        #expect(waiting.removeAll().isEmpty)
        #expect(!waiting.hasOutcome(first))
        let early = waiting.removeOutcome(of: first)
        #expect(early == nil)
        waiting.storeOutcome(second, with: .failure(VaultError(.io, "gone")))
        waiting.storeOutcome(first, with: .success([]))
        #expect(waiting.hasOutcome(first))
        let (outcome, again) = (waiting.removeOutcome(of: first), waiting.removeOutcome(of: first))
        #expect(outcome != nil)
        #expect(again == nil)
        #expect(waiting.hasOutcome(second))
    }
}
