import CLibsqlite3

extension SQLiteVault {
    /// The version of the SQLite library that vaults use, and whether this version can lose commits.
    package static var library: (version: String, canLoseCommits: Bool) {
        (
            version: sqlite3_libversion().map { String(cString: $0) } ?? "unknown",
            canLoseCommits: !Checkpointer.isSafeBesideWriters(sqlite3_libversion_number())
        )
    }
}
