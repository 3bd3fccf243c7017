extension StoreClock {
    /// Waits until an instant, even if the clock wakes early.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait(until instant: Instant) async throws {
        while now < instant { try await sleep(until: instant) }
    }

    /// Waits until a signal's count exceeds `seen`, or until an instant; without an instant, waits only for the signal.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait(for signal: ChangeSignal, after seen: Int, until instant: Instant?) async throws {
        await withTaskGroup { group in
            group.addTask { await signal.wait(after: seen) }
            if let instant, instant < .distantFuture {
                group.addTask { try? await self.wait(until: instant) }
            }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Runs a call with a time limit; the call must end when its task is cancelled.
    ///
    /// - Parameter limit: The time limit; `nil` means no limit.
    /// - Throws: The error of the call; ``StoreError`` with `deadlineExceeded` if the call exceeds the limit.
    package func within<Value: Sendable>(
        _ limit: Duration?, _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let limit else { return try await call() }
        let end = now.advanced(by: limit)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await call() }
            group.addTask {
                try await self.wait(until: end)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else {
                throw StoreError(.deadlineExceeded, "the call took longer than \(limit.milliseconds) ms")
            }
            return value
        }
    }
}
