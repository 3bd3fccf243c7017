import DropFolder
import FileVault
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

struct ConformanceTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("own-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    @Test("The vault in a file keeps the laws of vaults, also when its file is opened again")
    func vault() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await VaultConformance(reopen: { try FileVault($0.url) }) {
            try FileVault(folder.appendingPathComponent("\(UUID().uuidString).json"))
        }.run()
    }

    @Test("The backend that is a folder keeps the laws of backends")
    func backend() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (number, product) in ["gold.monthly", "coins.100", "remove.ads"].enumerated() {
            let draft = TransactionDraft(
                id: Transaction.ID(rawValue: "\(number + 1)"), productID: product, type: .nonConsumable,
                purchasedAt: .day(number))
            let file = folder.appendingPathComponent("anna.\(number + 1).jws")
            try Data(draft.pretendedJWS.utf8).write(to: file)
        }
        await BackendConformance(customer: "anna", updateCount: 3) { DropFolder(folder) }.run()
    }
}
