import Storekeeper

/// The tables of a vault, as a list of migrations from schema to schema.
///
/// A migration must not change after its release. A new schema needs a further migration, and a small vault of the
/// previous schema in the tests. One counter of the vault provides the values of all columns that are called
/// `sequence`.
enum Schema {
    /// The application id in the header of a vault's file: `Stkp`.
    static let applicationID: Int64 = 0x5374_6B70

    /// The migration from one schema to the next.
    struct Step {
        let sql: String
        /// The part of the migration that is not SQL; it runs after the SQL, in the same transaction.
        var rest: (@Sendable (Connection) throws(VaultError) -> Void)?
    }

    /// The schema that this release reads and writes.
    static var version: Int { steps.count }

    /// The migrations; the first migration starts from an empty file.
    static let steps: [Step] = [
        Step(sql: first),
        Step(sql: second) { connection throws(VaultError) in try LinkMigration(connection: connection).run() },
        Step(sql: third),
        Step(sql: fourth) { connection throws(VaultError) in try connection.sealOrigin() },
        Step(sql: accessGrants),
        Step(sql: webhooks),
        Step(sql: successors),
    ]

    /// Adds the customer for whom parked evidence of another customer was presented, the original transaction that the
    /// chain of parked evidence without a token replaces, and the links of rows that were deleted because their chain or
    /// token has moved to another customer.
    ///
    /// A seal covers the links of each such move.
    private static let successors = """
        CREATE TABLE released(
          sequence INTEGER PRIMARY KEY,
          seal INTEGER NOT NULL REFERENCES seal,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;
        CREATE INDEX released_seal ON released(seal);
        ALTER TABLE parked ADD COLUMN claimant TEXT;
        CREATE INDEX parked_claimant ON parked(claimant) WHERE claimant IS NOT NULL;
        ALTER TABLE parked ADD COLUMN predecessor TEXT;
        CREATE INDEX parked_predecessor ON parked(predecessor) WHERE predecessor IS NOT NULL;

        """

    /// Adds columns for ledger entries that grant or revoke access without a purchase.
    private static let accessGrants = """
        ALTER TABLE ledger ADD COLUMN feature TEXT;
        ALTER TABLE ledger ADD COLUMN revoked_key TEXT;
        CREATE INDEX ledger_access ON ledger(customer) WHERE kind >= 5;

        """

    /// Adds columns and tables for the callers that requested ledger entries, the marks of erased customers, and seals.
    ///
    /// The marks are hashes with a secret key. They record which transactions of erased customers were credited, and
    /// which request keys were used.
    ///
    /// A `seal` is a link of the hash chain. It covers either such marks or the values of `epoch` and `numbered`, which
    /// delimit the rows that older releases wrote.
    private static let fourth = """
        ALTER TABLE ledger ADD COLUMN recorded_by TEXT;

        CREATE TABLE seal(
          sequence INTEGER PRIMARY KEY,
          kind INTEGER NOT NULL,
          first INTEGER NOT NULL,
          second INTEGER NOT NULL,
          digest BLOB NOT NULL,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;

        CREATE TABLE mark_key(id INTEGER PRIMARY KEY, secret BLOB NOT NULL UNIQUE) STRICT;
        INSERT INTO mark_key VALUES(1, randomblob(32));

        CREATE TABLE erased_mark(
          digest BLOB PRIMARY KEY,
          key INTEGER NOT NULL REFERENCES mark_key,
          seal INTEGER NOT NULL REFERENCES seal
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX erased_mark_seal ON erased_mark(seal);

        """

    /// Adds the numbers of entries in their accounts, the leases of wakes, and the ids of steps.
    ///
    /// Entries whose `sequence` is at most `numbered` were written without numbers. Their hashes stay the same. The
    /// number of such an entry is determined by its owner and its order, which the hash covers.
    private static let third = """
        ALTER TABLE meta ADD COLUMN numbered INTEGER NOT NULL DEFAULT 0;
        UPDATE meta SET numbered = sequence;
        ALTER TABLE ledger ADD COLUMN number INTEGER;
        UPDATE ledger SET number = ranked.number FROM (
          SELECT sequence, row_number() OVER (PARTITION BY customer ORDER BY sequence) AS number
          FROM ledger WHERE customer IS NOT NULL) AS ranked
        WHERE ranked.sequence = ledger.sequence;

        CREATE TABLE wake_lease(
          customer INTEGER PRIMARY KEY REFERENCES customer ON DELETE CASCADE,
          node TEXT NOT NULL,
          wake INTEGER NOT NULL,
          until INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE step(id BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX step_at ON step(at);

        """

    /// Adds facts and bindings to the hash chain, and adds a salt to each customer, so that names and spends cannot be
    /// guessed from hashes.
    ///
    /// Facts and bindings whose `sequence` is at most `epoch` were not added to the hash chain when they were written.
    /// The hash chain begins with the entries and erasures up to `epoch`. The facts and bindings up to `epoch` follow,
    /// and then all later rows in order of `sequence`.
    private static let second = """
        ALTER TABLE meta ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
        UPDATE meta SET epoch = sequence;
        ALTER TABLE customer ADD COLUMN salt BLOB;
        UPDATE customer SET salt = randomblob(16);
        ALTER TABLE chain ADD COLUMN previous BLOB;
        ALTER TABLE chain ADD COLUMN hash BLOB;
        ALTER TABLE token ADD COLUMN previous BLOB;
        ALTER TABLE token ADD COLUMN hash BLOB;
        ALTER TABLE fact ADD COLUMN previous BLOB;
        ALTER TABLE fact ADD COLUMN hash BLOB;
        CREATE TABLE erased(
          sequence INTEGER PRIMARY KEY,
          erasure INTEGER NOT NULL REFERENCES erasure,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;

        """

    private static let first = """
        CREATE TABLE meta(
          id INTEGER PRIMARY KEY CHECK (id = 1),
          sequence INTEGER NOT NULL,
          head_sequence INTEGER NOT NULL,
          head_hash BLOB NOT NULL
        ) STRICT;
        INSERT INTO meta VALUES(1, 0, 0, zeroblob(32));

        CREATE TABLE jws_header(
          id INTEGER PRIMARY KEY,
          digest BLOB NOT NULL UNIQUE,
          segment BLOB NOT NULL
        ) STRICT;

        CREATE TABLE customer(
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          version INTEGER NOT NULL,
          evaluated INTEGER,
          synced INTEGER,
          wake INTEGER
        ) STRICT;
        CREATE INDEX customer_wake ON customer(wake, name) WHERE wake IS NOT NULL;

        CREATE TABLE chain(
          id INTEGER PRIMARY KEY,
          bundle TEXT NOT NULL,
          environment TEXT NOT NULL,
          original TEXT NOT NULL,
          customer INTEGER REFERENCES customer,
          bound INTEGER,
          sequence INTEGER,
          token BLOB,
          token_signed INTEGER,
          UNIQUE(original, environment, bundle)
        ) STRICT;
        CREATE INDEX chain_customer ON chain(customer) WHERE customer IS NOT NULL;

        CREATE TABLE token(
          token BLOB PRIMARY KEY,
          customer INTEGER NOT NULL REFERENCES customer,
          bound INTEGER NOT NULL,
          sequence INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_customer ON token(customer);

        CREATE TABLE conflict(
          subject BLOB PRIMARY KEY,
          attempts INTEGER NOT NULL,
          at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE fact(
          sequence INTEGER PRIMARY KEY,
          chain INTEGER REFERENCES chain,
          subject TEXT,
          original TEXT,
          environment TEXT,
          learned INTEGER NOT NULL,
          digest BLOB NOT NULL UNIQUE,
          header INTEGER NOT NULL REFERENCES jws_header,
          payload BLOB NOT NULL,
          signature ANY NOT NULL,
          CHECK ((chain IS NULL) <> (original IS NULL))
        ) STRICT;
        CREATE INDEX fact_chain ON fact(chain) WHERE chain IS NOT NULL;
        CREATE INDEX fact_subject ON fact(subject) WHERE subject IS NOT NULL;
        CREATE INDEX fact_original ON fact(original, environment) WHERE original IS NOT NULL;

        CREATE TABLE parked(
          sequence INTEGER PRIMARY KEY,
          since INTEGER NOT NULL,
          reason INTEGER NOT NULL,
          chain INTEGER REFERENCES chain,
          original TEXT,
          environment TEXT,
          token BLOB,
          digest BLOB NOT NULL UNIQUE,
          header INTEGER NOT NULL REFERENCES jws_header,
          payload BLOB NOT NULL,
          signature ANY NOT NULL
        ) STRICT;
        CREATE INDEX parked_chain ON parked(chain) WHERE chain IS NOT NULL;
        CREATE INDEX parked_original ON parked(original, environment) WHERE original IS NOT NULL;
        CREATE INDEX parked_token ON parked(token) WHERE token IS NOT NULL;

        CREATE TABLE erasure(
          sequence INTEGER PRIMARY KEY,
          at INTEGER NOT NULL,
          reason TEXT NOT NULL,
          facts INTEGER NOT NULL,
          entries INTEGER NOT NULL,
          salt BLOB NOT NULL,
          digest BLOB NOT NULL,
          proof BLOB NOT NULL,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;

        CREATE TABLE ledger(
          sequence INTEGER PRIMARY KEY,
          customer INTEGER REFERENCES customer,
          at INTEGER,
          kind INTEGER,
          balance TEXT,
          change INTEGER,
          after INTEGER,
          bundle TEXT,
          environment TEXT,
          transaction_id TEXT,
          product TEXT,
          target INTEGER,
          key TEXT,
          reason TEXT,
          erasure INTEGER REFERENCES erasure,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL,
          CHECK ((customer IS NULL) <> (erasure IS NULL))
        ) STRICT;
        CREATE INDEX ledger_customer ON ledger(customer) WHERE customer IS NOT NULL;
        CREATE INDEX ledger_transaction ON ledger(transaction_id) WHERE transaction_id IS NOT NULL;
        CREATE UNIQUE INDEX ledger_key ON ledger(customer, key) WHERE key IS NOT NULL;
        CREATE INDEX ledger_erasure ON ledger(erasure) WHERE erasure IS NOT NULL;

        CREATE TABLE balance(
          customer INTEGER NOT NULL REFERENCES customer,
          name TEXT NOT NULL,
          credited INTEGER NOT NULL,
          spent INTEGER NOT NULL,
          clawed_back INTEGER NOT NULL,
          restored INTEGER NOT NULL,
          PRIMARY KEY(customer, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE event(
          sequence INTEGER PRIMARY KEY,
          customer INTEGER NOT NULL REFERENCES customer,
          at INTEGER NOT NULL,
          kind INTEGER NOT NULL,
          subject TEXT NOT NULL,
          before_word TEXT NOT NULL,
          before_reason TEXT NOT NULL,
          before_product TEXT,
          before_transaction TEXT,
          before_until INTEGER,
          after_word TEXT NOT NULL,
          after_reason TEXT NOT NULL,
          after_product TEXT,
          after_transaction TEXT,
          after_until INTEGER
        ) STRICT;
        CREATE INDEX event_customer ON event(customer);

        CREATE TABLE finish(
          transaction_id TEXT NOT NULL,
          environment TEXT NOT NULL,
          bundle TEXT NOT NULL,
          customer INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          state INTEGER NOT NULL,
          PRIMARY KEY(transaction_id, environment, bundle)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX finish_open ON finish(customer, sequence) WHERE state < 2;

        CREATE TABLE pending(
          customer INTEGER NOT NULL REFERENCES customer,
          position INTEGER NOT NULL,
          product TEXT NOT NULL,
          reason TEXT NOT NULL,
          started INTEGER NOT NULL,
          ends INTEGER NOT NULL,
          PRIMARY KEY(customer, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE notification(uuid TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE cursor(backend TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;

        """
}
