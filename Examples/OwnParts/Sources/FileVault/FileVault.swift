import Foundation
import Storekeeper
import Synchronization

/// A vault in one JSON file, which is written anew at each step.
///
/// For a handful of customers, and to show what a vault needs: tables, and one way to write them that is all or
/// nothing. `TabledVault` does the rest.
package final class FileVault: TabledVault {
    /// The file.
    package let url: URL
    private let tables: Mutex<FileTables>

    /// Opens the vault in a file, or begins a new one where there is none.
    package init(_ url: URL) throws {
        self.url = url
        let isThere = FileManager.default.fileExists(atPath: url.path)
        tables = Mutex(isThere ? try JSONDecoder().decode(FileTables.self, from: Data(contentsOf: url)) : FileTables())
    }

    /// The step works on a copy, which takes the place of the tables once it is on disk.
    package func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout FileTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try tables.withLock { tables throws(VaultError) in
            var copy = tables
            let outcome = try body(&copy)
            do {
                try save(copy)
            } catch {
                throw VaultError(.io, "the file of the vault cannot be written; nothing has changed", cause: error)
            }
            tables = copy
            return outcome
        }
    }

    package func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing FileTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try tables.withLock { tables throws(VaultError) in try body(tables) }
    }

    /// JSON has no seal of its own.
    package func checkIntegrity() async throws(VaultError) -> IntegrityReport { IntegrityReport(links: 0) }

    /// Writes beside the file, waits for the disk, and then takes the place of the file in one move.
    private func save(_ tables: FileTables) throws {
        let draft = url.appendingPathExtension("draft")
        try JSONEncoder().encode(tables).write(to: draft)
        let handle = try FileHandle(forWritingTo: draft)
        try handle.synchronize()
        try handle.close()
        guard rename(draft.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
