import Storekeeper

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

extension LocalAppStore {
    /// Serves on a free port while a body runs.
    ///
    /// The body receives the address.
    func serving(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let server = LocalAppStoreServer(self) { running.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { running.finish() }
                try await server.run()
            }
            for await port in ports.prefix(1) { try await body("http://127.0.0.1:\(port)") }
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
    }
}
