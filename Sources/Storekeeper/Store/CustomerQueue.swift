import Synchronization

/// Customers for whom something is to be done, each once however often it was asked for.
final class CustomerQueue: Sendable {
    private struct State {
        var line: [CustomerID] = []
        var waiting: Set<CustomerID> = []
        /// Of those for whom the last try has failed.
        var schedules: [CustomerID: BackoffSchedule] = [:]
        /// Who is being served with a pause, and whether they were added meanwhile.
        var served: [CustomerID: Bool] = [:]
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
    func removeAll() -> [CustomerID] {
        state.withLock { state in
            defer { (state.line, state.waiting) = ([], []) }
            return state.line
        }
    }

    /// How long somebody rests before the next try, in milliseconds; `nil` where none is needed.
    private func rest(of customer: CustomerID, isDone: Bool, _ backoff: Backoff) -> Int64? {
        state.withLock { state in
            guard !isDone else {
                state.schedules[customer] = nil
                return nil
            }
            return state.schedules[customer, default: BackoffSchedule(backoff, salt: .queue)].fail()
        }
    }

    /// Begins to serve somebody; `false` where they are being served, to whom it then comes again.
    private func begin(_ customer: CustomerID) -> Bool {
        state.withLock { state in
            if state.served[customer] != nil {
                state.served[customer] = true
                return false
            }
            state.served[customer] = false
            return true
        }
    }

    /// The pause of somebody who was added while they were served.
    private func pause(of customer: CustomerID, _ pause: Int64?) -> Int64? {
        state.withLock { $0.served[customer] } == true ? pause : nil
    }

    /// Ends what ``begin(_:)`` has begun; says whether they were added meanwhile.
    private func end(_ customer: CustomerID) -> Bool {
        state.withLock { $0.served.removeValue(forKey: customer) } ?? false
    }

    /// Does something for everybody who is added, for several at the same time, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - concurrency: For how many at the same time.
    ///   - pause: How long to wait, in milliseconds, before it is done again for somebody who was added while it was
    ///     being done; `nil`: not at all, and at the same time.
    ///   - work: What to do; says whether it was done. Otherwise the customer is added again after a wait.
    func serve(
        concurrency: Int, clock: any StoreClock, backoff: Backoff, pause: Int64? = nil,
        _ work: @escaping @Sendable (CustomerID) async -> Bool
    ) async {
        state.withLock { $0.served = [:] }
        await withDiscardingTaskGroup { group in
            let free = Slots(concurrency)
            while !Task.isCancelled {
                let seen = signal.count
                for customer in removeAll() {
                    if pause != nil, !self.begin(customer) { continue }
                    guard await free.acquire(), !Task.isCancelled else { return }
                    group.addTask {
                        let isDone = await work(customer)
                        free.giveBack()
                        let rest = self.rest(of: customer, isDone: isDone, backoff) ?? self.pause(of: customer, pause)
                        if let rest, !Task.isCancelled {
                            try? await clock.wait(until: clock.now.adding(milliseconds: rest))
                        }
                        if self.end(customer) || rest != nil, !Task.isCancelled { self.add(customer) }
                    }
                }
                await signal.wait(after: seen)
            }
        }
    }
}
