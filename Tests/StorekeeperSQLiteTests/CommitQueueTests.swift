import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Synchronization
import Testing

struct CommitQueueTests {
    private let folder: TemporaryFolder
    private let vault: SQLiteVault

    init() throws {
        folder = try TemporaryFolder()
        vault = try SQLiteVault(path: folder.file())
    }

    @Test("A step that fails after it wrote is undone, and the other steps of its transaction are kept")
    func failingStepAlone() async throws {
        let counts = await vault.carryOutFailingSteps()
        #expect(counts == (54, 6))
        let customers = try await vault.customers(after: nil, limit: .max)
        #expect(customers.count == 54)
        #expect(!customers.contains("c17"))
    }

    @Test("A step that is refused before it wrote does not undo the other steps of its transaction")
    func refusal() async throws {
        try await vault.commitAll(Shop.batch([1]))
        let vault = vault
        let left = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let results = try await vault.move([Shop.spend(20, key: "\(number)")], policy: .debt)
                    if case .success? = results.first { return true }
                    return false
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(left == 25)
        #expect(try await vault.balances(of: "anna").first?.amount == 0)
    }

    @Test("Steps of one caller run in order, and each sees the earlier ones")
    func order() async throws {
        for number in 1...50 {
            try await vault.setCursor(UpdateCursor(rawValue: "\(number)"), of: "backend")
            #expect(try await vault.cursor(of: "backend")?.rawValue == "\(number)")
        }
    }

    @Test("A step of a cancelled task still runs to its end and returns its result")
    func cancellation() async throws {
        let vault = vault
        let batch = try Shop.batch([1, 2])
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await vault.commitAll(batch)
        }
        #expect(try await writing.value.newFacts == [0, 1])
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await vault.load("anna")
        }
        #expect(try await reading.value.facts.count == 2)
    }

    @Test("Steps that wait when the vault is closed are carried out; later steps are refused")
    func closeWhileWaiting() async throws {
        let vault = vault
        let begun = Counter()
        let written = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    do throws(VaultError) {
                        try await vault.write { tables throws(VaultError) in
                            _ = begun.next()
                            try tables.setCustomer(CustomerRow(id: CustomerID(rawValue: "c\(number)")))
                        }
                        return true
                    } catch {
                        #expect(error.code == .closed)
                        return false
                    }
                }
            }
            group.addTask {
                try? vault.close()
                return false
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(begun.next() == written)
        let again = try SQLiteVault(path: vault.path, options: .init(creation: .never))
        #expect(try await again.customers(after: nil, limit: .max).count == written)
    }

    @Test("Two vaults on one file never overdraw a balance")
    func twoHandles() async throws {
        try await vault.commitAll(Shop.batch([1, 2]))
        let other = try SQLiteVault(path: vault.path, options: .init(busyTimeout: 60_000, creation: .never))
        let own = try SQLiteVault(path: vault.path, options: .init(busyTimeout: 60_000, creation: .never))
        let spent = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var sum: Int64 = 0
                    for round in 0..<5 {
                        let quantity = Int64(1 + number % 7)
                        let results = try await (number % 2 == 0 ? own : other).move(
                            [Shop.spend(quantity, key: "\(number)-\(round)")], policy: .debt)
                        if case .success? = results.first { sum += quantity }
                    }
                    return sum
                }
            }
            return try await group.reduce(0, +)
        }
        let left = try await vault.balances(of: "anna").first?.amount
        #expect(left == 1_000 - spent)
        #expect((left ?? -1) >= 0)
        #expect(try await vault.entries(after: .start, of: "anna", limit: .max).last?.after == left)
        #expect(try await vault.checkIntegrity().faults == [])
    }
}
