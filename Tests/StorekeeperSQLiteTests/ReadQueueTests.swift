import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSQLite

struct ReadQueueTests {
    private let folder: TemporaryFolder
    private let vault: SQLiteVault

    init() throws {
        folder = try TemporaryFolder()
        vault = try SQLiteVault(path: folder.file())
    }

    @Test("A read sees all writes that ended before it began, also if many reads wait")
    func freshness() async throws {
        let vault = vault
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let customer = CustomerID(rawValue: "c\(number)")
                    for turn in 1...20 {
                        let id = number * 100 + turn
                        try await vault.commitAll(Shop.batch([id], for: customer))
                        #expect(try await vault.load(customer).facts.count == turn)
                        let fact = try Shop.purchase(id).verifiedFact()
                        #expect(try await vault.owners(of: [fact]) == [customer])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Reads that wait when the vault is closed return their result or throw `closed`")
    func closing() async throws {
        try await vault.commitAll(Shop.batch([1]))
        let vault = vault
        let codes = await withTaskGroup(of: VaultError.Code?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do throws(VaultError) {
                        if number == 100 { try vault.close() } else { _ = try await vault.load("anna") }
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: Set<VaultError.Code>()) { if let code = $1 { $0.insert(code) } }
        }
        #expect(codes.isSubset(of: [.closed]))
        await #expect(throws: VaultError.self) { try await vault.load("anna") }
    }

    @Test("A reader whose last transaction could not be rolled back reads the present state")
    func leftOpen() async throws {
        let reader = try Connection(to: VaultFile(path: folder.file(), busyTimeout: 1_000), .reading)
        try reader.beginReading()
        let count = Statement("SELECT count(*) FROM customer")
        #expect(try reader.first(count, { _ in }, { $0.int() }) == 0)
        try await vault.commitAll(Shop.batch([1]))
        try reader.beginReading()
        #expect(try reader.first(count, { _ in }, { $0.int() }) == 1)
    }
}
