import Storekeeper
import Synchronization

/// Notices the commits of other processes, and of other vaults over the same file.
///
/// SQLite's `data_version` of a connection changes when another connection has committed. A connection that never
/// writes therefore notices every commit to the file. Commits of this vault are discounted, so that stores in memory,
/// which already have them, need not be compared with the file.
final class ForeignCommits: Sendable {
    private struct State {
        /// Whether anyone has asked; without a question, commits are not observed.
        var isObserving = false
        /// The newest `data_version` of the connection; `nil` before the first question.
        var version: Int64?
        var count: Int64 = 0
        /// Whether this vault is committing, so that a change may be its own.
        var isCommitting = false
    }

    private let connection: ConnectionQueue
    private let state = Mutex(State())

    /// Creates an observer, which opens its connection at the first question.
    init(of file: VaultFile, open: @escaping @Sendable () throws(VaultError) -> Connection) {
        connection = ConnectionQueue(to: file, open: open)
    }

    /// Returns a number that differs from the number returned last if others have committed since.
    ///
    /// The number may also differ without such a commit, for example when the log restarts. It is -1 while this vault
    /// commits, and others may have committed as well.
    func count() throws(VaultError) -> Int64 {
        state.withLock { $0.isObserving = true }
        return try observe(isOwn: false)
    }

    /// Counts the commits of others before this vault commits; called while the writing connection has the write lock.
    func beginOwn() {
        guard state.withLock({ $0.isObserving }) else { return }
        // If the file cannot be read, a later question fails, too, or notices the commits.
        _ = try? observe(isOwn: false)
        state.withLock { $0.isCommitting = true }
    }

    /// Discounts the commit of the writing connection.
    func endOwn(of writer: Connection) {
        guard state.withLock({ $0.isObserving }) else { return }
        // If the file cannot be read, a later observation counts this vault's commit as another's, which is harmless.
        do throws(VaultError) { _ = try observe(isOwn: true) } catch { state.withLock { $0.isCommitting = false } }
        // Others may have committed after this vault and before the observation, which would then be discounted, too.
        let version = try? writer.currentDataVersion()
        if version == nil || version != writer.dataVersion { state.withLock { $0.count += 1 } }
    }

    func close() { connection.close() }

    private func observe(isOwn: Bool) throws(VaultError) -> Int64 {
        try connection.sync { connection throws(VaultError) -> Int64 in
            let version = try connection.currentDataVersion()
            return state.withLock { state in
                if isOwn {
                    state.isCommitting = false
                } else if version != state.version {
                    // The version is not recorded, so that the next question notices the commits of others.
                    if state.isCommitting { return -1 }
                    state.count += 1
                }
                state.version = version
                return state.count
            }
        }
    }
}
