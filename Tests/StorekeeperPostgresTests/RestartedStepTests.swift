import Storekeeper
import StorekeeperPostgres
import StorekeeperTesting
import Synchronization
import Testing

/// Tests with a server that is restarted during a step.
@Suite(
    "A server that restarts while a step is under way", .serialized, .proof,
    .enabled(if: ServerPrograms.areInstalled, "no PostgreSQL server is installed"))
struct RestartedStepTests {
    enum Phase: String { case begun, loaded, committing, committed }

    @Test(
        "A restart in any phase of a step leaves a correct answer, and the vault reconnects by itself",
        .timeLimit(.minutes(20)))
    func restarts() async throws {
        let server = try await PostgresServer.make()
        for (phase, isKilled) in [
            (.begun, true), (.loaded, false), (.committing, false), (.committing, true), (.committed, false),
            (.committed, true),
        ] as [(Phase, Bool)] {
            try await restart(server, in: phase, isKilled: isKilled)
        }
    }

    private func restart(_ server: PostgresServer, in phase: Phase, isKilled: Bool) async throws {
        let comment: Comment = "\(phase), \(isKilled ? "killed" : "stopped")"
        let database = try await server.makeVault()
        let proxy = try WireProxy(to: server)
        let vault = try await PostgresVault(
            proxy.address(of: database), options: .init(connections: 3, timeout: .seconds(20)))
        defer { vault.close() }
        _ = try await vault.move([Self.request("before", 1)], policy: .debt)
        // A fast stop ends all connections except connections that are committing.
        let restart: @Sendable () throws -> Void = {
            if isKilled { server.kill() } else { try server.stop("fast") }
            try server.start()
        }
        let answer: VaultError?
        do throws(VaultError) {
            switch phase {
            case .begun, .loaded: try await Self.step(vault, restart, inRun: phase == .begun ? 1 : 2)
            case .committing, .committed: try await Self.step(vault, proxy, restart, afterwards: phase == .committed)
            }
            answer = nil
        } catch {
            answer = error
        }
        #expect(answer?.code != .inDoubt, "the outcome can be looked up; \(comment)")
        // The first call after the restart succeeds.
        let entries = try await vault.entries(after: .start, of: "anna", limit: 9)
        #expect(entries.map(\.number) == (answer == nil ? [1, 2] : [1]), "\(String(describing: answer)), \(comment)")
        let results = try await vault.move([Self.request("after", 100)], policy: .debt)
        #expect(try results.first?.get().balance == (answer == nil ? 111 : 101), comment)
        #expect(try await vault.checkIntegrity().faults == [], comment)
    }

    private static func request(_ key: LedgerRequest.Key, _ quantity: Int64) -> LedgerRequest {
        .grant(quantity, of: "coins", to: "anna", because: "x", key: key, at: .day(1))
    }

    /// Runs a step, and restarts the server during the given run of the step.
    private static func step(
        _ vault: PostgresVault, _ restart: @escaping @Sendable () throws -> Void, inRun number: Int
    ) async throws(VaultError) {
        let runs = Mutex(0)
        _ = try await vault.write { tables throws(VaultError) in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == number { do { try restart() } catch { throw VaultError(.corrupt, "\(error)") } }
            return try VaultRules.move([request("during", 10)], policy: .debt, in: &tables)
        }
    }

    /// Runs a step, and restarts the server while the step's commit, or the answer to the commit, is held back by the
    /// proxy.
    private static func step(
        _ vault: PostgresVault, _ proxy: WireProxy, _ restart: @escaping @Sendable () throws -> Void, afterwards: Bool
    ) async throws(VaultError) {
        let (gate, wasMet) = (Gate(), Flag())
        proxy.decide { message in
            guard afterwards ? message.completes("COMMIT") : message.executes("COMMIT"),
                wasMet.set()
            else { return .pass }
            return .wait(gate)
        }
        let restarting = Task {
            try await eventually("the commit is under way") { gate.count > 0 }
            try await offThread(restart)
            gate.open()
        }
        let outcome: Result<Void, VaultError>
        do throws(VaultError) {
            _ = try await vault.move([request("during", 10)], policy: .debt)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        do { try await restarting.value } catch { throw VaultError(.corrupt, "\(error)") }
        try outcome.get()
    }
}
