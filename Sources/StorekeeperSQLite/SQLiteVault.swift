import GRDB
public import Storekeeper
import Synchronization

/// A vault in one SQLite file, for as many processes as like to share it.
///
/// Every write is on disk when its call returns; writers that wait at the same time share a transaction. Readers never
/// wait for writers. The entries of all accounts form one chain of hashes, so that ``checkIntegrity()`` finds an entry
/// that other hands have changed, removed or put in.
///
/// ```swift
/// let vault = try SQLiteVault(path: "storekeeper.sqlite")
/// let record = try await vault.load("anna")
/// try vault.close()
/// ```
///
/// Beside the file stand two more while it is open, `-wal` and `-shm`: copy a vault with ``backup(to:)``, never file by
/// file. The first is taken into the file in the background; where writers never pause it takes some forty megabytes.
public final class SQLiteVault: TabledVault {
    /// The schema that this release reads and writes; an older one is brought up to date at opening.
    public static let schemaVersion: Int = Schema.version

    /// What tokens say of whose purchases are; every process that opens the file should say the same.
    public let accountTokens: AccountTokenRule

    /// Where the vault is.
    public var path: String { file.path }

    let pool: DatabasePool
    let file: VaultFile
    let headers = HeaderShelf()
    private let queue: CommitQueue
    private let checkpointer: Checkpointer?
    private let isReadOnly: Bool
    private let isClosed = Mutex(false)

    /// Opens a vault, or makes one.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: How to open it.
    /// - Throws: ``/Storekeeper/VaultError``: `notFound`, `exists`, `notAVault`, `schemaTooNew`, `schemaTooOld`, `locked`,
    ///   `readOnly`, `corrupt`, `io`, `full`.
    public init(path: String, options: Options = Options()) throws(VaultError) {
        file = VaultFile(path: path, busyTimeout: options.busyTimeout)
        isReadOnly = options.isReadOnly
        accountTokens = options.accountTokens
        pool = try VaultOpening(file: file, options: options).open()
        checkpointer = options.isReadOnly ? nil : try Checkpointer(of: file)
        queue = CommitQueue(
            pool: pool, file: file, headers: headers, checkpointer: checkpointer, accountTokens: accountTokens)
    }

    /// Runs a step that writes, and returns when what it wrote is on disk.
    public func write<Outcome: Sendable>(
        _ body: @escaping @Sendable (inout SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await steps().write(body)
    }

    /// Where steps that write wait for their turn.
    func steps() throws(VaultError) -> CommitQueue {
        guard !isReadOnly else {
            throw VaultError(.readOnly, "\(file.path) was opened for reading only; open it for writing")
        }
        return queue
    }

    /// Runs a step that only reads, and sees one state of the tables.
    public func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        guard !isClosed.withLock({ $0 }) else { throw file.closed }
        let (file, headers, accountTokens) = (file, headers, accountTokens)
        let result: Result<Outcome, VaultError> = await withCheckedContinuation { continuation in
            // The call with a callback, because the asynchronous one gives up when its task is cancelled.
            pool.asyncRead { access in
                continuation.resume(
                    returning: Result { () throws(VaultError) -> Outcome in
                        let database: Database
                        do { database = try access.get() } catch { throw file.error(error) }
                        let session = Session(
                            database, file: file, headers: headers, accountTokens: accountTokens)
                        let outcome = try body(SQLiteTables(session: session))
                        session.shelveHeaders()
                        return outcome
                    })
            }
        }
        return try result.get()
    }

    /// Takes out everything about a customer and keeps the proof that it was done.
    ///
    /// What is taken out is overwritten, and the file's log is emptied, unless somebody is reading from it: then it is
    /// emptied when the last of them closes the vault. Backups made before still hold the customer.
    public func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        let erasure = try await write { tables throws(VaultError) in
            try tables.erase(customer, reason: reason, at: instant)
        }
        await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { [checkpointer] database in
                checkpointer?.finishPass()
                _ = try? database.checkpoint(.truncate)
                continuation.resume()
            }
        }
        return erasure
    }

    /// Closes the file; steps that wait are carried out before.
    ///
    /// A vault that nobody refers to any more closes by itself. Closing twice does no harm.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `io` or `locked` where the file could not be closed.
    public func close() throws(VaultError) {
        guard queue.close() else { return }
        isClosed.withLock { $0 = true }
        do {
            // With nobody reading the log can be emptied into the file. What cannot be emptied now stays in the log,
            // where the next to open the vault finds it.
            try pool.barrierWriteWithoutTransaction { database in
                checkpointer?.close()
                _ = try? database.checkpoint(.truncate)
                queue.endSession()
            }
            // Connections that read go first: only the last to go removes the log, and it must be able to write.
            pool.invalidateReadOnlyConnections()
            try pool.close()
        } catch {
            throw file.error(error)
        }
    }
}
