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
}
