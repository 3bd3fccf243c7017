public import Storekeeper
import Synchronization

/// A vault in one SQLite file, which any number of processes may share.
///
/// When a call that writes returns, its data is on disk. Writers that wait at the same time share a transaction.
/// Readers never wait for writers. Facts, bindings, entries and erasures form one hash chain, so that
/// ``checkIntegrity(containing:)`` finds a row that another program changed, removed or added.
///
/// ```swift
/// let vault = try SQLiteVault(path: "storekeeper.sqlite")
/// let record = try await vault.load("anna")
/// try vault.close()
/// ```
///
/// While the vault is open, two more files exist next to it, `-wal` and `-shm`. Therefore copy a vault with
/// ``backup(to:)`` instead of copying its files. The log, `-wal`, is checkpointed in the background; if writers never
/// pause, its size is about forty megabytes.
public final class SQLiteVault: TransactionalVault {
    /// The version of the schema that this release reads and writes.
    public static let schemaVersion: Int = Schema.version

    /// The rule that converts account tokens to customers; every process that opens the file must use the same rule.
    public let accountTokens: AccountTokenRule

    /// The path of the file.
    public var path: String { file.path }

    let file: VaultFile
    let readers: Readers
    private let readQueue: ReadQueue
    private let observer: ForeignCommits
    /// The writing connection; `nil` if the vault is read-only.
    let writer: ConnectionQueue?
    /// The queue of writing steps; `nil` if the vault is read-only.
    private let queue: CommitQueue?
    /// The connection that a read-only vault closes last; see ``VaultOpening/Opened/readOnlyConnection``.
    private let readOnlyConnection: ConnectionQueue?
    /// The fingerprint of a file that SQLite reads as immutable; `nil` for any other file.
    private let stamp: FileFingerprint?
    private let isClosed = Mutex(false)

    /// Opens or creates a vault.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - options: The options for opening the vault.
    /// - Throws: ``/Storekeeper/VaultError``: `notFound`, `exists`, `notAVault`, `schemaTooNew`, `schemaTooOld`,
    ///   `locked`, `readOnly`, `corrupt`, `io`, `full`.
    public init(path: String, options: Options = Options()) throws(VaultError) {
        let path = VaultFile(path: path, busyTimeout: options.busyTimeout)
        accountTokens = options.accountTokens
        let opened = try VaultOpening(file: path, options: options).open()
        (file, readers, writer, readOnlyConnection) = (
            opened.file, opened.readers, opened.writer, opened.readOnlyConnection
        )
        stamp = opened.file.isImmutable ? FileFingerprint(of: opened.file.path) : nil
        readQueue = ReadQueue(readers)
        observer = opened.foreignCommits
        if let writer {
            let checkpointer = try Checkpointer(of: file, hasConcurrentWriter: options.takesInLogBesideWriters)
            queue = CommitQueue(
                to: file, writer: writer, checkpointer: checkpointer, foreignCommits: observer)
        } else {
            queue = nil
        }
    }

    deinit {
        // Close the connections in the same order as ``close()``.
        guard !isClosed.withLock({ $0 }) else { return }
        observer.close()
        guard readOnlyConnection != nil else { return }
        readers.close()
        readOnlyConnection?.close()
    }

    /// Runs a writing step and returns when its writes are on disk.
    package func write<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (inout SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        try await steps().write(body)
    }

    /// A number that grows when another process, or another vault over the same file, has committed; -1 if this is not
    /// known.
    package var foreignCommits: Int64? { (try? observer.count()) ?? -1 }

    /// Returns the queue of writing steps.
    func steps() throws(VaultError) -> CommitQueue {
        guard let queue else {
            throw VaultError(.readOnly, "\(file.path) was opened for reading only; open it for writing")
        }
        return queue
    }

    /// Runs a reading step on one snapshot of the tables.
    package func read<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        guard !isClosed.withLock({ $0 }) else { throw file.closed }
        return try await read(body, through: readers.join)
    }

    /// Runs a short reading step, which may share a snapshot of the tables with other short steps that wait.
    package func readShortly<Outcome: Sendable>(
        _ footprint: @autoclosure () -> Footprint,
        _ body: @escaping @Sendable (borrowing SQLiteTables) throws(VaultError) -> Outcome
    ) async throws(VaultError) -> Outcome {
        guard !isClosed.withLock({ $0 }) else { throw file.closed }
        return try await read(body, through: readQueue.join)
    }

    private func read<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing SQLiteTables) throws(VaultError) -> Outcome,
        through join: (@escaping Readers.Step) -> Void
    ) async throws(VaultError) -> Outcome {
        let (file, stamp) = (file, stamp)
        let result: Result<Outcome, VaultError> = await withCheckedContinuation { continuation in
            join { connection in
                continuation.resume(
                    returning: Result { () throws(VaultError) -> Outcome in
                        let outcome = try body(SQLiteTables(connection: try connection.get()))
                        if let stamp, stamp != FileFingerprint(of: file.path) { throw file.changed }
                        return outcome
                    })
            }
        }
        return try result.get()
    }

    /// Removes everything about a customer, and stores a proof of the erasure.
    ///
    /// The erased bytes are overwritten in the file, and the log restarts without them. The call does not wait for
    /// readers. If a reader still uses an earlier state of the file, some erased bytes remain, and ``holdsErasedBytes``
    /// is `true`. The bytes are then overwritten after a later step, when this vault closes, or at the latest when the
    /// last process closes the file. Earlier backups still contain the customer's data.
    ///
    /// The first erasure creates a second file, ``erasureSecretPath``. No one can find out the names of erased
    /// customers from the vault's file alone, not even by guessing. With both files,
    /// ``/Storekeeper/Vault/erasures(of:)`` returns the erasures of a customer to callers who know the name.
    public func erase(
        _ customer: CustomerID, reason: String, at instant: Instant
    ) async throws(VaultError) -> Erasure {
        let queue = try steps()
        let erasure = try await queue.write { tables throws(VaultError) in
            // The emptying of the log is requested before the commit, so that the log is also emptied if the vault
            // closes directly after the commit.
            queue.requireEmptying()
            return try VaultRules.erase(customer, reason: reason, at: instant, in: &tables)
        }
        await queue.emptyLog()
        return erasure
    }

    /// Whether erased bytes may still be in the file or its log, because a reader prevented the overwriting.
    public var holdsErasedBytes: Bool { queue?.holdsErasedBytes ?? false }

    /// Returns whether customers were erased, but the file with the secret is missing or may not be read.
    ///
    /// If so, ``/Storekeeper/Vault/erasures(of:)`` may not find all erasures.
    public func lacksErasureSecret() async throws(VaultError) -> Bool {
        try await read { tables throws(VaultError) in try tables.lacksErasureSecret() }
    }

    /// The path of the file with the secret: the path of the vault, with symbolic links resolved, followed by
    /// `-secret`.
    public var erasureSecretPath: String { ErasureSecret.path(of: file) }

    /// Closes the file after the waiting steps have run.
    ///
    /// Closing does not wait for other processes. A vault closes by itself when its last reference is released. Closing
    /// twice is harmless.
    public func close() throws(VaultError) {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        // Readers are closed first, because an open reader prevents the complete checkpoint at the end, and a reader
        // that is closed last cannot remove the log.
        readers.close()
        observer.close()
        queue?.close()
        readOnlyConnection?.close()
    }
}

/// The state of a read-only file when it was opened.
///
/// Other processes may write to the file. A new log next to the file, or a different modification time or size of the
/// file, shows that a process has written to the file.
struct FileFingerprint: Equatable {
    let file: SystemFile.Fingerprint?
    let log: SystemFile.Fingerprint?

    init(of path: String) {
        let target = SystemFile.target(of: path)
        file = SystemFile.fingerprint(of: target)
        log = SystemFile.fingerprint(of: target + "-wal")
    }
}
