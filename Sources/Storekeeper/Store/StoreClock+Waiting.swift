extension StoreClock {
    /// Waits until an instant, however often the clock wakes early.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait(until instant: Instant) async throws {
        while now < instant { try await sleep(until: instant) }
    }

    /// Waits until something has come since a count, or until an instant; `nil`: however long it takes.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(for signal: ChangeSignal, after seen: Int, until instant: Instant?) async throws {
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

    /// Carries out a call that may hang, and that ends when its task is cancelled.
    ///
    /// - Parameter limit: How long it may take; `nil`: as long as it likes.
    /// - Throws: What the call throws; ``StoreError`` with `deadlineExceeded` where it took too long.
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
