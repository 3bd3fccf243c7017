/// The statements that load rows.
///
/// The parameters of a statement are arrays of row keys. For each key, the statement reads only the key's partition.
enum LoadStatements {
    /// Returns the SQL text that joins each row of the preceding query with the matching rows of a table.
    ///
    /// The join selects a few rows of a large table through an index. `OFFSET 0` fixes the order of the joins. Without
    /// it, the planner would choose another order while a table is small, and use that order even after the table has
    /// grown.
    static func each(_ table: String, _ condition: String) -> String {
        let alias = table.suffix(1)
        return "CROSS JOIN LATERAL (SELECT * FROM storekeeper.\(table) WHERE \(condition) OFFSET 0) \(alias)"
    }

    /// Limits the time, in milliseconds, for which the transaction waits for a lock; 0 removes the limit.
    static let limitLocks = Statement("SELECT set_config('lock_timeout', $1, true)")

    /// Locks the rows of customers in the order of their keys, and waits while other transactions lock some of these
    /// rows.
    static let lockCustomers = Statement(
        """
        SELECT c.id FROM unnest($1::bytea[]) AS k(id) JOIN storekeeper.customer c ON c.id = k.id
        \(sortedChains) FOR UPDATE OF c
        """)
    private static let sortedChains = "ORDER BY c.id"

    static let customers = Statement(
        """
        SELECT c.name, c.version, c.evaluated, c.synced, c.wake, c.entries, c.entry_place, c.salt, c.links, c.head,
          c.last_place
        FROM unnest($1::bytea[]) AS k(id) \(each("customer c", "c.id = k.id"))
        """)

    // MARK: Chains and tokens

    private static let subject =
        "s.bundle, s.environment, s.original, s.token, s.stamp, s.holder, s.place, s.bound, s.attempts"
    /// Returns the rows of the requested chains and tokens, and the row of the newest token of each requested chain.
    ///
    /// The statement computes the keys of the newest tokens with the same hash as ``RowID``.
    static let subjects = Statement(
        """
        WITH own AS MATERIALIZED (SELECT s.* FROM unnest($1::bytea[]) AS k(id) \(each("subject s", "s.id = k.id")))
        SELECT \(subject), s.newest_token, s.newest_signed FROM own s
        UNION ALL
        SELECT \(subject), NULL, NULL FROM own c
        \(each("subject s", "s.id = substring(sha256(c.newest_token) FROM 1 FOR \(RowID.length))"))
        WHERE c.newest_token IS NOT NULL
        """)
    static let chainsOfOriginals = Statement(
        "SELECT \(subject) FROM unnest($1::text[]) AS k(original) \(each("subject s", "s.original = k.original"))")
    static let subjectsOfCustomers = Statement(
        "SELECT \(subject) FROM unnest($1::bytea[]) AS k(id) \(each("subject s", "s.customer = k.id"))")

    // MARK: Facts

    private static let fact = "f.place, f.learned, f.header, f.payload, f.signature, f.verbatim"
    static let factsOfCustomers = Statement(
        "SELECT k.id, \(fact) FROM unnest($1::bytea[]) AS k(id) \(each("fact f", "f.customer = k.id"))")
    /// A fact other than a transaction belongs to a customer if it has the environment and the original transaction of
    /// one of the customer's chains.
    static let infosOfCustomers = Statement(
        """
        SELECT k.id, \(fact) FROM unnest($1::bytea[]) AS k(id) \(each("subject s", "s.customer = k.id"))
        \(each("renewal_info f", "f.purchase = s.purchase"))
        """)
    static let factsOfChains = Statement(
        """
        SELECT f.customer, \(fact) FROM unnest($1::bytea[]) AS k(id) \(each("subject s", "s.id = k.id"))
        \(each("fact f", "f.customer = s.customer AND f.chain = s.id"))
        """)
    static let copies = Statement(
        """
        SELECT f.customer, \(fact) FROM unnest($1::bytea[]) AS k(id) \(each("transaction t", "t.id = k.id"))
        \(each("fact f", "f.customer = t.customer AND f.transaction = t.id"))
        """)
    static let infosOfPurchases = Statement(
        "SELECT k.id, \(fact) FROM unnest($1::bytea[]) AS k(id) \(each("renewal_info f", "f.purchase = k.id"))")
    static let infos = Statement(
        """
        SELECT k.id, \(fact) FROM unnest($1::bytea[], $2::bytea[]) AS k(id, digest)
        \(each("renewal_info f", "f.purchase = k.id AND f.digest = k.digest"))
        """)
    static let purchases = Statement(
        """
        SELECT p.id, p.links, p.head, p.last_place
        FROM unnest($1::bytea[]) AS k(id) \(each("purchase p", "p.id = k.id"))
        """)
    static let headers = Statement("SELECT digest, segment FROM storekeeper.jws_header WHERE digest = ANY($1::bytea[])")

    // MARK: Parked evidence

    private static let park = "f.place, f.since, f.reason, f.claimant, f.header, f.payload, f.signature, f.verbatim"
    private static func parked(by column: String) -> Statement {
        Statement(
            "SELECT \(park) FROM unnest($1::bytea[]) AS k(id) \(each("parked f", "f.\(column) = k.id"))")
    }
    static let parked = parked(by: "digest")
    static let parkedOfChains = parked(by: "chain")
    static let parkedOfPurchases = parked(by: "purchase")
    static let parkedOfTokens = parked(by: "token")
    static let parkedOfClaimants = Statement(
        "SELECT \(park) FROM unnest($1::text[]) AS k(id) \(each("parked f", "f.claimant = k.id"))")
    static let parkedOfPredecessors = parked(by: "predecessor")

    /// Returns the evidence that is parked under a chain or token of a customer, under the purchase of a chain, or under
    /// a chain that it replaces, together with the row of this chain or token.
    static let parkedOfHolders = Statement(parkedUnder("\(subject), \(park)"))

    static func parkedUnder(_ columns: String) -> String {
        """
        SELECT \(columns) FROM unnest($1::bytea[]) AS k(id) \(each("subject s", "s.customer = k.id"))
        CROSS JOIN LATERAL (
          SELECT * FROM storekeeper.parked WHERE chain = s.id
          UNION ALL SELECT * FROM storekeeper.parked WHERE token = s.token
          UNION ALL SELECT * FROM storekeeper.parked WHERE purchase = s.purchase
          UNION ALL SELECT * FROM storekeeper.parked WHERE predecessor = s.id
          OFFSET 0
        ) f
        """
    }

    // MARK: Deliveries, steps and marks

    private static let delivery = "t.place, t.bundle, t.environment, t.transaction, c.name, t.state"
    static let deliveries = Statement(
        """
        SELECT \(delivery) FROM unnest($1::bytea[]) AS k(id) \(each("transaction t", "t.id = k.id"))
        \(each("customer c", "c.id = t.customer")) WHERE t.place IS NOT NULL
        """)
    static let unfinished = Statement(
        """
        SELECT \(delivery) FROM unnest($1::bytea[]) AS k(id) \(each("transaction t", "t.customer = k.id AND t.state < 2"))
        \(each("customer c", "c.id = t.customer"))
        """)
    static let steps = Statement(
        "SELECT s.id, s.first FROM unnest($1::bytea[]) AS k(id) \(each("step s", "s.id = k.id"))")
    /// Returns the next place of the feed to be reserved; 0 if no customer was erased.
    ///
    /// This place is the first version of a new customer. It is greater than each version of an erased customer,
    /// because a group of steps reserves more places than it increments versions. The place of the last erasure would
    /// not suffice. That place may be the last place of its reservation, and the versions of a new customer would then
    /// reach places that are reserved later.
    static let versionFloor = Statement(
        """
        SELECT CASE WHEN EXISTS (SELECT FROM storekeeper.erasure) THEN next ELSE 0 END
        FROM storekeeper.feed WHERE id = 1
        """)
    /// Returns the numbers of those given marks that are stored as marks of erased customers.
    ///
    /// The number of a mark is its position in the array. The database hashes each mark with each stored secret.
    static let marks = Statement(
        """
        SELECT k.number FROM unnest($1::bytea[]) WITH ORDINALITY AS k(content, number)
        CROSS JOIN (SELECT secret FROM storekeeper.mark_key OFFSET 0) y
        \(each("erased_mark m", "m.digest = sha256(y.secret || k.content)"))
        """)
}
