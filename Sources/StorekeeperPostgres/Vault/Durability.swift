import Storekeeper

extension PostgresVault {
    /// How far what was acknowledged is written down, by the server's settings when the vault was opened.
    ///
    /// - SeeAlso: The PostgreSQL documentation, "Write Ahead Log" (`fsync`, `synchronous_commit`) and "Replication"
    ///   (`synchronous_standby_names`).
    public enum Durability: String, Hashable, Sendable {
        /// It is in the server's memory: a crash of the system takes the last of it back, and without `synchronous_commit`
        /// also one of the server.
        case memory
        /// It is on the server's disk, and gone with it.
        case disk
        /// It is on the disks of the server and of a standby: nothing is lost when the standby is promoted.
        case standby
    }
}

extension PostgresStorage {
    private static let settings = Statement(
        """
        SELECT current_setting('fsync'), current_setting('synchronous_commit'),
          current_setting('synchronous_standby_names')
        """)

    /// Asks how far a commit is written down when it is acknowledged.
    func durability() async throws(VaultError) -> PostgresVault.Durability {
        let found = try await list(Self.settings, []) { row throws(PostgresFailure) in
            (sync: try row.text(), commit: try row.text(), standbys: try row.text())
        }
        guard let found = found.first, found.sync == "on", found.commit != "off" else { return .memory }
        let isOnStandby = !found.standbys.isEmpty && (found.commit == "on" || found.commit == "remote_apply")
        return isOnStandby ? .standby : .disk
    }
}
