import DropFolder
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

struct ConformanceTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("own-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

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
