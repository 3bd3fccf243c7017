import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

/// Tests that changes by a person with access to the tables are detected.
@Suite(
    "Tampering with the tables", .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"), .system)
struct TamperingTests {
    private static let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"
    private static let rule = LedgerRule(catalog: TestShop.catalog)

    private static func coins(_ id: Transaction.ID) -> TransactionDraft {
        .purchase(of: TestShop.coins, at: .day(1), id: id)
    }

    /// Makes a vault with three customers.
    ///
    /// Anna has a refunded pass, a subscription with its renewal info, coins with an account token, a claimed token and
    /// entries of a balance. Ben has one pass without a token, and entries of a balance. The customer "gone" was
    /// erased.
    private func fill() async throws -> (database: String, vault: PostgresVault) {
        let database = try await TestDatabase.make()
        let vault = try await PostgresVault(
            database, options: .init(connections: 2, writers: 1, changeDetection: .none))
        let pass = TransactionDraft.purchase(of: TestShop.badge, at: .day(1), id: "1")
        let month = TransactionDraft.purchase(of: TestShop.gold, at: .day(2), id: "2")
        var named = Self.coins("3")
        named.appAccountToken = Self.token
        let facts = [
            try pass.verifiedFact(), try pass.revoked(at: .day(5)).verifiedFact(), try month.verifiedFact(),
            try RenewalInfoDraft(for: month).verifiedFact(), try named.verifiedFact(),
        ]
        _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(400), facts: facts, rule: Self.rule))
        for (customer, number) in [("anna", 1), ("anna", 2), ("ben", 1), ("gone", 1)] as [(CustomerID, Int)] {
            _ = try await vault.move(
                [.grant(10, of: "coins", to: customer, because: "a gift", key: "gift \(number)", at: .day(2))],
                policy: .debt)
        }
        let other = try TransactionDraft.purchase(of: TestShop.badge, at: .day(3), id: "4").verifiedFact()
        _ = try await vault.commit(CommitBatch(customer: "ben", at: .day(401), facts: [other], rule: Self.rule))
        let gone = try Self.coins("5").verifiedFact()
        _ = try await vault.commit(CommitBatch(customer: "gone", at: .day(401), facts: [gone], rule: Self.rule))
        _ = try await vault.erase("gone", reason: "asked for", at: .day(402))
        return (database, vault)
    }

    private static let anna = "(SELECT id FROM storekeeper.customer WHERE name = 'anna')"
    private static let ben = "(SELECT id FROM storekeeper.customer WHERE name = 'ben')"
    private static let ledger = "UPDATE storekeeper.ledger SET"
    private static let first = "WHERE customer = \(anna) AND number = 1"
    private static let last = "WHERE customer = \(anna) AND number = 3"
    private static let bensFact = "WHERE customer = \(ben)"

    private static let account: [(what: String, sql: String, kind: VaultFault.Kind)] = [
        ("a changed amount", "\(ledger) change = change + 1, after = after + 1 \(first)", .link),
        ("a changed later sum", "\(ledger) after = after + 1 \(last)", .link),
        ("an instant", "\(ledger) at = at + 1 \(first)", .link),
        ("a key", "\(ledger) key = 'other' \(last)", .link),
        ("a reason", "\(ledger) reason = 'none' \(last)", .link),
        ("a transaction", "\(ledger) transaction_id = '7' \(first)", .link),
        ("a product", "\(ledger) product = 'gems' \(first)", .link),
        ("a target", "\(ledger) target = 0 \(first)", .link),
        ("a number", "\(ledger) number = number + 1 \(last)", .link),
        ("reversed numbers", "\(ledger) number = 10 - number WHERE customer = \(anna)", .link),
        ("a kind", "\(ledger) kind = 4 \(first)", .link),
        ("an unknown kind", "\(ledger) kind = 9 \(first)", .storage),
        ("the name of a balance", "\(ledger) balance = 'gems' \(last)", .link),
        ("a hash", "\(ledger) hash = sha256('') \(first)", .link),
        ("a link", "\(ledger) link = link + 1 \(last)", .link),
        ("an owner", "\(ledger) customer = \(ben), number = 9 \(last)", .link),
        ("an entry not found by its transaction", "\(ledger) cause = NULL \(first)", .binding),
        ("an entry found by an unknown transaction", "\(ledger) cause = sha256('') \(first)", .storage),
        ("a place that was never assigned", "\(ledger) place = place + 1000000 \(first)", .storage),
        ("an entry removed", "DELETE FROM storekeeper.ledger \(first)", .link),
        ("the last entry removed", "DELETE FROM storekeeper.ledger \(last)", .link),
        ("all entries removed", "DELETE FROM storekeeper.ledger", .link),
        (
            "an entry inserted",
            """
            INSERT INTO storekeeper.ledger(customer, number, place, at, kind, balance, change, after, key, link, hash)
            SELECT customer, number + 1, place, at, kind, balance, change, after + change, 'more', link + 1, hash
            FROM storekeeper.ledger \(last)
            """, .link
        ),
        ("an erasure's reason", "UPDATE storekeeper.erasure SET reason = 'none'", .link),
        ("an erasure's counts", "UPDATE storekeeper.erasure SET entries = 0", .link),
        ("an erasure's proof", "UPDATE storekeeper.erasure SET proof = sha256('')", .link),
        ("an erasure removed", "DELETE FROM storekeeper.erasure", .link),
        ("a balance without a customer", "UPDATE storekeeper.balance SET customer = sha256('') \(bensFact)", .storage),
    ]

    private static let evidence: [(what: String, sql: String, kind: VaultFault.Kind)] = [
        (
            "a byte of a payload",
            "UPDATE storekeeper.fact SET payload = set_byte(payload, 20, get_byte(payload, 20) # 1) \(bensFact)",
            .storage
        ),
        ("a longer payload", "UPDATE storekeeper.fact SET payload = payload || '\\x20' \(bensFact)", .storage),
        ("a signature", "UPDATE storekeeper.fact SET signature = sha256('') \(bensFact)", .link),
        ("when a fact was learned", "UPDATE storekeeper.fact SET learned = learned - 1 \(bensFact)", .link),
        ("the chain of a fact", "UPDATE storekeeper.fact SET chain = sha256('') \(bensFact)", .binding),
        ("the transaction of a fact", "UPDATE storekeeper.fact SET transaction = sha256('') \(bensFact)", .binding),
        ("the customer of a fact", "UPDATE storekeeper.fact SET customer = \(anna) \(bensFact)", .link),
        ("the header of a fact", "UPDATE storekeeper.fact SET header = sha256('') \(bensFact)", .storage),
        ("a header", "UPDATE storekeeper.jws_header SET segment = segment || 'x'", .storage),
        ("a header removed", "DELETE FROM storekeeper.jws_header", .storage),
        ("a transaction removed", "DELETE FROM storekeeper.transaction \(bensFact)", .storage),
        ("a fact removed", "DELETE FROM storekeeper.fact \(bensFact)", .link),
        ("all facts removed", "DELETE FROM storekeeper.fact", .link),
        (
            "a fact inserted",
            """
            INSERT INTO storekeeper.fact SELECT customer, sha256('t'), sha256('d'), chain, place, learned, header, payload,
              signature, verbatim, link + 2, hash FROM storekeeper.fact \(bensFact)
            """, .link
        ),
        ("a renewal info removed", "DELETE FROM storekeeper.renewal_info", .link),
        ("a renewal info of another purchase", "UPDATE storekeeper.renewal_info SET purchase = sha256('')", .storage),
        ("the end of a purchase", "UPDATE storekeeper.purchase SET links = links + 1", .link),
        ("a purchase removed", "DELETE FROM storekeeper.purchase", .link),
    ]

    private static let subject = "UPDATE storekeeper.subject SET"
    private static let bindings: [(what: String, sql: String, kind: VaultFault.Kind)] = [
        ("a chain moved to another customer", "\(subject) holder = 'anna', customer = \(anna) \(bensFact)", .link),
        ("only the name of a chain's owner", "\(subject) holder = 'anna' \(bensFact)", .binding),
        ("only the key of a chain's owner", "\(subject) customer = \(anna) \(bensFact)", .binding),
        ("when a chain was bound", "\(subject) bound = bound + 1 \(bensFact)", .link),
        ("the name of a chain", "\(subject) original = '7' \(bensFact)", .link),
        ("the key of a chain", "\(subject) id = sha256('') \(bensFact)", .binding),
        ("the purchase of a chain", "\(subject) purchase = NULL \(bensFact)", .binding),
        (
            "a chain without its owner",
            "\(subject) customer = NULL, holder = NULL, bound = NULL, place = NULL, link = NULL, hash = NULL \(bensFact)",
            .link
        ),
        ("a chain partly without its owner", "\(subject) customer = NULL, holder = NULL \(bensFact)", .storage),
        ("a binding removed", "DELETE FROM storekeeper.subject \(bensFact)", .link),
        (
            "a binding inserted",
            """
            INSERT INTO storekeeper.subject(id, stamp, customer, holder, bound, place, link, hash, token, attempts)
            SELECT sha256('t'), 1, customer, holder, bound, place, link + 2, hash,
              substring(sha256('u') FROM 1 FOR 16), 0 FROM storekeeper.subject \(bensFact)
            """, .link
        ),
        (
            "a wrong token of a chain",
            "\(subject) newest_token = substring(sha256('') FROM 1 FOR 16) WHERE original = '3'", .binding
        ),
        ("when a chain's token was signed", "\(subject) newest_signed = 9000000000000 WHERE original = '3'", .binding),
        (
            "a token added to a chain without one",
            "\(subject) newest_token = substring(sha256('') FROM 1 FOR 16), newest_signed = 1 \(bensFact)", .binding
        ),
        (
            "the token of a chain removed",
            "\(subject) newest_token = NULL, newest_signed = NULL WHERE original = '3'", .binding
        ),
    ]

    private static let customers: [(what: String, sql: String, kind: VaultFault.Kind)] = [
        ("a customer's name", "UPDATE storekeeper.customer SET name = 'zoe' WHERE name = 'anna'", .storage),
        ("a customer's count of entries", "UPDATE storekeeper.customer SET entries = 2 WHERE name = 'anna'", .link),
        ("the end of a customer's chain", "UPDATE storekeeper.customer SET head = sha256('')", .link),
        ("a customer's salt", "UPDATE storekeeper.customer SET salt = sha256('') WHERE name = 'anna'", .link),
        ("a customer removed", "DELETE FROM storekeeper.customer WHERE name = 'anna'", .link),
        (
            "a customer replaced by an older copy",
            """
            WITH gone AS (DELETE FROM storekeeper.ledger \(last) RETURNING link), old AS (
              SELECT hash FROM storekeeper.ledger WHERE customer = \(anna) AND number = 2)
            UPDATE storekeeper.customer SET entries = 2, links = links - 1, head = (SELECT hash FROM old)
            WHERE name = 'anna'
            """, .link
        ),
        (
            "the last checkpoint removed",
            "DELETE FROM storekeeper.checkpoint WHERE number = (SELECT max(number) FROM storekeeper.checkpoint)", .link
        ),
        (
            "the last checkpoint removed and the head adjusted",
            """
            WITH gone AS (
              DELETE FROM storekeeper.checkpoint WHERE number = (SELECT max(number) FROM storekeeper.checkpoint))
            UPDATE storekeeper.head SET number = number - 1, hash = (
              SELECT hash FROM storekeeper.checkpoint ORDER BY number DESC OFFSET 1 LIMIT 1)
            """, .link
        ),
        (
            "a checkpoint changed",
            """
            UPDATE storekeeper.checkpoint SET heads = heads || heads
            WHERE number = (SELECT min(number) FROM storekeeper.checkpoint)
            """, .link
        ),
        ("a checkpoint that cannot be read", "UPDATE storekeeper.checkpoint SET heads = '\\x00'", .link),
        ("the end of the checkpoints", "UPDATE storekeeper.head SET hash = sha256('')", .link),
        ("the count of the checkpoints", "UPDATE storekeeper.head SET number = number + 1", .storage),
        (
            "a customer's last place set to a future one",
            "UPDATE storekeeper.customer SET last_place = 9000000000000", .storage
        ),
        ("a lower next place", "UPDATE storekeeper.feed SET next = 1", .storage),
        ("the greatest next place", "UPDATE storekeeper.feed SET next = 9223372036854775807", .storage),
        ("a negative next place", "UPDATE storekeeper.feed SET next = -9223372036854775807", .storage),
    ]

    private static let tables: [(what: String, sql: String, kind: VaultFault.Kind)] = [
        (
            "a trigger",
            """
            CREATE TRIGGER gift BEFORE UPDATE ON storekeeper.balance FOR EACH ROW
            EXECUTE FUNCTION suppress_redundant_updates_trigger()
            """, .storage
        ),
        ("a rule", "CREATE RULE song AS ON DELETE TO storekeeper.erasure DO INSTEAD NOTHING", .storage),
        ("row security", "ALTER TABLE storekeeper.fact ENABLE ROW LEVEL SECURITY", .storage),
        ("a key dropped", "DROP INDEX storekeeper.ledger_key", .storage),
        ("a primary key dropped", "ALTER TABLE storekeeper.step DROP CONSTRAINT step_pkey", .storage),
        ("a table dropped", "DROP TABLE storekeeper.notification", .storage),
    ]

    @Test("The integrity check detects each change, and finds no fault once it is undone")
    func otherHands() async throws {
        let (database, vault) = try await fill()
        defer { vault.close() }
        let sound = try await vault.checkIntegrity()
        #expect(sound.faults == [])
        #expect(try await vault.checkIntegrity(containing: sound.head).faults == [])
        let pool = ConnectionPool(try ConnectionSettings(database), size: 1)
        defer { pool.close() }
        for (what, sql, kind) in Self.account + Self.evidence + Self.bindings + Self.customers + Self.tables {
            let (changed, faults) = try await pool.run { connection throws(PostgresFailure) in
                let limit = Duration.seconds(30)
                _ = try connection.run(.begin, within: limit)
                do throws(PostgresFailure) {
                    let changed = try connection.run(Statement(sql), within: limit).command
                    let faults = try PostgresStorage.integrity(connection, limit).faults
                    _ = try connection.run(.rollback, within: limit)
                    return (changed, faults)
                } catch {
                    _ = try? connection.run(.rollback, within: limit)
                    throw PostgresFailure(.rejected, "\(what): \(error)")
                }
            }
            #expect(!changed.hasSuffix(" 0"), "\(what) changes nothing")
            #expect(faults.contains { $0.kind == kind }, "\(what): \(faults)")
        }
        #expect(try await vault.checkIntegrity() == sound)
    }

    @Test(
        "A stored count with the highest possible number is an error of the call that would increment it",
        arguments: ["customer SET version", "customer SET links", "subject SET stamp", "subject SET attempts"])
    func highestCount(_ column: String) async throws {
        let (database, vault) = try await fill()
        defer { vault.close() }
        try await TestDatabase.run("UPDATE storekeeper.\(column) = \(Int64.max)", in: database)
        // Anna buys coins, and presents Ben's pass, which is counted.
        let facts = [
            try Self.coins("6").verifiedFact(),
            try TransactionDraft.purchase(of: TestShop.badge, at: .day(3), id: "4").verifiedFact(),
        ]
        let error = await #expect(throws: VaultError.self) {
            try await vault.commit(CommitBatch(customer: "anna", at: .day(403), facts: facts, rule: Self.rule))
        }
        #expect(error?.code == .corrupt && error?.message.contains("highest possible number") == true)
    }

    @Test("A changed balance differs from the sum of its entries")
    func editedBalance() async throws {
        let (database, vault) = try await fill()
        defer { vault.close() }
        try await TestDatabase.run("UPDATE storekeeper.balance SET credited = credited + 1000", in: database)
        let report = try await VaultAudit(vault: vault, verifier: TestVerifier()).run()
        #expect(report.faults.contains { $0.kind == .sum })
    }

    @Test("Removed last rows with mended heads are detected with a head that was stored elsewhere")
    func cut() async throws {
        let (database, vault) = try await fill()
        defer { vault.close() }
        let before = try #require(try await vault.checkIntegrity().head)
        let request = LedgerRequest.spend(5, of: "coins", by: "ben", key: "castle", at: .day(403))
        _ = try await vault.move([request], policy: .debt)
        let after = try #require(try await vault.checkIntegrity().head)
        #expect(after != before)
        for head in [before, after, after.uppercased(), String(repeating: "0", count: 64)] {
            #expect(try await vault.checkIntegrity(containing: head).faults == [])
        }
        for sql in [
            "UPDATE storekeeper.balance SET spent = spent - 5 WHERE customer = \(Self.ben)",
            """
            UPDATE storekeeper.customer SET entries = entries - 1, links = links - 1, head = (
              SELECT hash FROM storekeeper.fact WHERE customer = \(Self.ben)) WHERE name = 'ben'
            """,
            "DELETE FROM storekeeper.ledger WHERE key = 'castle'",
            "DELETE FROM storekeeper.checkpoint WHERE number = (SELECT max(number) FROM storekeeper.checkpoint)",
            "UPDATE storekeeper.head SET number = number - 1, hash = decode('\(before)', 'hex')",
        ] { try await TestDatabase.run(sql, in: database) }
        // A truncated vault is consistent in itself, because it has an earlier state. Only a newer head reveals the
        // truncation.
        #expect(try await vault.checkIntegrity(containing: before).faults == [])
        #expect(try await vault.checkIntegrity(containing: after).faults.map(\.kind) == [.link])
        #expect(try await vault.checkIntegrity(containing: after).head == before)
        for wrong in ["", "abc", String(repeating: "g", count: 64), before + "00"] {
            let error = await #expect(throws: VaultError.self) { try await vault.checkIntegrity(containing: wrong) }
            #expect(error?.code == .invalidRequest)
        }
    }
}
