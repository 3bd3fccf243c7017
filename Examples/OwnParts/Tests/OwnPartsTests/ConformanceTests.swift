import DropFolder
import FileVault
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

struct ConformanceTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("own-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    @Test("FileVault passes the vault conformance suite, also after its file is reopened")
    func vault() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await VaultConformance(reopen: { try await FileVault($0.url, verifier: DraftVerifier()) }) {
            try await FileVault(
                folder.appendingPathComponent("\(UUID().uuidString).calls"), verifier: DraftVerifier())
        }.run()
    }

    @Test("A line that a crash cut short is ignored, and a file of another program is refused")
    func damagedFiles() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("vault.calls")
        let cursor = UpdateCursor(rawValue: "7")
        try await FileVault(url, verifier: DraftVerifier()).setCursor(cursor, of: "a")
        let whole = try Data(contentsOf: url)
        try (whole + whole.dropLast(3)).write(to: url)
        let reopened = try await FileVault(url, verifier: DraftVerifier())
        #expect(try await reopened.cursor(of: "a") == cursor)
        #expect(try Data(contentsOf: url) == whole)

        try Data("{}\n".utf8).write(to: url)
        await #expect(throws: VaultError.self) { try await FileVault(url, verifier: DraftVerifier()) }
    }

    @Test("Evidence that fails verification is detected when the file is opened")
    func forgedFile() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("vault.calls")
        let draft = TransactionDraft(
            id: "1", productID: "remove.ads", type: .nonConsumable, purchasedAt: .day(0))
        let other = TransactionDraft(
            id: "2", productID: "remove.ads", type: .nonConsumable, purchasedAt: .day(0))
        let vault = try await FileVault(url, verifier: DraftVerifier())
        _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(1), facts: [draft.verifiedFact()]))
        let signature = try #require(draft.fakeJWS.split(separator: ".").last)
        let another = try #require(other.fakeJWS.split(separator: ".").last)
        let text = try String(contentsOf: url, encoding: .utf8)
        try text.replacingOccurrences(of: signature, with: another).write(to: url, atomically: false, encoding: .utf8)
        await #expect(throws: VaultError.self) { try await FileVault(url, verifier: DraftVerifier()) }
    }

    /// The evidence of three purchases.
    private static let texts = (["gold.monthly", "coins.100", "remove.ads"] as [Product.ID]).enumerated().map {
        TransactionDraft(
            id: Transaction.ID(rawValue: "\($0 + 1)"), productID: $1, type: .nonConsumable, purchasedAt: .day($0)
        ).fakeJWS
    }

    @Test("DropFolder passes the backend conformance suite")
    func dropFolder() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (number, text) in Self.texts.enumerated() {
            try Data(text.utf8).write(to: folder.appendingPathComponent("anna.\(number + 1).jws"))
        }
        await BackendConformance(customer: "anna", updateCount: 3) { DropFolder(folder) }.run()
    }

    @Test("The backend of the article passes the backend conformance suite")
    func evidenceLog() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("evidence.log")
        try Data(Self.texts.map { "anna\t\($0)\n" }.joined().utf8).write(to: file)
        await BackendConformance(customer: "anna", updateCount: 3) { EvidenceLog(file: file) }.run()
    }
}
