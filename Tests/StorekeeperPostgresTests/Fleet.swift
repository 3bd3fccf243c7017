import Foundation
import Storekeeper
import StorekeeperPostgres
import Synchronization

/// A vault that passes each call to the next of several nodes on one database.
final class Fleet: TransactionalVault {
    let nodes: [PostgresVault]
    let accountTokens: AccountTokenRule
    private let next = Atomic<Int>(0)

    init(_ database: String, nodes: Int, options: PostgresVault.Options) async throws(VaultError) {
        accountTokens = options.accountTokens
        var made: [PostgresVault] = []
        for _ in 0..<nodes { made.append(try await PostgresVault(database, options: options)) }
        self.nodes = made
    }

    func close() { for node in nodes { node.close() } }

    private var node: PostgresVault { nodes[next.add(1, ordering: .relaxed).newValue % nodes.count] }

    var listsInSteps: Bool { false }
    var findsStrays: Bool { true }

    func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await node.write(footprint(), body) }

    func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing MemoryTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome { try await node.read(footprint(), body) }

    func load(_ customer: CustomerID) async throws(VaultError) -> CustomerRecord { try await node.load(customer) }
    func leaseWake(_ lease: WakeLease, at now: Instant) async throws(VaultError) -> WakeDecision {
        try await node.leaseWake(lease, at: now)
    }
    func wasWritten(_ step: StepID) async throws(VaultError) -> Bool { try await node.wasWritten(step) }
    func checkIntegrity(containing head: String?) async throws(VaultError) -> IntegrityReport {
        try await node.checkIntegrity(containing: head)
    }
}
