import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSQLite

struct StoredTextTests {
    private let folder: TemporaryFolder
    private let vault: SQLiteVault

    init() throws {
        folder = try TemporaryFolder()
        vault = try SQLiteVault(path: folder.file())
    }

    private func fact(header: String, payload: String, signature: String) throws -> VerifiedFact {
        let text = "\(header).\(Base64URL.encode(payload.utf8)).\(signature)"
        return try VerifiedFact(restoring: try #require(CompactJWS(text)))
    }

    private func payload(_ id: Int) -> String { String(decoding: Shop.purchase(id).payload, as: UTF8.self) }

    @Test(
        "A signed text is read back byte for byte",
        arguments: ["c2ln", Base64URL.encode([UInt8](repeating: 7, count: 64)), "not*base64url", "A", "YR"])
    func byteForByte(_ signature: String) async throws {
        let facts = try (1...3).map {
            try fact(header: "eyJhbGciOiJFUzI1NiJ9", payload: payload($0), signature: signature)
        }
        try await vault.commitAll(CommitBatch(customer: "anna", at: .day(1), facts: facts, rule: Shop.rule))
        let again = try SQLiteVault(path: vault.path)
        let stored = try await again.load("anna").facts
        #expect(stored.map(\.fact.jws.compact) == facts.map(\.jws.compact))
        #expect(stored.map(\.fact.jws) == facts.map(\.jws))
        #expect(stored.map(\.fact.transaction?.id) == facts.map(\.transaction?.id))
    }

    @Test("Facts with the same header share one stored header")
    func headerOnce() async throws {
        let headers = (0..<3).map { Base64URL.encode("{\"alg\":\"ES256\",\"x\":\($0)}".utf8) }
        let facts = try (0..<30).map {
            try fact(header: headers[$0 % 3], payload: payload($0), signature: "c2ln")
        }
        try await vault.commitAll(CommitBatch(customer: "anna", at: .day(1), facts: facts, rule: Shop.rule))
        #expect(try OtherConnection(to: vault.path).number("SELECT count(*) FROM jws_header") == 3)
        let stored = try await vault.load("anna").facts
        #expect(stored.map(\.fact.jws.compact) == facts.map(\.jws.compact))
        #expect(Set(stored.map { ObjectIdentifier($0.fact.jws.header) }).count == 3)
    }

    @Test("A header of a transaction that was undone is not cached")
    func undoneHeader() async throws {
        let first = try fact(header: "eyJhIjoxfQ", payload: payload(1), signature: "c2ln")
        await #expect(throws: VaultError.self) {
            try await vault.write { tables throws(VaultError) in
                _ = try tables.insert(first, learnedAt: .day(1))
                throw VaultError(.overflow, "made up")
            }
        }
        try await vault.commitAll(CommitBatch(customer: "anna", at: .day(1), facts: [first], rule: Shop.rule))
        #expect(try await vault.load("anna").facts.map(\.fact.jws.compact) == [first.jws.compact])
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test(
        "Any text is read back unchanged",
        arguments: ["", "a\u{0}b", "a\u{0}c", "é", "e\u{301}", "'; --", "🗝️"])
    func anyText(_ text: String) async throws {
        let customer = CustomerID(rawValue: "c" + text)
        let request = LedgerRequest.grant(
            5, of: "b\(text)", to: customer, because: "r" + text, key: "k\(text)", at: .day(1))
        _ = try await vault.move([request], policy: .debt)
        let entry = try #require(try await vault.entries(after: .start, of: customer, limit: 1).first)
        #expect(Array(entry.balance.rawValue.utf8) == Array(("b" + text).utf8))
        guard case .request(let key, let reason) = entry.cause else { throw UnexpectedResult("another cause") }
        #expect(Array(key.rawValue.utf8) == Array(("k" + text).utf8))
        #expect(Array((reason ?? "").utf8) == Array(("r" + text).utf8))
        #expect(try await vault.checkIntegrity().faults == [])
    }

    @Test("A backup is a vault with the same contents, and never replaces an existing file")
    func backup() async throws {
        try await vault.commitAll(Shop.batch(Array(0..<50)))
        let path = folder.file("backup.sqlite")
        let pages = try await vault.backup(to: path).pages
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size == pages * 4096)
        let error = await #expect(throws: VaultError.self) { try await vault.backup(to: path) }
        #expect(error?.code == .exists)
        let copy = try SQLiteVault(path: path, options: .init(creation: .never))
        #expect(try await copy.load("anna").facts.count == 50)
        #expect(try await copy.checkIntegrity() == vault.checkIntegrity())
        await #expect(throws: VaultError.self) { try await vault.backup(to: folder.file("none/backup.sqlite")) }
    }
}
