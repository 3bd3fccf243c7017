/// Work that the first caller starts and later callers wait for.
actor Once {
    private var task: Task<Void, any Error>?

    func value(or work: @escaping @Sendable () async throws -> Void) async throws {
        let task = self.task ?? Task { try await work() }
        self.task = task
        try await task.value
    }
}
