import Foundation
import Storekeeper
import StorekeeperDurable
import StorekeeperTesting
import Testing

@testable import StorekeeperPostgres

@Suite(
    "Texts and secrets stored in PostgreSQL", .system,
    .enabled(if: TestDatabase.server != nil, "STOREKEEPER_POSTGRES is not set"))
struct StoredTextTests {
    private static let rule = LedgerRule(catalog: TestShop.catalog)

    private let database: String
    private let vault: PostgresVault

    init() async throws {
        database = try await TestDatabase.make()
        vault = try await open(database)
    }

    private func commit(_ facts: [VerifiedFact], for customer: CustomerID = "anna") async throws {
        _ = try await vault.commit(CommitBatch(customer: customer, at: .day(1), facts: facts, rule: Self.rule))
    }

    private func coins(_ number: Int) -> TransactionDraft {
        .purchase(of: TestShop.coins, at: .day(1), id: Transaction.ID(rawValue: "\(100 + number)"))
    }

    private func fact(_ number: Int, header: String, signature: String = "c2ln") throws -> VerifiedFact {
        let text = "\(header).\(Base64URL.encode(coins(number).payload)).\(signature)"
        return try VerifiedFact(restoring: try #require(CompactJWS(text)))
    }

    // MARK: Texts

    @Test("A signed text is read back byte for byte, and each header is stored once")
    func byteForByte() async throws {
        defer { vault.close() }
        let signatures = ["c2ln", Base64URL.encode([UInt8](repeating: 7, count: 64)), "not*base64url", "A", "YR"]
        let headers = (0..<3).map { Base64URL.encode(Array("{\"alg\":\"ES256\",\"x\":\($0)}".utf8)) }
        let facts = try (0..<15).map { try fact($0, header: headers[$0 % 3], signature: signatures[$0 % 5]) }
        try await commit(facts)
        let again = try await open(database)
        defer { again.close() }
        let stored = try await again.load("anna").facts
        #expect(stored.map(\.fact.jws.compact) == facts.map(\.jws.compact))
        #expect(Set(stored.map { ObjectIdentifier($0.fact.jws.header) }).count == 3)
        let count = try await TestDatabase.text("SELECT count(*)::text FROM storekeeper.jws_header", in: database)
        #expect(count == "3")
    }

    @Test("A header of a step that was undone is not cached")
    func undoneHeader() async throws {
        defer { vault.close() }
        let first = try fact(1, header: "eyJhIjoxfQ")
        await #expect(throws: VaultError.self) {
            try await vault.write { tables throws(VaultError) in
                _ = try tables.insert(first, learnedAt: .day(1))
                throw VaultError(.overflow, "made up")
            }
        }
        try await commit([first])
        #expect(try await vault.load("anna").facts.map(\.fact.jws.compact) == [first.jws.compact])
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("Any text is read back unchanged, and texts that only look alike stay different")
    func anyText() async throws {
        defer { vault.close() }
        let texts = [
            "", "é", "e\u{301}", "'; --", "\\x00", "\\", "🗝️", "\u{FEFF}", "\u{202E}a", "\n\t ", " ", "\u{10FFFF}",
            "NULL", "{}",
            "\"", "%", "ß", "ss", "Ａ", "A", "a",
        ]
        for text in texts {
            let customer = CustomerID(rawValue: "c" + text)
            let request = LedgerRequest.grant(
                5, of: "b\(text)", to: customer, because: "r" + text, key: "k\(text)", at: .day(1))
            _ = try await vault.move([request], policy: .debt)
            try await vault.setCursor(UpdateCursor(rawValue: "p" + text), of: "s" + text)
        }
        for text in texts {
            let customer = CustomerID(rawValue: "c" + text)
            let entries = try await vault.entries(after: .start, of: customer, limit: 9)
            let entry = try #require(entries.first)
            #expect(entries.count == 1)
            #expect(Array(entry.balance.rawValue.utf8) == Array(("b" + text).utf8))
            #expect(Array(entry.customer.rawValue.utf8) == Array(customer.rawValue.utf8))
            guard case .request(let key, let reason?) = entry.cause else { throw ServerFailure("another cause") }
            #expect(Array(key.rawValue.utf8) == Array(("k" + text).utf8))
            #expect(Array(reason.utf8) == Array(("r" + text).utf8))
            #expect(try await vault.cursor(of: "s" + text)?.rawValue.utf8.elementsEqual(("p" + text).utf8) == true)
        }
        #expect(try await vault.customers(after: nil, limit: .max).count == texts.count)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    // MARK: Parked evidence

    @Test("A claim reads the parked evidence of its own chain and no other")
    func claimReadsItsOwn() async throws {
        defer { vault.close() }
        let facts = try (1...2).map { try coins($0).verifiedFact() }
        _ = try await vault.parkForOwners(facts, at: .day(1))
        // Unreadable parked evidence affects only its own chain.
        try await TestDatabase.run(
            "UPDATE storekeeper.parked SET payload = '\\x00' WHERE place = (SELECT max(place) FROM storekeeper.parked)",
            in: database)
        let chains = try facts.map { ChainID(try #require($0.transaction)) }
        #expect(try await vault.claim(.chain(chains[0]), for: "anna", at: .day(2)) == nil)
        let error = await #expect(throws: VaultError.self) {
            try await vault.claim(.chain(chains[1]), for: "anna", at: .day(2))
        }
        #expect(error?.code == .corrupt)
    }

    // MARK: Erasures

    private func erasures(of customer: CustomerID) async throws -> [Erasure] {
        let vault = try await open(database)
        defer { vault.close() }
        return try await vault.erasures(of: customer)
    }

    @Test("Without the secret, no hash of stored values confirms the name of an erased customer")
    func tablesAlone() async throws {
        defer { vault.close() }
        try await commit([try coins(1).verifiedFact()], for: "berta")
        let erasure = try await vault.erase("berta", reason: "asked for", at: .day(2))
        #expect(try await erasures(of: "berta") == [erasure])
        try await TestDatabase.run("DELETE FROM storekeeper.erasure_secret", in: database)
        #expect(try await erasures(of: "berta") == [])
        let name = Array("berta".utf8)
        let values = Set(
            try await TestDatabase.dump(database).matches(of: /\\x([0-9a-f]+)/).compactMap {
                [UInt8](hexadecimal: String($0.1))
            })
        #expect(values.count > 5)
        func confirms(_ hash: [UInt8]) -> Bool {
            values.contains(hash) || values.contains(Array(hash.prefix(RowID.length)))
        }
        #expect(!confirms(Digests.sha256(name)))
        for salt in values {
            for guess in [salt + name, name + salt] { #expect(!confirms(Digests.sha256(guess))) }
        }
        #expect(try await vault.checkIntegrity().faults == [])
        // A customer who is erased after this is recognized, because there is a new secret.
        let again = try await open(database)
        defer { again.close() }
        try await commit([try coins(2).verifiedFact()], for: "carl")
        let other = try await again.erase("carl", reason: "asked for", at: .day(3))
        #expect(try await erasures(of: "carl") == [other])
        #expect(try await erasures(of: "berta") == [])
    }

    @Test("No row contains the id of an erased customer whose id can be an account token")
    func erasedToken() async throws {
        defer { vault.close() }
        let uuid = try #require(UUID(uuidString: "6f9619ff-8b86-d011-b42d-00c04fc964f7"))
        let customer = CustomerID(rawValue: uuid.uuidString)
        _ = try await vault.move(
            [.grant(5, of: "coins", to: customer, because: "a gift", key: "gift", at: .day(1))], policy: .debt)
        let names = [uuid.uuidString.lowercased(), uuid.uuidString.lowercased().replacing("-", with: "")]
        let before = try await TestDatabase.dump(database)
        #expect(names.allSatisfy { before.contains($0) })
        _ = try await vault.erase(customer, reason: "asked for", at: .day(2))
        let after = try await TestDatabase.dump(database)
        #expect(!names.contains { after.contains($0) })
    }

    @Test("A damaged erasure secret is reported as corrupt, and nothing is erased")
    func damagedSecret() async throws {
        defer { vault.close() }
        try await commit([try coins(1).verifiedFact()], for: "berta")
        try await TestDatabase.run("INSERT INTO storekeeper.erasure_secret VALUES(1, 'short')", in: database)
        let error = await #expect(throws: VaultError.self) {
            try await vault.erase("berta", reason: "asked for", at: .day(2))
        }
        #expect(error?.code == .corrupt)
        #expect(try await vault.load("berta").facts.count == 1)
    }

    // MARK: Other nodes

    @Test("The cache of a node is never older than the tables: nodes that write in turn see each other's writes")
    func inTurn() async throws {
        let other = try await open(database)
        defer {
            vault.close()
            other.close()
        }
        try await commit([try coins(1).verifiedFact()])
        for round in 0..<8 {
            let writer = round.isMultiple(of: 2) ? other : vault
            let request = LedgerRequest.spend(10, of: "coins", by: "anna", key: "\(round)", at: .day(2))
            #expect(try await writer.move([request], policy: .debt).first?.get().balance == 490 - Int64(round) * 10)
        }
        _ = try await other.erase("anna", reason: "asked", at: .day(3))
        // The header that this node wrote is still in its cache and in the table.
        try await commit([try coins(2).verifiedFact()])
        #expect(try await other.balances(of: "anna").first?.amount == 500)
        let parked = try coins(3).verifiedFact()
        #expect(try await other.parkForOwners([parked], at: .day(4)).new == 1)
        try await commit([parked])
        #expect(try await other.allParked().isEmpty)
        #expect(try await other.balances(of: "anna").first?.amount == 1_000)
        #expect(try await vault.checkIntegrity().faults == [])
    }

    // MARK: Opening

    @Test(
        "A vault that cannot be opened reports the reason",
        arguments: [
            ("nonsense", VaultError.Code.invalidRequest), ("postgres://[", .invalidRequest),
            ("postgres://nobody@127.0.0.1:1/db?connect_timeout=2", .io),
        ])
    func refusedOpening(_ address: String, _ code: VaultError.Code) async throws {
        vault.close()
        let error = await #expect(throws: VaultError.self) { try await PostgresVault(address) }
        #expect(error?.code == code)
    }
}

private func open(_ database: String) async throws -> PostgresVault {
    try await PostgresVault(database, options: .init(connections: 2, writers: 1, changeDetection: .none))
}
