import Synchronization

/// Customers for whom something is to be done, each once however often it was asked for.
final class CustomerQueue: Sendable {
    private struct State {
        var line: [CustomerID] = []
        var waiting: Set<CustomerID> = []
        /// Of those for whom the last try has failed.
        var schedules: [CustomerID: BackoffSchedule] = [:]
    }

    private let state = Mutex(State())
    /// Tells that somebody was added.
    let signal = ChangeSignal()

    /// Adds a customer, unless they wait already.
    func add(_ customer: CustomerID) {
        let isNew = state.withLock { state in
            guard state.waiting.insert(customer).inserted else { return false }
            state.line.append(customer)
            return true
        }
        if isNew { signal.send() }
    }

    /// Takes all who wait, in the order in which they came.
    func takeAll() -> [CustomerID] {
        state.withLock { state in
            defer { (state.line, state.waiting) = ([], []) }
            return state.line
        }
    }

    /// How long somebody waits for the next try, in milliseconds; `nil` where none is needed.
    private func rest(of customer: CustomerID, isDone: Bool, _ backoff: Backoff) -> Int64? {
        state.withLock { state in
            guard !isDone else {
                state.schedules[customer] = nil
                return nil
            }
            return state.schedules[customer, default: BackoffSchedule(backoff, lane: 7)].fail()
        }
    }

    /// Does something for everybody who is added, for several at the same time, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - concurrency: For how many at the same time.
    ///   - work: What to do; says whether it was done. Otherwise the customer is added again after a wait.
    func serve(
        concurrency: Int, clock: any StoreClock, backoff: Backoff,
        _ work: @escaping @Sendable (CustomerID) async -> Bool
    ) async {
        await withDiscardingTaskGroup { group in
            let free = Slots(concurrency)
            while !Task.isCancelled {
                let seen = signal.count
                for customer in takeAll() {
                    await free.take()
                    if Task.isCancelled { return }
                    group.addTask {
                        let isDone = await work(customer)
                        free.giveBack()
                        guard let wait = self.rest(of: customer, isDone: isDone, backoff), !Task.isCancelled else {
                            return
                        }
                        try? await clock.wait(until: clock.now.adding(milliseconds: wait))
                        self.add(customer)
                    }
                }
                await signal.wait(after: seen)
            }
        }
    }
}

/// So many may do something at the same time.
final class Slots: Sendable {
    private let free: Mutex<Int>
    private let signal = ChangeSignal()

    init(_ count: Int) { free = Mutex(count) }

    /// Waits for a slot; returns without one when the task is cancelled.
    func take() async {
        while !Task.isCancelled {
            let seen = signal.count
            let isTaken = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            if isTaken { return }
            await signal.wait(after: seen)
        }
    }

    /// Lets the next one in.
    func giveBack() {
        free.withLock { $0 += 1 }
        signal.send()
    }
}
