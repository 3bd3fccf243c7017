import Storekeeper

/// The tables of a vault, in the schema `storekeeper` of a database.
///
/// The rows of a customer are partitioned by the hash of the customer's key, which is computed from the id. Tables
/// without a customer are partitioned by the hash of their own primary key. The tables have no foreign keys and no
/// sequences. A `ticket` reserves each `place` by incrementing the number in the table `feed`; see ``FeedTicket``.
enum Schema {
    /// The schema that the first release writes.
    ///
    /// Revisions before the first release wrote the schemas 1 to 6, which no release can migrate.
    static let first = 7

    /// The version of the schema that this release reads and writes.
    static var version: Int { first + steps.count - 1 }

    /// The number of partitions of each new table.
    static let partitionCount = 4

    /// The steps that make the schema, beginning with ``first`` in an empty database.
    ///
    /// A step must not change after its release. A new schema requires a further step, which declares whether earlier
    /// releases can still use the tables; see ``SchemaStep``.
    static let steps = [SchemaStep(tables, oldest: first)]

    /// Returns the statements that create a table partitioned by the hash of a column.
    ///
    /// - Parameter fill: The fill factor of pages in percent. In a frequently updated table, free space on a page keeps
    ///   the new version of a row on the same page, so that the old version can be removed soon.
    static func partitioned(
        _ name: String, by column: String, fill: Int = 100, _ columns: String
    ) -> [String] {
        let table = "CREATE TABLE storekeeper.\(name)(\(columns)) PARTITION BY HASH (\(column))"
        return [table]
            + (0..<partitionCount).map {
                """
                CREATE TABLE storekeeper.\(name)_\($0) PARTITION OF storekeeper.\(name)
                FOR VALUES WITH (MODULUS \(partitionCount), REMAINDER \($0)) WITH (fillfactor = \(fill))
                """
            }
    }

    private static let tables: [String] =
        [
            // Rows that all writers share: the next place of the feed, the tickets of current writers, and the last
            // checkpoint.
            """
            CREATE TABLE storekeeper.feed(id integer PRIMARY KEY CHECK (id = 1), next bigint NOT NULL)
            WITH (fillfactor = 10)
            """,
            "INSERT INTO storekeeper.feed VALUES(1, 1)",
            """
            CREATE TABLE storekeeper.ticket(
              place bigint PRIMARY KEY,
              taken timestamptz NOT NULL,
              backend bigint NOT NULL
            ) WITH (fillfactor = 10)
            """,
            """
            CREATE TABLE storekeeper.head(id integer PRIMARY KEY CHECK (id = 1), number bigint NOT NULL, hash bytea NOT NULL)
            WITH (fillfactor = 10)
            """,
            "INSERT INTO storekeeper.head VALUES(1, 0, decode(repeat('00', 32), 'hex'))",
            """
            CREATE TABLE storekeeper.checkpoint(
              number bigint PRIMARY KEY,
              place bigint NOT NULL,
              heads bytea NOT NULL,
              hash bytea NOT NULL
            )
            """,
            """
            CREATE TABLE storekeeper.jws_header(digest bytea PRIMARY KEY, segment bytea NOT NULL)
            """,
        ]
        + partitioned(
            "customer", by: "id", fill: 70,
            """
            id bytea PRIMARY KEY,
            name text COLLATE "C" NOT NULL,
            version bigint NOT NULL,
            evaluated bigint,
            synced bigint,
            wake bigint,
            entries bigint NOT NULL,
            entry_place bigint NOT NULL,
            last_place bigint NOT NULL,
            salt bytea NOT NULL,
            links bigint NOT NULL,
            head bytea NOT NULL,
            lease_node text,
            lease_wake bigint,
            lease_until bigint,
            delivery_node text,
            delivery_until bigint
            """)
        + [
            "CREATE INDEX customer_name ON storekeeper.customer(name)",
            "CREATE INDEX customer_wake ON storekeeper.customer(wake, name) WHERE wake IS NOT NULL",
        ]
        // Chains and tokens with their owners and notes. `stamp` changes with the row; it begins with a place in
        // the feed, so that a row that is deleted and added again does not repeat a stamp.
        + partitioned(
            "subject", by: "id",
            """
            id bytea PRIMARY KEY,
            stamp bigint NOT NULL,
            customer bytea,
            holder text,
            bound bigint,
            place bigint,
            link bigint,
            hash bytea,
            bundle text,
            environment text,
            original text,
            purchase bytea,
            token bytea,
            newest_token bytea,
            newest_signed bigint,
            attempts bigint NOT NULL,
            attempted bigint
            """)
        + [
            "CREATE INDEX subject_customer ON storekeeper.subject(customer) WHERE customer IS NOT NULL",
            "CREATE INDEX subject_original ON storekeeper.subject(original) WHERE original IS NOT NULL",
            // Without this index, reading all facts would read all chains for each renewal info.
            "CREATE INDEX subject_purchase ON storekeeper.subject(purchase) WHERE purchase IS NOT NULL",
        ]
        // Transactions with their owners and the states of their deliveries.
        + partitioned(
            "transaction", by: "id",
            """
            id bytea NOT NULL,
            customer bytea NOT NULL,
            bundle text NOT NULL,
            environment text NOT NULL,
            transaction text NOT NULL,
            place bigint,
            state bigint,
            PRIMARY KEY(id, customer)
            """)
        + [
            "CREATE INDEX transaction_customer ON storekeeper.transaction(customer)",
            "CREATE INDEX transaction_owed ON storekeeper.transaction(customer) WHERE state < 2",
        ]
        + partitioned(
            "fact", by: "customer",
            """
            customer bytea NOT NULL,
            transaction bytea NOT NULL,
            digest bytea NOT NULL,
            chain bytea NOT NULL,
            place bigint NOT NULL,
            learned bigint NOT NULL,
            header bytea NOT NULL,
            payload bytea NOT NULL,
            signature bytea NOT NULL,
            verbatim boolean NOT NULL,
            link bigint NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY(customer, transaction, digest)
            """)
        + ["CREATE INDEX fact_place ON storekeeper.fact(place)"]
        // A renewal info does not name an app, and may belong to several customers. Therefore each purchase has its own
        // hash chain of the facts other than transactions. They are all in the table of renewal infos.
        + partitioned(
            "purchase", by: "id",
            """
            id bytea PRIMARY KEY,
            links bigint NOT NULL,
            head bytea NOT NULL,
            last_place bigint NOT NULL
            """)
        + partitioned(
            "renewal_info", by: "purchase",
            """
            purchase bytea NOT NULL,
            digest bytea NOT NULL,
            place bigint NOT NULL,
            learned bigint NOT NULL,
            header bytea NOT NULL,
            payload bytea NOT NULL,
            signature bytea NOT NULL,
            verbatim boolean NOT NULL,
            link bigint NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY(purchase, digest)
            """)
        + ["CREATE INDEX renewal_info_place ON storekeeper.renewal_info(place)"]
        // This table is small and has several indexes. It is not partitioned, so that each look-up reads only one
        // index.
        + [
            """
            CREATE TABLE storekeeper.parked(
              digest bytea PRIMARY KEY,
              place bigint NOT NULL,
              since bigint NOT NULL,
              reason bigint NOT NULL,
              chain bytea,
              purchase bytea,
              token bytea,
              header bytea NOT NULL,
              payload bytea NOT NULL,
              signature bytea NOT NULL,
              verbatim boolean NOT NULL,
              claimant text,
              predecessor bytea
            )
            """,
            "CREATE INDEX parked_place ON storekeeper.parked(place)",
            "CREATE INDEX parked_chain ON storekeeper.parked(chain) WHERE chain IS NOT NULL",
            "CREATE INDEX parked_purchase ON storekeeper.parked(purchase) WHERE purchase IS NOT NULL",
            "CREATE INDEX parked_token ON storekeeper.parked(token) WHERE token IS NOT NULL",
            "CREATE INDEX parked_claimant ON storekeeper.parked(claimant) WHERE claimant IS NOT NULL",
            "CREATE INDEX parked_predecessor ON storekeeper.parked(predecessor) WHERE predecessor IS NOT NULL",
        ]
        + allTables.flatMap { PostgresTable.of($0).definition }
        // Records of written steps, and of groups of steps that were written together. The record of a group contains
        // the first place in the feed that the group used.
        + partitioned("step", by: "id", "id bytea PRIMARY KEY, at bigint NOT NULL, first bigint")
        + [
            "CREATE INDEX step_at ON storekeeper.step(at)",
            """
            CREATE TABLE storekeeper.erasure(
              place bigint PRIMARY KEY,
              at bigint NOT NULL,
              reason text NOT NULL,
              facts bigint NOT NULL,
              entries bigint NOT NULL,
              salt bytea NOT NULL,
              digest bytea NOT NULL,
              proof bytea NOT NULL
            )
            """,
            // The secret for hashing the names of erased customers is in a separate table, so that the database can be
            // copied without this secret.
            "CREATE TABLE storekeeper.erasure_secret(id integer PRIMARY KEY CHECK (id = 1), secret bytea NOT NULL)",
            // A mark is a hash. It records that a transaction of an erased customer was credited, or that a request key
            // of the customer was used. The hash is computed with the vault's own secret, or with the secret of another
            // vault that was copied into this vault.
            "CREATE TABLE storekeeper.mark_key(id bytea PRIMARY KEY, secret bytea NOT NULL, is_own boolean NOT NULL)",
            "CREATE UNIQUE INDEX mark_key_own ON storekeeper.mark_key(is_own) WHERE is_own",
            """
            INSERT INTO storekeeper.mark_key
            SELECT substring(sha256(secret) FROM 1 FOR \(RowID.length)), secret, true FROM (
              SELECT sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) AS secret
              FROM generate_series(1, 4)
            ) AS made
            """,
            "CREATE TABLE storekeeper.erased_mark(digest bytea PRIMARY KEY, key bytea NOT NULL, seal bytea NOT NULL)",
            // The links of rows that were deleted because their chain or token has moved to another customer.
            """
            CREATE TABLE storekeeper.released(
              customer bytea NOT NULL, link bigint NOT NULL, hash bytea NOT NULL, PRIMARY KEY(customer, link))
            """,
        ]
}
