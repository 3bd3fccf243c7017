import Storekeeper

extension PostgresVault {
    /// How durable acknowledged writes are, according to the server's settings when the vault was opened.
    ///
    /// - SeeAlso: The PostgreSQL documentation, "Write Ahead Log" (`fsync`, `synchronous_commit`) and "Replication"
    ///   (`synchronous_standby_names`).
    public enum Durability: String, Hashable, Sendable {
        /// The acknowledged write is in the server's memory.
        ///
        /// A crash of the operating system loses the last writes. Without `synchronous_commit`, a crash of the server
        /// process also loses the last writes.
        case memory
        /// The acknowledged write is on the server's disk.
        case disk
        /// The acknowledged write is on the disks of the server and of a standby, so promoting the standby loses
        /// nothing.
        case standby
    }
}

extension PostgresStorage {
    private static let settings = Statement(
        """
        SELECT current_setting('fsync'), current_setting('synchronous_commit'),
          current_setting('synchronous_standby_names')
        """)

    /// Returns how durable a commit is when the server acknowledges it.
    func durability() async throws(VaultError) -> PostgresVault.Durability {
        let found = try await list(Self.settings, []) { row throws(PostgresFailure) in
            (sync: try row.text(), commit: try row.text(), standbys: try row.text())
        }
        guard let found = found.first, found.sync == "on", found.commit != "off" else { return .memory }
        let isOnStandby = !found.standbys.isEmpty && (found.commit == "on" || found.commit == "remote_apply")
        return isOnStandby ? .standby : .disk
    }
}
