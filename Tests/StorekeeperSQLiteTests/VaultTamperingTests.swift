import Foundation
import Storekeeper
import StorekeeperSQLite
import StorekeeperTesting
import Testing

/// Tests that changes by a person with access to the file are detected.
struct VaultTamperingTests {
    private let folder: TemporaryFolder
    private let path: String

    private static let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
    private static let otherToken = "0b2f7a52-1d8c-4c4e-9f10-6a1f5b1a0c11"

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file()
    }

    /// Makes a vault with two customers.
    ///
    /// Anna has a refunded pass, a subscription with its renewal info, coins and a claimed token. Ben has one pass
    /// without a token, which is the last row.
    private func fill() async throws {
        let vault = try SQLiteVault(path: path)
        let pass = TransactionDraft.purchase(of: "pass", at: .day(1), id: "1")
        let month = TransactionDraft.purchase(
            of: "gold", type: .autoRenewable, at: .day(2), expires: .day(33), group: "g", id: "2")
        var named = Shop.purchase(3)
        named.appAccountToken = Self.token
        let facts = [
            try pass.verifiedFact(), try pass.revoked(at: .day(5)).verifiedFact(), try month.verifiedFact(),
            try RenewalInfoDraft(for: month).verifiedFact(), try named.verifiedFact(),
        ]
        try await vault.commitAll(CommitBatch(customer: "anna", at: .day(400), facts: facts, rule: Shop.rule))
        try await vault.spend(100, key: "sword")
        let other = try TransactionDraft.purchase(of: "pass", at: .day(3), id: "4").verifiedFact()
        try await vault.commitAll(CommitBatch(customer: "ben", at: .day(401), facts: [other], rule: Shop.rule))
        let report = try await vault.checkIntegrity()
        #expect(report.faults == [])
        #expect(report.links == 6 + 5 + 2)
        try vault.close()
    }

    private func report(containing head: String? = nil) async throws -> IntegrityReport {
        let vault = try SQLiteVault(path: path, options: .init(isReadOnly: true))
        defer { try? vault.close() }
        guard let head else { return try await vault.checkIntegrity() }
        return try await vault.checkIntegrity(containing: head)
    }

    private static let bensFact = "(SELECT max(sequence) FROM fact)"

    @Test("A view instead of a table is refused before the vault is read")
    func view() async throws {
        try await fill()
        try tamper(path, "DROP TABLE notification; CREATE VIEW Notification AS SELECT 1")
        let error = #expect(throws: VaultError.self) { try SQLiteVault(path: path, options: .init(isReadOnly: true)) }
        #expect(error?.code == .notAVault)
    }

    @Test(
        "The integrity check detects changes to facts, bindings and tables",
        arguments: [
            (
                "the refunded copy removed", "DELETE FROM fact WHERE sequence = (SELECT min(sequence) + 1 FROM fact)",
                "link"
            ),
            ("a renewal info removed", "DELETE FROM fact WHERE original IS NOT NULL", "link"),
            ("a fact removed", "DELETE FROM fact WHERE sequence = (SELECT min(sequence) FROM fact)", "link"),
            ("the last fact removed", "DELETE FROM fact WHERE sequence = \(bensFact)", "link"),
            ("when a fact was learned", "UPDATE fact SET learned = learned - 1 WHERE sequence = \(bensFact)", "link"),
            ("a signature", "UPDATE fact SET signature = zeroblob(64) WHERE sequence = \(bensFact)", "link"),
            (
                "a fact inserted",
                "INSERT INTO fact SELECT 99, chain, subject, original, environment, learned, zeroblob(32), "
                    + "header, payload, signature, previous, hash FROM fact WHERE sequence = \(bensFact)", "link"
            ),
            (
                "a chain moved to another customer",
                "UPDATE chain SET customer = (SELECT id FROM customer WHERE name = 'anna') WHERE original = '4'", "link"
            ),
            (
                "a chain without its owner",
                "UPDATE chain SET customer = NULL, bound = NULL, sequence = NULL, previous = NULL, "
                    + "hash = NULL WHERE original = '4'", "link"
            ),
            ("a binding outside the hash chain", "UPDATE chain SET sequence = NULL WHERE original = '4'", "link"),
            ("when a chain was bound", "UPDATE chain SET bound = bound + 1 WHERE original = '4'", "link"),
            (
                "a token moved to another customer",
                "UPDATE token SET customer = (SELECT id FROM customer WHERE name = 'ben')", "link"
            ),
            ("a token removed", "DELETE FROM token", "link"),
            (
                "a wrong token of a chain",
                "UPDATE chain SET token = x'0b2f7a521d8c4c4e9f106a1f5b1a0c11', token_signed = 9000000000000 "
                    + "WHERE original = '2000003'", "binding"
            ),
            (
                "a token added to a chain without one",
                "UPDATE chain SET token = zeroblob(16), token_signed = 1 WHERE original = '4'", "binding"
            ),
            ("the token of a chain removed", "UPDATE chain SET token = NULL, token_signed = NULL", "binding"),
            ("the greatest count of rows", "UPDATE meta SET sequence = 9223372036854775807", "storage"),
            ("a lower count of rows", "UPDATE meta SET sequence = 3", "storage"),
            ("a negative count of rows", "UPDATE meta SET sequence = -9223372036854775807 - 1", "storage"),
            (
                "a trigger", "CREATE TRIGGER gift AFTER INSERT ON ledger BEGIN UPDATE balance SET credited = 9; END",
                "storage"
            ),
            (
                "a view, which is never read",
                "CREATE VIEW song AS WITH RECURSIVE endless(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM endless) "
                    + "SELECT id FROM endless", "storage"
            ),
            ("a table", "CREATE TABLE song(name TEXT)", "storage"),
            ("an index", "CREATE INDEX song ON fact(learned)", "storage"),
            ("an index dropped", "DROP INDEX ledger_key", "storage"),
            ("a table dropped", "DROP TABLE notification", "storage"),
            ("a column added", "ALTER TABLE balance ADD COLUMN gift INTEGER", "storage"),
            (
                "a removed check",
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
                    + "'CHECK ((customer IS NULL) <> (erasure IS NULL))', 'CHECK (1)') WHERE name = 'ledger'", "storage"
            ),
        ])
    func otherHands(_ what: String, _ sql: String, _ kind: String) async throws {
        try await fill()
        try tamper(path, sql)
        let found = try await report().faults
        #expect(found.contains { $0.kind.rawValue == kind }, "\(what): \(found)")
    }

    /// A trigger that gives coins to everyone who spends some.
    private static let gift = """
        CREATE TRIGGER gift AFTER INSERT ON ledger BEGIN UPDATE balance SET credited = credited + 1000000; END
        """

    @Test(
        "A vault with a foreign trigger or view is not opened for writing, and reading reports it",
        arguments: [("CREATE VIEW song AS SELECT 1", "view song"), (gift, "trigger gift")])
    func foreignParts(_ sql: String, _ subject: String) async throws {
        try await fill()
        try tamper(path, sql)
        let error = #expect(throws: VaultError.self) { try SQLiteVault(path: path, options: .init(creation: .never)) }
        #expect(error?.code == .notAVault && error?.message.contains("triggers or views") == true)
        #expect(try await report().faults.map(\.subject) == [subject])
    }

    @Test("A trigger that is added while a vault is open does not run") func laterTrigger() async throws {
        try await fill()
        let vault = try SQLiteVault(path: path, options: .init(creation: .never))
        let before = try await vault.balances(of: "anna").map(\.amount)
        try tamper(path, Self.gift)
        try await vault.spend(100, key: "shield")
        #expect(try await vault.balances(of: "anna").map(\.amount) == before.map { $0 - 100 })
        #expect(try await vault.checkIntegrity().faults.map(\.subject) == ["trigger gift"])
        try vault.close()
    }

    @Test("An inserted binding is outside the hash chain, and detected")
    func bindingPutIn() async throws {
        try await fill()
        try tamper(
            path,
            "INSERT INTO token SELECT zeroblob(16), customer, bound, sequence + 100, previous, hash FROM token")
        #expect(try await report().faults.contains { $0.kind == .link })
    }

    @Test("Removed last rows with a mended head are detected with a head that was stored elsewhere")
    func cut() async throws {
        try await fill()
        let before = try #require(try await report().head)
        var vault = try SQLiteVault(path: path)
        try await vault.spend(300, key: "castle")
        let after = try #require(try await vault.checkIntegrity().head)
        #expect(after != before)
        try vault.close()
        for head in [before, after, after.uppercased(), String(repeating: "0", count: 64)] {
            #expect(try await report(containing: head).faults == [])
        }
        try tamper(
            path,
            """
            UPDATE balance SET spent = spent - 300;
            DELETE FROM ledger WHERE key = 'castle';
            UPDATE meta SET head_sequence = (SELECT max(sequence) FROM fact),
              head_hash = (SELECT hash FROM fact ORDER BY sequence DESC LIMIT 1);
            """)
        // A truncated vault is consistent in itself, because it has an earlier state. Only a newer head reveals the
        // truncation.
        #expect(try await report(containing: before).faults == [])
        #expect(try await report(containing: after).faults.map(\.kind) == [.link])
        #expect(try await report(containing: after).head == before)

        vault = try SQLiteVault(path: folder.file("other.sqlite"))
        try await vault.commitAll(Shop.batch([1]))
        #expect(try await vault.checkIntegrity(containing: before).faults.map(\.kind) == [.link])
        for wrong in ["", "abc", String(repeating: "g", count: 64), before + "00"] {
            let error = await #expect(throws: VaultError.self) { try await vault.checkIntegrity(containing: wrong) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("A stored count with the highest possible number is an error of the call that would increment it")
    func highestCounts() async throws {
        var vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        // Ben presents Anna's purchase, which is counted.
        #expect(try await vault.commitAll(Shop.batch([1], for: "ben")).parked.conflicts.map(\.attempts) == [1])
        try vault.close()
        try tamper(
            path, "UPDATE customer SET version = \(Int64.max); UPDATE conflict SET attempts = \(Int64.max)")
        vault = try SQLiteVault(path: path)
        var error = await #expect(throws: VaultError.self) { try await vault.commit(Shop.batch([2])) }
        #expect(error?.code == .corrupt && error?.message.contains("version") == true)
        let fact = try Shop.purchase(1).verifiedFact()
        let chain = try ChainID(#require(fact.transaction))
        for row in [CustomerArchive.Row.fact(fact, learnedAt: .day(1)), .binding(.chain(chain), at: .day(1))] {
            error = await #expect(throws: VaultError.self) {
                try await vault.restore(CustomerArchive(customer: "ben", rows: [row]), rule: Shop.rule, at: .day(2))
            }
            #expect(error?.code == .corrupt && error?.message.contains("attempts") == true)
        }
        try vault.close()
    }

    @Test(
        "A purchase whose entry was given numbers that no balance can hold is stored without a further entry",
        arguments: [(-1, Int64.max, false), (Int64.min, -5, true)] as [(Int64, Int64, Bool)])
    func entryBeyondBalances(_ change: Int64, _ target: Int64, _ isRefunded: Bool) async throws {
        var vault = try SQLiteVault(path: path)
        try await vault.commitAll(Shop.batch([1]))
        try vault.close()
        try tamper(path, "UPDATE ledger SET change = \(change), target = \(target)")
        vault = try SQLiteVault(path: path)
        let purchase = Shop.purchase(1)
        let copy = isRefunded ? purchase.revoked(at: .day(402)) : purchase.signed(at: .day(402))
        let batch = CommitBatch(
            customer: "anna", at: .day(403), facts: [try copy.verifiedFact()], rule: Shop.rule)
        let receipt = try await vault.commitAll(batch)
        #expect(receipt.newFacts == [0] && receipt.entries.isEmpty && receipt.uncredited.count == 1)
        try vault.close()
    }

    @Test("A backup reports the head of its contents, which the vault still contains later")
    func backup() async throws {
        try await fill()
        let vault = try SQLiteVault(path: path)
        let receipt = try await vault.backup(to: folder.file("copy.sqlite"))
        #expect(receipt.head == (try await vault.checkIntegrity().head))
        #expect(receipt.pages > 0)
        try await vault.spend(1, key: "later")
        _ = try await vault.erase("anna", reason: "asked for", at: .day(500))
        #expect(try await vault.checkIntegrity(containing: receipt.head).faults == [])
        let copy = try SQLiteVault(path: folder.file("copy.sqlite"), options: .init(isReadOnly: true))
        #expect(try await copy.checkIntegrity(containing: receipt.head).faults == [])
    }

    @Test("A backup reports the head of its contents while others write")
    func backupDuringWrites() async throws {
        try await fill()
        let vault = try SQLiteVault(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 10... {
                    if Task.isCancelled { return }
                    try await vault.commitAll(Shop.batch([number], for: "carl"))
                }
            }
            for number in 1...12 {
                let file = folder.file("copy-\(number).sqlite")
                let receipt = try await vault.backup(to: file)
                let copy = try SQLiteVault(path: file, options: .init(isReadOnly: true))
                #expect(try await copy.checkIntegrity(containing: receipt.head).faults == [])
                #expect(try await copy.checkIntegrity().head == receipt.head)
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test("The hash chain stays whole over erased rows")
    func erasure() async throws {
        try await fill()
        let vault = try SQLiteVault(path: path)
        let erasure = try await vault.erase("anna", reason: "asked for", at: .day(500))
        #expect(erasure.facts == 5)
        #expect(erasure.entries == 2)
        try await vault.commitAll(Shop.batch([9], for: "anna"))
        let report = try await vault.checkIntegrity()
        #expect(report.faults == [])
        // The links of the erasure and of the seal of its marks are added.
        #expect(report.links == 13 + 2 + 3)
        try vault.close()
        try tamper(path, "DELETE FROM fact WHERE sequence = (SELECT min(sequence) FROM fact)")
        #expect(try await self.report().faults.contains { $0.kind == .link })
    }
}
