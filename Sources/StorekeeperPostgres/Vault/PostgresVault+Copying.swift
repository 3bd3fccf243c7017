package import Storekeeper

extension PostgresVault: CopyableVault {
    package var copying: (any CopyableVault)? { self }

    private static let countErasures = Statement("SELECT count(*) FROM storekeeper.erasure")

    private static let allMarks = Statement(
        "SELECT secret, digest FROM storekeeper.erased_mark JOIN storekeeper.mark_key ON mark_key.id = erased_mark.key")

    /// Returns the marks of erased customers.
    package func erasedMarks() async throws(VaultError) -> ErasedMarks {
        let rows = try await storage.list(Self.allMarks, []) { row throws(PostgresFailure) in
            (secret: try row.bytes(), digest: try row.bytes())
        }
        return ErasedMarks(
            hashed: Dictionary(grouping: rows, by: \.secret).map { secret, rows in
                ErasedMarks.Hashed(secret: secret, digests: rows.map(\.digest))
            })
    }

    /// Returns the number of recorded erasures.
    package func erasureCount() async throws(VaultError) -> Int {
        try await storage.list(Self.countErasures, []) { row throws(PostgresFailure) in
            Int(clamping: try row.int())
        }.first ?? 0
    }
}

extension PostgresVault {
    /// Returns the planner's estimate of the number of facts, because counting many rows takes a long time.
    ///
    /// For a table without statistics, the estimate is computed from the size of the table.
    private static let estimateFacts = Statement(
        """
        SELECT coalesce(sum(CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE pg_relation_size(c.oid) / 1500 END), 0)::bigint
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'storekeeper' AND c.relkind = 'r' AND c.relname ~ '^(fact|renewal_info|parked)_[0-9]+$'
        """)

    /// Returns the approximate number of facts, including parked facts, which is used to show progress.
    package func factCount() async throws(VaultError) -> Int {
        try await storage.list(Self.estimateFacts, []) { row throws(PostgresFailure) in
            Int(clamping: try row.int())
        }.first ?? 0
    }

    /// Returns whether customers were erased, but the secret for finding their erasures is missing or cannot be read by
    /// the database user.
    ///
    /// If this is true, ``/Storekeeper/Vault/erasures(of:)`` may be incomplete.
    package func lacksErasureSecret() async throws(VaultError) -> Bool {
        guard try await erasureCount() > 0 else { return false }
        return try await storage.knownErasureKey() == nil
    }
}
