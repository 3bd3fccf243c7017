import Storekeeper
import Synchronization

/// A vault in memory whose writes and reads fail when a test says so.
final class FaultyVault: TabledVault {
    struct Faults {
        /// How many of the next writes fail, with nothing written.
        var writes = 0
        /// How many of the next writes are done and then fail all the same.
        var acknowledgements = 0
        /// How many of the next reads fail.
        var reads = 0
        /// How many steps were asked to write.
        var writeCount = 0
    }

    let inner = InMemoryVault()
    let faults = Mutex(Faults())
    static let error = VaultError(.io, "the disk is gone")

    var writeCount: Int { faults.withLock { $0.writeCount } }
    func failWrites(_ count: Int = 1) { faults.withLock { $0.writes = count } }
    func failAcknowledgements(_ count: Int = 1) { faults.withLock { $0.acknowledgements = count } }
    func failReads(_ count: Int = 1) { faults.withLock { $0.reads = count } }

    private func takes(_ path: any WritableKeyPath<Faults, Int> & Sendable) -> Bool {
        faults.withLock { faults in
            guard faults[keyPath: path] > 0 else { return false }
            faults[keyPath: path] -= 1
            return true
        }
    }

    func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        faults.withLock { $0.writeCount += 1 }
        if takes(\.writes) { throw Self.error }
        await Task.yield()
        let outcome = try await inner.write(body)
        if takes(\.acknowledgements) { throw Self.error }
        return outcome
    }

    func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing InMemoryVault.Tables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        if takes(\.reads) { throw Self.error }
        await Task.yield()
        return try await inner.read(body)
    }

    func checkIntegrity() async throws(VaultError) -> IntegrityReport { try await inner.checkIntegrity() }
}
