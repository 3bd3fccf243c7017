import Foundation
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

struct IntegrityTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    /// Makes a vault with two customers, one of whom was erased, and with entries of both kinds.
    private func fill() async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1, 2]))
        try await vault.commitAll(Shop.batch([3], for: "berta"))
        try await vault.spend(120, key: "sword")
        try await vault.spend(50, by: "berta", key: "shield")
        _ = try await vault.erase("berta", reason: "asked for", at: .day(500))
        try await vault.commitAll(Shop.batch([4]))
        let report = try await vault.checkIntegrity()
        // There are seven links of entries and erasures, four links of facts and four links of bindings, including the
        // links of Berta's removed rows, and one link that seals the marks of her erasure.
        #expect(report.links == 16)
        #expect(report.faults == [])
        try vault.close()
    }

    private func faults() async throws -> [VaultFault] {
        let vault = try SQLiteVault(path: path, options: .init(creation: .never))
        defer { try? vault.close() }
        return try await vault.checkIntegrity().faults
    }

    private static let last = "(SELECT max(sequence) FROM ledger)"
    private static let live = "(SELECT min(sequence) FROM ledger WHERE customer IS NOT NULL)"
    private static let tombstone = "(SELECT min(sequence) FROM ledger WHERE erasure IS NOT NULL)"

    @Test(
        "The integrity check detects changes to the ledger",
        arguments: [
            ("a changed amount", "UPDATE ledger SET change = change + 1 WHERE sequence = \(live)"),
            ("a changed later sum", "UPDATE ledger SET after = after + 1 WHERE sequence = \(last)"),
            ("an instant", "UPDATE ledger SET at = at + 1 WHERE sequence = \(live)"),
            ("a key", "UPDATE ledger SET key = 'shield' WHERE key = 'sword'"),
            ("a reason", "UPDATE ledger SET reason = 'gift' WHERE key = 'sword'"),
            ("the person who recorded it", "UPDATE ledger SET recorded_by = 'support' WHERE key = 'sword'"),
            ("a transaction", "UPDATE ledger SET transaction_id = '7' WHERE sequence = \(live)"),
            ("a target", "UPDATE ledger SET target = 0 WHERE sequence = \(live)"),
            ("a number", "UPDATE ledger SET number = number + 1 WHERE sequence = \(last)"),
            ("a missing number", "UPDATE ledger SET number = NULL WHERE sequence = \(live)"),
            ("exchanged numbers", "UPDATE ledger SET number = 3 - number WHERE number IN (1, 2)"),
            ("a kind", "UPDATE ledger SET kind = 4 WHERE sequence = \(live)"),
            ("an unknown kind", "UPDATE ledger SET kind = 9 WHERE sequence = \(live)"),
            ("the owner's name", "UPDATE customer SET name = 'zoe' WHERE name = 'anna'"),
            ("a hash", "UPDATE ledger SET hash = zeroblob(32) WHERE sequence = \(live)"),
            ("an entry removed", "DELETE FROM ledger WHERE sequence = \(live)"),
            ("the last entry removed", "DELETE FROM ledger WHERE sequence = \(last)"),
            ("all entries removed", "DELETE FROM ledger"),
            ("a removed tombstone", "DELETE FROM ledger WHERE sequence = \(tombstone)"),
            ("a changed tombstone", "UPDATE ledger SET hash = zeroblob(32) WHERE sequence = \(tombstone)"),
            ("a tombstone with content", "UPDATE ledger SET balance = 'coins' WHERE sequence = \(tombstone)"),
            (
                "an entry that was emptied",
                """
                UPDATE ledger SET customer = NULL, at = NULL, kind = NULL, balance = NULL, change = NULL, after = NULL,
                bundle = NULL, environment = NULL, transaction_id = NULL, product = NULL, target = NULL,
                number = NULL, erasure = (SELECT sequence FROM erasure) WHERE sequence = \(live)
                """
            ),
            ("an erasure's reason", "UPDATE erasure SET reason = 'none'"),
            ("an erasure's proof", "UPDATE erasure SET proof = zeroblob(32)"),
            ("an erasure removed", "DELETE FROM erasure"),
            (
                "a removed place of an erased row",
                "DELETE FROM erased WHERE sequence = (SELECT min(sequence) FROM erased)"
            ),
            ("a changed place of an erased row", "UPDATE erased SET hash = zeroblob(32)"),
            (
                "an entry inserted",
                """
                INSERT INTO ledger SELECT 1000, customer, number, at, kind, balance, change, after, bundle, environment,
                transaction_id, product, feature, target, key, revoked_key, reason, recorded_by, erasure, previous,
                hash FROM ledger
                WHERE sequence = \(last)
                """
            ),
            ("the end of the chain", "UPDATE meta SET head_hash = zeroblob(32)"),
        ])
    func otherHands(_ what: String, _ sql: String) async throws {
        try await fill()
        try tamper(path, sql)
        let found = try await faults()
        #expect(found.contains { $0.kind == .link }, "\(what): \(found)")
    }

    @Test(
        "The integrity check detects changes to facts",
        arguments: [
            (
                "a byte of a payload",
                "UPDATE fact SET payload = CAST(replace(CAST(payload AS TEXT), '\"quantity\":1', '\"quantity\":9') AS BLOB)"
            ),
            ("the place of a fact", "UPDATE fact SET chain = (SELECT max(id) FROM chain)"),
            ("the name of a chain", "UPDATE chain SET original = '1' WHERE id = 1"),
            ("a missing chain", "DELETE FROM chain WHERE id = 1"),
            ("the sequence set back", "UPDATE meta SET sequence = 1"),
        ])
    func facts(_ what: String, _ sql: String) async throws {
        try await fill()
        try tamper(path, sql)
        let found = try await faults()
        #expect(!found.isEmpty, "\(what)")
    }

    @Test("A changed balance differs from the sum of its entries")
    func editedBalance() async throws {
        try await fill()
        try tamper(path, "UPDATE balance SET credited = credited + 1000")
        let vault = try SQLiteVault(path: path)
        let sum = try await vault.entries(after: .start, of: "anna", limit: .max).reduce(0) { $0 + $1.change }
        #expect(try await vault.balances(of: "anna").first?.amount != sum)
    }

    @Test("Erased data is not in the file any more, but the proof of erasure is")
    func erasure() async throws {
        let vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1], for: "berta-4711"))
        try await vault.commitAll(Shop.batch([2], for: "anna"))
        let erasure = try await vault.erase("berta-4711", reason: "asked for", at: .day(500))
        #expect(erasure.facts == 1)
        #expect(erasure.entries == 1)
        #expect(erasure.proof.count == 64)
        for end in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path + end))
            #expect(bytes.range(of: Data("berta-4711".utf8)) == nil, "in the file \(end)")
            #expect(bytes.range(of: Data("2000001".utf8)) == nil, "in the file \(end)")
        }
        #expect(try await vault.erasures(of: "berta-4711") == [erasure])
        #expect(try await vault.erasures(of: "anna") == [])
        let report = try await vault.checkIntegrity()
        #expect(report.links == 8)
        #expect(report.faults == [])
    }
}
