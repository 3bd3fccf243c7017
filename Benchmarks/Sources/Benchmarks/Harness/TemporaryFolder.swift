import Foundation

/// A folder that is removed with this object.
final class TemporaryFolder: Sendable {
    private let path = NSTemporaryDirectory() + "storekeeper-bench-\(UUID())"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the path of a database that does not exist.
    func freshDatabase() throws -> String {
        for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: file("fresh.sqlite" + end)) {
            try FileManager.default.removeItem(atPath: file("fresh.sqlite" + end))
        }
        return file("fresh.sqlite")
    }
}
