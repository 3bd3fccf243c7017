import CLibsqlite3
public import Storekeeper

extension SQLiteVault {
    /// Options for opening a vault.
    public struct Options: Hashable, Sendable {
        /// Whether SQLite waits at every commit, or only occasionally, until the data are on disk.
        public var synchronous: Synchronous
        /// The maximum time to wait for other writers, in milliseconds.
        public var busyTimeout: Int64
        /// Whether the vault is read-only.
        ///
        /// A read-only vault must already exist with this release's schema. Opening it requires write permission for
        /// the file and its folder only if a log was left next to the file.
        public var isReadOnly: Bool
        /// Whether the structure of the file is checked with `PRAGMA quick_check`, which reads the whole file, when the
        /// vault is opened.
        public var checksAtOpen: Bool
        /// The rule for creating a vault when it is opened.
        public var creation: Creation
        /// The rule that converts account tokens to customers.
        public var accountTokens: AccountTokenRule
        /// Whether the log is checkpointed while other connections write; see ``Checkpointer``.
        var takesInLogBesideWriters = Checkpointer.isSafeBesideWriters(sqlite3_libversion_number())

        /// Creates options.
        public init(
            synchronous: Synchronous = .full, busyTimeout: Int64 = 5_000, isReadOnly: Bool = false,
            checksAtOpen: Bool = false, creation: Creation = .ifMissing, accountTokens: AccountTokenRule = .asIDs
        ) {
            self.synchronous = synchronous
            self.busyTimeout = busyTimeout
            self.isReadOnly = isReadOnly
            self.checksAtOpen = checksAtOpen
            self.creation = creation
            self.accountTokens = accountTokens
        }
    }

    /// Whether SQLite waits at every commit, or only occasionally, until the data are on disk.
    ///
    /// - SeeAlso: SQLite, "PRAGMA synchronous".
    public enum Synchronous: String, Hashable, Sendable, CaseIterable {
        /// SQLite waits at every commit, so that acknowledged writes survive a crash of the process or the system, and
        /// a power cut.
        case full
        /// SQLite waits only occasionally, so that a crash of the system or a power cut may lose the last acknowledged
        /// commits.
        ///
        /// A crash of the process alone loses nothing. The file stays consistent in every case.
        case normal
    }

    /// The rule for creating a vault when it is opened.
    public enum Creation: Hashable, Sendable {
        /// The vault must exist, or opening throws `notFound`.
        case never
        /// The vault is created if it does not exist.
        case ifMissing
        /// The file must be empty or must not exist, or opening throws `exists`.
        case new
    }
}
