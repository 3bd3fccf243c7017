import Synchronization

/// A queue that contains each customer at most once, however often the customer is added.
final class CustomerQueue: Sendable {
    private struct State {
        var line: [CustomerID] = []
        var waiting: Set<CustomerID> = []
        /// The retry schedules of the customers whose last attempt failed.
        var schedules: [CustomerID: BackoffSchedule] = [:]
        /// The customers who are being served; the value is true if the customer was added again meanwhile.
        ///
        /// The dictionary is empty if `serve` is called without a pause.
        var served: [CustomerID: Bool] = [:]
    }

    private let state = Mutex(State())
    /// The signal that is sent when a customer is added.
    let signal = ChangeSignal()

    /// Adds a customer, unless the customer is already in the queue.
    func add(_ customer: CustomerID) {
        let isNew = state.withLock { state in
            guard state.waiting.insert(customer).inserted else { return false }
            state.line.append(customer)
            return true
        }
        if isNew { signal.send() }
    }

    /// Removes and returns all customers, in the order in which they were added.
    func removeAll() -> [CustomerID] {
        state.withLock { state in
            defer { (state.line, state.waiting) = ([], []) }
            return state.line
        }
    }

    /// Returns the wait before the next attempt, in milliseconds; `nil` if the last attempt succeeded.
    private func delay(of customer: CustomerID, isDone: Bool, _ backoff: Backoff) -> Int64? {
        state.withLock { state in
            guard !isDone else {
                state.schedules[customer] = nil
                return nil
            }
            return state.schedules[customer, default: BackoffSchedule(backoff, salt: .queue)].fail()
        }
    }

    /// Marks a customer as being served.
    ///
    /// - Returns: `false` if the customer is already being served. The customer is then served once more afterwards.
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

    /// Returns the pause if the customer was added again while being served; otherwise `nil`.
    private func pause(of customer: CustomerID, _ pause: Int64?) -> Int64? {
        state.withLock { $0.served[customer] } == true ? pause : nil
    }

    /// Marks a customer as no longer being served; returns whether the customer was added again meanwhile.
    private func end(_ customer: CustomerID) -> Bool {
        state.withLock { $0.served.removeValue(forKey: customer) } ?? false
    }

    /// Serves each added customer, several concurrently, until the task is cancelled.
    ///
    /// Customers who were not served successfully by the time of the cancellation remain in the queue.
    ///
    /// - Parameters:
    ///   - concurrency: The maximum number of customers served concurrently.
    ///   - pause: The wait, in milliseconds, before a customer who was added again while being served is served once
    ///     more. With `nil`, such a customer is served again at once, concurrently.
    ///   - work: The closure that serves a customer and returns whether this succeeded. After a failure, the customer
    ///     is added again after a wait.
    func serve(
        concurrency: Int, clock: any StoreClock, backoff: Backoff, pause: Int64? = nil,
        _ work: @escaping @Sendable (CustomerID) async -> Bool
    ) async {
        state.withLock { $0.served = [:] }
        await withDiscardingTaskGroup { group in
            let semaphore = AsyncSemaphore(concurrency)
            while !Task.isCancelled {
                let seen = signal.count
                let customers = removeAll()
                for (position, customer) in customers.enumerated() {
                    if pause != nil, !self.begin(customer) { continue }
                    guard await semaphore.acquire(), !Task.isCancelled else {
                        for customer in customers[position...] { self.add(customer) }
                        return
                    }
                    group.addTask {
                        let isDone = await work(customer)
                        semaphore.release()
                        let delay = self.delay(of: customer, isDone: isDone, backoff) ?? self.pause(of: customer, pause)
                        if let delay, !Task.isCancelled {
                            try? await clock.wait(until: clock.now.adding(milliseconds: delay))
                        }
                        if self.end(customer) || delay != nil { self.add(customer) }
                    }
                }
                await signal.wait(after: seen)
            }
        }
    }
}
