/// The migrations that create the tables of a vault, in the schema `storekeeper` of a database.
///
/// A migration must not change after its release. A new schema requires a further migration, which declares whether
/// earlier releases can still use the tables; see ``SchemaStep``.
///
/// The rows of a customer are partitioned by the hash of the customer's key, which is computed from the id. Tables
/// without a customer are partitioned by the hash of their own primary key. The tables have no foreign keys and no
/// sequences. A `ticket` reserves each `place` by incrementing the number in the table `feed`; see ``FeedTicket``.
enum Schema {
    /// The version of the schema that this release reads and writes.
    static var version: Int { steps.count }

    /// The number of partitions of each new table.
    static let partitionCount = 4

    /// The migrations in order.
    ///
    /// The first migration requires an empty database.
    ///
    /// A release of schema 1 refuses a database of schema 2 or later, because the release cannot read which
    /// transactions were credited to erased customers. A release of schema 2 refuses a database of schema 3 or later,
    /// because the release cannot read ledger entries that grant or revoke access.
    static let steps = [
        SchemaStep(first, oldest: 1), SchemaStep(second, oldest: 2), SchemaStep(accessGrants, oldest: 3),
        SchemaStep(webhooks, oldest: 3), SchemaStep(successors, oldest: 5), SchemaStep(purchaseIndex, oldest: 5),
    ]

    /// The migration that adds the chain that the chain of parked evidence without a token replaces, and the links of
    /// rows that were deleted because their chain or token has moved to another customer.
    ///
    /// An earlier release would park evidence without its predecessor, so that its owner would not find the evidence.
    private static let successors: [String] = [
        """
        CREATE TABLE storekeeper.released(
          customer bytea NOT NULL, link bigint NOT NULL, hash bytea NOT NULL, PRIMARY KEY(customer, link))
        """,
        "ALTER TABLE storekeeper.parked ADD COLUMN claimant text",
        "CREATE INDEX parked_claimant ON storekeeper.parked(claimant) WHERE claimant IS NOT NULL",
        "ALTER TABLE storekeeper.parked ADD COLUMN predecessor bytea",
        "CREATE INDEX parked_predecessor ON storekeeper.parked(predecessor) WHERE predecessor IS NOT NULL",
    ]

    /// The migration that adds the index by which lists of facts find the owner of each renewal info.
    ///
    /// Without it, reading all facts reads all chains for each renewal info.
    private static let purchaseIndex: [String] = [
        "CREATE INDEX subject_purchase ON storekeeper.subject(purchase) WHERE purchase IS NOT NULL"
    ]

    /// The migration that adds ledger entries that grant or revoke access to products and features without a purchase.
    private static let accessGrants: [String] = [
        "ALTER TABLE storekeeper.ledger ADD COLUMN feature text",
        "ALTER TABLE storekeeper.ledger ADD COLUMN revoked_key text",
        "CREATE INDEX ledger_access ON storekeeper.ledger(customer) WHERE kind >= 5",
    ]

    /// Returns the statements that create a table partitioned by the hash of a column.
    ///
    /// - Parameter fill: The fill factor of pages in percent. In a frequently updated table, free space on a page keeps
    ///   the new version of a row on the same page, so that the old version can be removed soon.
    private static func partitioned(
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

    /// The migration that adds the caller of each entry to the ledger, and the marks of erased customers.
    ///
    /// A mark is a hash. A mark records that a transaction of an erased customer was credited, or that a request key of
    /// the customer was used. The hash is computed with the vault's own secret, or with the secret of another vault
    /// that was copied into this vault.
    private static let second: [String] = [
        "ALTER TABLE storekeeper.ledger ADD COLUMN recorded_by text",
        "CREATE TABLE storekeeper.mark_key(id bytea PRIMARY KEY, secret bytea NOT NULL, is_own boolean NOT NULL)",
        "CREATE UNIQUE INDEX mark_key_own ON storekeeper.mark_key(is_own) WHERE is_own",
        """
        INSERT INTO storekeeper.mark_key
        SELECT substring(sha256(secret) FROM 1 FOR \(RowID.length)), secret, true FROM (
          SELECT sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) AS secret FROM generate_series(1, 4)
        ) AS made
        """,
        """
        CREATE TABLE storekeeper.erased_mark(
          digest bytea PRIMARY KEY,
          key bytea NOT NULL,
          seal bytea NOT NULL
        )
        """,
    ]

    private static let first: [String] =
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
              verbatim boolean NOT NULL
            )
            """,
            "CREATE INDEX parked_place ON storekeeper.parked(place)",
            "CREATE INDEX parked_chain ON storekeeper.parked(chain) WHERE chain IS NOT NULL",
            "CREATE INDEX parked_purchase ON storekeeper.parked(purchase) WHERE purchase IS NOT NULL",
            "CREATE INDEX parked_token ON storekeeper.parked(token) WHERE token IS NOT NULL",
        ]
        + partitioned(
            "ledger", by: "customer",
            """
            customer bytea NOT NULL,
            number bigint NOT NULL,
            place bigint NOT NULL,
            at bigint NOT NULL,
            kind bigint NOT NULL,
            balance text NOT NULL,
            change bigint NOT NULL,
            after bigint NOT NULL,
            cause bytea,
            bundle text,
            environment text,
            transaction text,
            product text,
            target bigint,
            key text COLLATE "C",
            reason text,
            link bigint NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY(customer, number)
            """)
        + [
            "CREATE INDEX ledger_place ON storekeeper.ledger(place)",
            "CREATE INDEX ledger_cause ON storekeeper.ledger(customer, cause) WHERE cause IS NOT NULL",
            "CREATE UNIQUE INDEX ledger_key ON storekeeper.ledger(customer, key) WHERE key IS NOT NULL",
        ]
        + partitioned(
            "balance", by: "customer", fill: 70,
            """
            customer bytea NOT NULL,
            name text COLLATE "C" NOT NULL,
            credited bigint NOT NULL,
            spent bigint NOT NULL,
            clawed_back bigint NOT NULL,
            restored bigint NOT NULL,
            PRIMARY KEY(customer, name)
            """)
        + partitioned(
            "event", by: "customer",
            """
            customer bytea NOT NULL,
            place bigint NOT NULL,
            name text NOT NULL,
            at bigint NOT NULL,
            kind bigint NOT NULL,
            subject text NOT NULL,
            before_word text NOT NULL,
            before_reason text NOT NULL,
            before_product text,
            before_transaction text,
            before_until bigint,
            after_word text NOT NULL,
            after_reason text NOT NULL,
            after_product text,
            after_transaction text,
            after_until bigint,
            PRIMARY KEY(customer, place)
            """)
        + ["CREATE INDEX event_place ON storekeeper.event(place)"]
        + partitioned(
            "pending", by: "customer",
            """
            customer bytea NOT NULL,
            position bigint NOT NULL,
            product text NOT NULL,
            reason text NOT NULL,
            started bigint NOT NULL,
            ends bigint NOT NULL,
            PRIMARY KEY(customer, position)
            """)
        + partitioned("notification", by: "id", "id bytea PRIMARY KEY, at bigint NOT NULL")
        // Records of written steps, and of groups of steps that were written together. The record of a group contains
        // the first place in the feed that the group used.
        + partitioned("step", by: "id", "id bytea PRIMARY KEY, at bigint NOT NULL, first bigint")
        + [
            "CREATE INDEX step_at ON storekeeper.step(at)",
            "CREATE TABLE storekeeper.cursor(backend text COLLATE \"C\" PRIMARY KEY, position text NOT NULL)",
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
        ]
}
