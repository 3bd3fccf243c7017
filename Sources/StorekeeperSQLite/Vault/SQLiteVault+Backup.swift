import CLibsqlite3
public import Storekeeper
import StorekeeperDurable

extension SQLiteVault {
    /// Copies the vault as of one moment into a new file, while other connections read and write.
    ///
    /// The copy belongs to its owner alone, has no log next to it, and can be read on read-only media.
    ///
    /// - Parameter path: The file to create.
    /// - Returns: The number of pages, and the head of the copy's chain, to be stored elsewhere.
    /// - Throws: ``/Storekeeper/VaultError`` with `exists` if the path exists; the errors of reading otherwise.
    public func backup(to path: String) async throws(VaultError) -> BackupReceipt {
        let target = VaultFile(path: path, busyTimeout: file.busyTimeout)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw VaultError(.notFound, "the path of the backup is empty or contains a zero byte; name a file")
        }
        return try await read { tables throws(VaultError) in
            try target.make()
            do throws(VaultError) {
                // The first read opens the transaction's snapshot, of which the copy is made.
                let head = try tables.connection.openChainHead().headHash.hexadecimal
                return BackupReceipt(pages: try Backup(from: tables.connection, to: target).run(), head: head)
            } catch {
                // An incomplete copy looks like a vault.
                for end in ["", "-journal", "-wal", "-shm"] { SystemFile.remove(path + end) }
                throw error
            }
        }
    }
}

/// The description of a backup.
public struct BackupReceipt: Hashable, Sendable {
    /// The number of pages.
    public let pages: Int
    /// The head of its chain; ``SQLiteVault/checkIntegrity(containing:)`` finds it in every later state of the vault.
    public let head: String
}

/// Copies what a connection sees, page by page.
private struct Backup {
    let source: Connection
    let target: VaultFile

    init(from source: Connection, to target: VaultFile) {
        self.source = source
        self.target = target
    }

    func run() throws(VaultError) -> Int {
        let connection = try Connection(to: target, .writing)
        guard let copy = sqlite3_backup_init(connection.handle, "main", source.handle, "main") else {
            throw connection.failure(sqlite3_extended_errcode(connection.handle))
        }
        // The source's transaction has a snapshot, so that one step copies all of it.
        let stepped = sqlite3_backup_step(copy, -1)
        let pages = sqlite3_backup_pagecount(copy)
        let finished = sqlite3_backup_finish(copy)
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            throw connection.failure(finished == SQLITE_OK ? stepped : finished)
        }
        // With a log next to it, the copy could not be read on read-only media. Opening it for writing creates a log
        // again.
        try connection.execute("PRAGMA journal_mode = DELETE")
        return Int(pages)
    }
}
