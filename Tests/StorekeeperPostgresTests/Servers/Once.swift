/// Something that is done once, by the first who comes; the others wait for it.
actor Once {
    private var task: Task<Void, any Error>?

    func value(or work: @escaping @Sendable () async throws -> Void) async throws {
        let task = self.task ?? Task { try await work() }
        self.task = task
        try await task.value
    }
}
