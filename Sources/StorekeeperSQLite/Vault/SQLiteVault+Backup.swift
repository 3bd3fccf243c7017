import CLibsqlite3
public import Storekeeper
import StorekeeperDurable

extension SQLiteVault {
    /// Copies a snapshot of the vault into a new file, while other connections read and write.
    ///
    /// Only the owner of the new file may read and write it. The new file needs no log next to it, so that it can be
    /// read on read-only media.
    ///
    /// - Parameter path: The file to create.
    /// - Returns: The number of pages, and the head of the copy's hash chain. Store the head in another place, so that
    ///   you can later detect a replaced file.
    /// - Throws: ``/Storekeeper/VaultError`` with `exists` if the path exists, or the errors of reading the vault and
    ///   of writing a file.
    public func backup(to path: String) async throws(VaultError) -> BackupReceipt {
        let target = VaultFile(path: path, busyTimeout: file.busyTimeout)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw VaultError(.notFound, "the path of the backup is empty or contains a zero byte; name a file")
        }
        return try await read { tables throws(VaultError) in
            try target.make()
            do throws(VaultError) {
                // The first read opens the transaction's snapshot, from which the copy is made.
                let head = try tables.connection.openChainHead().headHash.hexadecimal
                return BackupReceipt(pages: try Backup(from: tables.connection, to: target).run(), head: head)
            } catch {
                // An incomplete copy is removed, because it looks like a vault.
                for end in ["", "-journal", "-wal", "-shm"] { SystemFile.remove(path + end) }
                throw error
            }
        }
    }
}

/// The description of a backup.
public struct BackupReceipt: Hashable, Sendable {
    /// The number of pages in the copy.
    public let pages: Int
    /// The head of the copy's hash chain; ``SQLiteVault/checkIntegrity(containing:)`` finds this head in every later
    /// state of the vault.
    public let head: String
}

/// Copies the snapshot of a connection, page by page.
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
        // One call copies all pages, because the transaction of the source keeps its snapshot unchanged.
        let stepped = sqlite3_backup_step(copy, -1)
        let pages = sqlite3_backup_pagecount(copy)
        let finished = sqlite3_backup_finish(copy)
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            throw connection.failure(finished == SQLITE_OK ? stepped : finished)
        }
        // In the journal mode `WAL`, the copy would need a log next to it and could not be read on read-only media.
        // When the copy is later opened for writing, `WAL` is set again.
        try connection.execute("PRAGMA journal_mode = DELETE")
        return Int(pages)
    }
}
