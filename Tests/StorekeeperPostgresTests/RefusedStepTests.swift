import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

@Suite(
    "Steps that share a transaction", .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"),
    .system)
struct RefusedStepTests {
    private func vault() async throws -> (database: String, vault: PostgresVault) {
        let database = try await TestDatabase.make()
        return (
            database,
            try await PostgresVault(database, options: .init(connections: 3, writers: 1, changeDetection: .none))
        )
    }

    private func grant(_ key: LedgerRequest.Key, of balance: Balance.ID = "coins", to customer: CustomerID = "anna")
        -> LedgerRequest
    {
        .grant(1, of: balance, to: customer, because: "a gift", key: key, at: .day(0))
    }

    /// Runs 64 requests, three quarters of which are grants.
    ///
    /// Every fourth is another request. Returns the errors.
    private func failures(
        in vault: PostgresVault, _ other: @escaping @Sendable (Int) -> LedgerRequest
    ) async -> [VaultError.Code] {
        await withTaskGroup(of: VaultError.Code?.self) { group in
            for number in 0..<64 {
                let request = number % 4 == 0 ? other(number) : grant("\(number)")
                group.addTask {
                    do throws(VaultError) {
                        _ = try await vault.move([request], policy: .debt)
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: []) { codes, code in if let code { codes.append(code) } }
        }
    }

    /// A value that the database refuses.
    enum Refusal: CaseIterable {
        case trigger, check, zeroByte, longKey, longName
    }

    @Test("A request that the database refuses fails alone and leaves no trace", arguments: Refusal.allCases)
    func refusal(_ refusal: Refusal) async throws {
        let (database, vault) = try await vault()
        defer { vault.close() }
        _ = try await vault.move([grant("first")], policy: .debt)
        var random = SplitMix64(seed: 7)
        // The text is random, so that it cannot be compressed.
        let long = String(decoding: (0..<9_000).map { _ in UInt8(random.number(in: 33...126)) }, as: UTF8.self)
        switch refusal {
        case .trigger:
            for sql in [
                """
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$BEGIN IF NEW.balance = 'cursed' THEN RAISE EXCEPTION 'no such balance'; END IF; RETURN NEW; END$$
                """,
                """
                CREATE TRIGGER refuse BEFORE INSERT ON storekeeper.ledger FOR EACH ROW EXECUTE FUNCTION public.refuse()
                """,
            ] { try await TestDatabase.run(sql, in: database) }
        case .check:
            try await TestDatabase.run(
                "ALTER TABLE storekeeper.ledger ADD CHECK (balance <> 'cursed')", in: database)
        default: break
        }
        let codes = await failures(in: vault) { number in
            switch refusal {
            case .trigger, .check: grant("\(number)", of: "cursed")
            case .zeroByte: grant("\(number)\u{0}")
            case .longKey: grant("\(number)\(long)")
            case .longName: grant("\(number)", to: CustomerID(rawValue: "\(number)" + long))
            }
        }
        #expect(codes == Array(repeating: .invalidRequest, count: 16))
        #expect(try await vault.balances(of: "anna").map(\.amount) == [49])
        #expect(try await vault.customers(after: nil, limit: 100) == ["anna"])
        // The audit reports only the trigger, which does not belong to the vault. The hash chain has no fault.
        #expect(try await vault.checkIntegrity().faults.map(\.subject).contains { $0 != "trigger refuse" } == false)
    }

    @Test("A step that fails after it wrote is undone, and the other steps of its transaction are kept")
    func failingStepAlone() async throws {
        let (_, vault) = try await vault()
        defer { vault.close() }
        let counts = await vault.carryOutFailingSteps()
        #expect(counts == (54, 6))
        let customers = try await vault.customers(after: nil, limit: .max)
        #expect(customers.count == 54 && !customers.contains("c17"))
    }

    @Test("A step of a cancelled task still runs to its end and returns its result")
    func cancellation() async throws {
        let (_, vault) = try await vault()
        defer { vault.close() }
        let request = grant("late")
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await vault.move([request], policy: .debt).first?.get().balance
        }
        #expect(try await writing.value == 1)
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await vault.load("anna")
        }
        #expect(try await reading.value.balances.count == 1)
    }

    @Test("Steps that wait when the vault is closed are carried out or refused as closed")
    func closeWhileWaiting() async throws {
        let (database, vault) = try await vault()
        let written = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                let request = grant("k", to: CustomerID(rawValue: "c\(number)"))
                group.addTask {
                    do throws(VaultError) {
                        _ = try await vault.move([request], policy: .debt)
                        return true
                    } catch {
                        #expect(error.code == .closed)
                        return false
                    }
                }
            }
            group.addTask {
                vault.close()
                return false
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        let again = try await PostgresVault(database, options: .init(connections: 2, makesSchema: false))
        defer { again.close() }
        #expect(try await again.customers(after: nil, limit: .max).count == written)
        #expect(try await again.checkIntegrity().faults == [])
    }
}
