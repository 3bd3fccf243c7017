import GRDBSQLite
public import Storekeeper

extension SQLiteVault {
    /// How a vault is opened.
    public struct Options: Hashable, Sendable {
        /// When SQLite waits for the disk.
        public var synchronous: Synchronous
        /// How long to wait for others who write to the file, in milliseconds.
        public var busyTimeout: Int64
        /// Whether nothing may be written; such a vault must be there and of this release's schema.
        ///
        /// No permission to write is needed, neither for the file nor for its folder, unless a log is left beside it.
        public var isReadOnly: Bool
        /// Whether the file's structure is checked at opening, by `PRAGMA quick_check`, which reads all of it.
        public var checksAtOpen: Bool
        /// Whether a vault is made.
        public var creation: Creation
        /// What tokens say of whose purchases are.
        public var accountTokens: AccountTokenRule
        /// Whether the log is taken in while others write; see ``Checkpointer``.
        var takesInLogBesideWriters = Checkpointer.isSafeBesideWriters(sqlite3_libversion_number())

        /// Makes options.
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

    /// When SQLite waits for the disk.
    ///
    /// - SeeAlso: SQLite, "PRAGMA synchronous".
    public enum Synchronous: String, Hashable, Sendable, CaseIterable {
        /// At every commit: what was acknowledged is there after a crash of the process, of the system, and after a
        /// power cut.
        case full
        /// Now and then: a crash of the process loses nothing, but a crash of the system or a power cut loses the
        /// last commits, although they were acknowledged. The file stays whole.
        case normal
    }

    /// Whether a vault is made.
    public enum Creation: Hashable, Sendable {
        /// It must be there; otherwise `notFound`.
        case never
        /// It is made where none is there.
        case ifMissing
        /// None may be there; otherwise `exists`.
        case new
    }
}
