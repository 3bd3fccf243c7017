import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

/// Tests of a commit that no standby has received, although the server was configured to wait for a standby.
@Suite(
    "Synchronous commits without a standby", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct SynchronousCommitTests {
    private static let limit = Duration.seconds(20)
    private static let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    @Test("A commit whose wait for the standby is cancelled is in doubt", arguments: ["cancel", "terminate"])
    func doubt(how: String) async throws {
        let server = try await PostgresServer.make()
        try await Self.requireStandby(of: server)
        async let outcome = Self.insert(1, on: server)
        try await eventually("the commit waits") { try await server.number("SELECT count(*) \(Self.waiting)") == 1 }
        _ = try await server.number("SELECT sum(pg_\(how)_backend(pid)::int) \(Self.waiting)")
        let (kind, isOpen) = try await outcome
        #expect(kind == .inDoubt)
        #expect(isOpen == (how == "cancel"))
        #expect(try await server.number("SELECT count(*) FROM plain WHERE id = 1") == 1)
    }

    /// Makes a server wait at each commit for a standby that does not exist.
    ///
    /// The setting alone is not enough, because commits begin to wait only when the checkpointer has read it.
    private static func requireStandby(of server: PostgresServer) async throws {
        try await server.run("CREATE TABLE plain(id bigint)")
        try await server.alter("synchronous_standby_names", to: "nobody")
        async let _ = cancelWaits(on: server)
        try await eventually("commits wait for the standby") { try await insert(0, on: server).0 == .inDoubt }
    }

    /// Commits a row, and returns the failure and whether the connection is still open.
    private static func insert(
        _ number: Int, on server: PostgresServer
    ) async throws -> (PostgresFailure.Kind?, isOpen: Bool) {
        let settings = try ConnectionSettings(server.address)
        return try await offThread {
            let connection = try Connection(settings)
            let insert = Call(Statement("INSERT INTO plain VALUES(\(number))"))
            do throws(PostgresFailure) {
                _ = try connection.run([Call(.begin), insert, Call(.commit)], within: limit)
                return (nil, connection.isOpen)
            } catch {
                return (error.kind, connection.isOpen)
            }
        }
    }

    /// Cancels each wait for the standby, until the task is cancelled.
    private static func cancelWaits(on server: PostgresServer) async {
        while !Task.isCancelled {
            _ = try? await server.number("SELECT sum(pg_cancel_backend(pid)::int) \(waiting)")
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test(
        "The vault does not acknowledge a step that the standby may not have, and reports doubt in time",
        .timeLimit(.minutes(20)))
    func vault() async throws {
        let server = try await PostgresServer.make()
        let vault = try await PostgresVault(server.address, options: .init(connections: 4, timeout: .seconds(2)))
        defer { vault.close() }
        let request = LedgerRequest.grant(5, of: "coins", to: "anna", because: "x", key: "once", at: .day(1))
        // The first step creates the customer, so that the next step writes only its entry.
        _ = try await vault.move(
            [.grant(1, of: "coins", to: "anna", because: "x", key: "first", at: .day(1))], policy: .debt)
        try await Self.requireStandby(of: server)
        let outcome: VaultError.Code?
        do throws(VaultError) {
            async let _ = Self.cancelWaits(on: server)
            _ = try await vault.move([request], policy: .debt)
            outcome = nil
        } catch {
            outcome = error.code
        }
        #expect(outcome == .inDoubt)
        try await server.alter("synchronous_standby_names", to: "")
        _ = try await server.number("SELECT sum(pg_cancel_backend(pid)::int) \(Self.waiting)")
        let results = try await vault.move([request], policy: .debt)
        #expect(try results.first?.get().balance == 6)
        #expect(try await vault.entries(after: .start, of: "anna", limit: 9).map(\.number) == [1, 2])
        #expect(try await vault.checkIntegrity().faults == [])
    }
}
