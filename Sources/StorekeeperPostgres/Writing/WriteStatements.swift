/// The statements that write rows.
///
/// The parameters of a statement are arrays, whose elements at the same index form a row.
///
/// If another transaction has inserted a row with the same key, the statement violates a unique key. If another
/// transaction has changed a row since it was read, the number of affected rows differs from the expected number, which
/// causes a division by zero. Both errors roll back the transaction; see ``PostgresFailure/isConcurrencyConflict``.
enum WriteStatements {
    /// Returns the SQL text of a statement that fails unless it affects the expected number of rows.
    private static func counted(_ sql: String, _ expected: String) -> String {
        """
        WITH met AS (\(sql))
        SELECT 1 / (CASE WHEN count(*) = \(expected) THEN 1 ELSE 0 END) FROM met
        """
    }

    // MARK: Feed and groups

    /// Deletes the tickets of a group of steps, and records the group.
    ///
    /// The statement fails if another node has removed a ticket.
    static let close = Statement(
        """
        WITH met AS (DELETE FROM storekeeper.ticket WHERE place = ANY($1::bigint[]) RETURNING 1), noted AS (\(insertStep))
        SELECT 1 / (CASE WHEN count(*) = cardinality($1::bigint[]) THEN 1 ELSE 0 END) FROM met
        """)
    /// Does the same as ``close``, and adds a checkpoint with the ends of the changed hash chains.
    ///
    /// From this statement to the commit, other writers wait at the same statement. Therefore this statement is the
    /// last statement of a transaction.
    static let closeLinked = Statement(
        """
        WITH met AS (DELETE FROM storekeeper.ticket WHERE place = ANY($1::bigint[]) RETURNING 1), noted AS (\(insertStep)),
        linked AS (
          UPDATE storekeeper.head SET number = number + 1, hash = sha256(hash || sha256($5)) WHERE id = 1
          RETURNING number, hash
        ), kept AS (
          INSERT INTO storekeeper.checkpoint(number, place, heads, hash) SELECT number, $4, $5, hash FROM linked
        )
        SELECT 1 / (CASE WHEN count(*) = cardinality($1::bigint[]) THEN 1 ELSE 0 END) FROM met
        """)
    private static let insertStep = "INSERT INTO storekeeper.step(id, at, first) VALUES($2, $3, $4)"
    static let notifyNodes = Statement(
        "SELECT pg_notify('\(NodeNotification.channel)', text) FROM unnest($1::text[]) AS text")
    static let headers = Statement(
        """
        INSERT INTO storekeeper.jws_header SELECT * FROM unnest($1::bytea[], $2::bytea[]) ORDER BY 1
        ON CONFLICT DO NOTHING
        """)

    // MARK: ChainHeads

    private static let customerColumns =
        "id, version, evaluated, synced, wake, entries, entry_offset, links, head"
    static let addCustomers = Statement(
        """
        INSERT INTO storekeeper.customer(id, name, version, evaluated, synced, wake, entries, entry_place, last_place,
          salt, links, head)
        SELECT k.id, k.name, k.version, k.evaluated, k.synced, k.wake, k.entries,
          CASE WHEN k.entry_offset IS NULL THEN 0 ELSE $1 + k.entry_offset END, $13, k.salt, k.links, k.head
        FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
          $9::bigint[], $10::bytea[], $11::text[], $12::bytea[]) AS k(\(customerColumns), name, salt)
        """)
    static let changeCustomers = Statement(
        counted(
            """
            UPDATE storekeeper.customer c SET version = k.version, evaluated = k.evaluated, synced = k.synced,
              wake = k.wake, entries = k.entries, links = k.links, head = k.head, last_place = $11,
              entry_place = CASE WHEN k.entry_offset IS NULL THEN c.entry_place ELSE $1 + k.entry_offset END
            FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
              $9::bigint[], $10::bytea[]) AS k(\(customerColumns))
            WHERE c.id = k.id RETURNING 1
            """, "cardinality($2::bytea[])"))
    static let addPurchases = Statement(
        "INSERT INTO storekeeper.purchase SELECT *, $4 FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])")
    static let changePurchases = Statement(
        counted(
            """
            UPDATE storekeeper.purchase p SET links = k.links, head = k.head, last_place = $4
            FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $5::bigint[]) AS k(id, links, head, known)
            WHERE p.id = k.id AND p.links = k.known RETURNING 1
            """, "cardinality($1::bytea[])"))

    // MARK: Chains and tokens

    /// Locks rows of chains and tokens, and compares their stamps.
    ///
    /// The third parameter is the number of rows that have a stamp to compare. The statement fails if one of these rows
    /// has another stamp.
    static let guardSubjects = Statement(
        """
        WITH met AS (
          SELECT s.id, k.stamp FROM unnest($1::bytea[], $2::bigint[]) AS k(id, stamp)
          JOIN storekeeper.subject s ON s.id = k.id AND (k.stamp IS NULL OR s.stamp = k.stamp)
          ORDER BY s.id FOR UPDATE OF s
        )
        SELECT 1 / (CASE WHEN count(stamp) = $3 THEN 1 ELSE 0 END) FROM met
        """)
    static let addSubjects = Statement(
        """
        INSERT INTO storekeeper.subject(id, stamp, customer, holder, bound, place, link, hash, bundle, environment,
          original, purchase, token, attempts, attempted)
        SELECT k.id, $1, k.customer, k.holder, k.bound, $1 + k.place, k.link, k.hash, k.bundle, k.environment,
          k.original, k.purchase, k.token, coalesce(k.attempts, 0), k.attempted
        FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[],
          $9::text[], $10::text[], $11::text[], $12::bytea[], $13::bytea[], $14::bigint[], $15::bigint[])
          AS k(id, customer, holder, bound, place, link, hash, bundle, environment, original, purchase, token, attempts,
            attempted)
        ORDER BY k.id
        """)
    static let changeSubjects = Statement(
        counted(
            """
            UPDATE storekeeper.subject s SET stamp = s.stamp + 1, customer = coalesce(k.customer, s.customer),
              holder = coalesce(k.holder, s.holder), bound = coalesce(k.bound, s.bound),
              place = coalesce($1 + k.place, s.place), link = coalesce(k.link, s.link),
              hash = coalesce(k.hash, s.hash), attempts = coalesce(k.attempts, s.attempts),
              attempted = coalesce(k.attempted, s.attempted)
            FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[],
              $9::bigint[], $10::bigint[], $11::bigint[])
              AS k(id, customer, holder, bound, place, link, hash, attempts, attempted, stamp)
            WHERE s.id = k.id AND s.stamp = k.stamp RETURNING 1
            """, "cardinality($2::bytea[])"))
    /// Changes the stamps of those account tokens that are the ids of new customers and that the group has not read, so
    /// that another step that has read the token as unowned starts again.
    static let touchTokens = Statement(
        """
        INSERT INTO storekeeper.subject AS s (id, stamp, token, attempts)
        SELECT k.id, $1, k.token, 0 FROM unnest($2::bytea[], $3::bytea[]) AS k(id, token) ORDER BY k.id
        ON CONFLICT (id) DO UPDATE SET stamp = s.stamp + 1
        """)
    static let newestTokens = Statement(
        """
        UPDATE storekeeper.subject s SET newest_token = k.token, newest_signed = k.signed
        FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS k(id, token, signed)
        WHERE s.id = k.id AND (s.newest_token IS NULL OR (s.newest_signed, s.newest_token) < (k.signed, k.token))
        """)

    // MARK: Evidence

    static let transactions = Statement(
        """
        INSERT INTO storekeeper.transaction AS t (id, customer, bundle, environment, transaction, place, state)
        SELECT k.id, k.customer, k.bundle, k.environment, k.transaction, $1 + k.place, k.state
        FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
          AS k(id, customer, bundle, environment, transaction, place, state)
        ON CONFLICT (id, customer) DO UPDATE SET place = coalesce(t.place, excluded.place),
          state = coalesce(t.state, excluded.state)
        """)
    static let deliveryStates = Statement(
        """
        UPDATE storekeeper.transaction t SET state = k.state
        FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS k(id, customer, state)
        WHERE t.id = k.id AND t.customer = k.customer
        """)
    private static let evidence = "header, payload, signature, verbatim, link, hash"
    static let facts = Statement(
        """
        INSERT INTO storekeeper.fact(customer, transaction, digest, chain, place, learned, \(evidence))
        SELECT k.customer, k.transaction, k.digest, k.chain, $1 + k.place, k.learned, k.header, k.payload,
          k.signature, k.verbatim, k.link, k.hash
        FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bytea[],
          $9::bytea[], $10::bytea[], $11::boolean[], $12::bigint[], $13::bytea[])
          AS k(customer, transaction, digest, chain, place, learned, \(evidence))
        """)
    static let infos = Statement(
        """
        INSERT INTO storekeeper.renewal_info(purchase, digest, place, learned, \(evidence))
        SELECT k.purchase, k.digest, $1 + k.place, k.learned, k.header, k.payload, k.signature, k.verbatim, k.link,
          k.hash
        FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[], $8::bytea[],
          $9::boolean[], $10::bigint[], $11::bytea[])
          AS k(purchase, digest, place, learned, \(evidence))
        """)
    static let parked = Statement(
        """
        INSERT INTO storekeeper.parked(digest, place, since, reason, chain, purchase, token, header, payload, signature,
          verbatim, predecessor, claimant)
        SELECT k.digest, $1 + k.place, k.since, k.reason, k.chain, k.purchase, k.token, k.header, k.payload,
          k.signature, k.verbatim, k.predecessor, k.claimant
        FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[], $8::bytea[],
          $9::bytea[], $10::bytea[], $11::bytea[], $12::boolean[], $13::bytea[], $14::text[])
          AS k(digest, place, since, reason, chain, purchase, token, header, payload, signature, verbatim, predecessor,
            claimant)
        ORDER BY k.digest
        """)

    // MARK: Steps and marks

    static let steps = Statement(
        "INSERT INTO storekeeper.step(id, at) SELECT * FROM unnest($1::bytea[], $2::bigint[]) ORDER BY 1")
    /// Records steps that already have a claim, because a caller has asked whether these steps were written.
    ///
    /// The statement fails if another claim was written since the claim was read.
    static let claimedSteps = Statement(
        counted(
            """
            UPDATE storekeeper.step s SET first = NULL, at = k.at
            FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) AS k(id, at, claim)
            WHERE s.id = k.id AND s.first = k.claim RETURNING 1
            """, "cardinality($1::bytea[])"))
    /// Deletes old records of callers' steps; the age of a record is counted from the date of its batch.
    ///
    /// ``forgetGroups`` deletes old records of groups. The age of a group's record is measured with the node's clock.
    static let forgetSteps = forget("first IS NULL")
    static let forgetGroups = forget("first IS NOT NULL")
    private static func forget(_ condition: String) -> Statement {
        Statement(
            """
            DELETE FROM storekeeper.step s USING (
              SELECT id FROM storekeeper.step WHERE at < $1 AND \(condition) ORDER BY at LIMIT $2
              FOR UPDATE SKIP LOCKED
            ) old WHERE s.id = old.id
            """)
    }

    static let markKey = Statement(
        "INSERT INTO storekeeper.mark_key VALUES($1, $2, false) ON CONFLICT (id) DO NOTHING")
    /// Writes marks.
    ///
    /// If a mark already exists, the transaction is rolled back, because two seals would include the mark.
    static let marks = Statement(
        "INSERT INTO storekeeper.erased_mark SELECT digest, $2, $3 FROM unnest($1::bytea[]) AS digest ORDER BY 1")

    // MARK: Deleting

    static let unpark = Statement(
        counted(
            "DELETE FROM storekeeper.parked WHERE digest = ANY($1::bytea[]) RETURNING 1", "cardinality($1::bytea[])"))
    /// Deletes the rows of chains and tokens that existed only because of parked evidence.
    static let removeIdleSubjects = Statement(
        """
        DELETE FROM storekeeper.subject s USING unnest($1::bytea[]) AS k(id)
        WHERE s.id = k.id AND s.customer IS NULL AND s.attempts = 0
          AND NOT EXISTS (SELECT 1 FROM storekeeper.parked p WHERE p.chain = s.id)
          AND NOT EXISTS (SELECT 1 FROM storekeeper.parked p WHERE p.token = s.token)
          AND NOT EXISTS (SELECT 1 FROM storekeeper.parked p WHERE p.predecessor = s.id)
        """)
    static let removeFacts = Statement(
        """
        DELETE FROM storekeeper.fact f USING unnest($1::bytea[]) AS k(id), storekeeper.subject s
        WHERE s.id = k.id AND f.customer = s.customer AND f.chain = s.id
        """)
    /// Keeps the links of a customer's facts of a chain and of its binding, before these rows are deleted.
    static let keepLinks = Statement(
        """
        INSERT INTO storekeeper.released(customer, link, hash)
        SELECT customer, link, hash FROM storekeeper.fact WHERE customer = $1 AND chain = $2
        UNION ALL SELECT customer, link, hash FROM storekeeper.subject WHERE customer = $1 AND id = $2
        """)
    static let removeReleasedFacts = Statement("DELETE FROM storekeeper.fact WHERE customer = $1 AND chain = $2")
    static let clearSubject = Statement(
        """
        UPDATE storekeeper.subject SET customer = NULL, holder = NULL, bound = NULL, place = NULL, link = NULL,
          hash = NULL, newest_token = NULL, newest_signed = NULL
        WHERE customer = $1 AND id = $2
        """)
    static let forgetClaimant = Statement(
        "UPDATE storekeeper.parked SET claimant = NULL WHERE claimant = $1")
    static let removeReleased = Statement("DELETE FROM storekeeper.released WHERE customer = $1")
    static let removeInfos = Statement("DELETE FROM storekeeper.renewal_info WHERE purchase = ANY($1::bytea[])")
    static let removePurchases = Statement("DELETE FROM storekeeper.purchase WHERE id = ANY($1::bytea[])")
    static let removeSubjects = Statement("DELETE FROM storekeeper.subject WHERE id = ANY($1::bytea[])")
    static let removeAttempts = Statement(
        "UPDATE storekeeper.subject SET attempts = 0, attempted = NULL WHERE id = ANY($1::bytea[])")
    static let removeTransactions = Statement("DELETE FROM storekeeper.transaction WHERE customer = ANY($1::bytea[])")
    static let removeEntries = Statement(
        counted("DELETE FROM storekeeper.ledger WHERE customer = $1 RETURNING 1", "$2"))
    static let removeCustomer = Statement("DELETE FROM storekeeper.customer WHERE id = $1")
    static let erasure = Statement(
        "INSERT INTO storekeeper.erasure SELECT $1 + $2, $3, $4, $5, $6, $7, $8, $9")
}
