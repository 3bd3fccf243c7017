import Storekeeper

/// The tables of a vault.
///
/// One counter of the vault provides the values of all columns that are called `sequence`.
enum Schema {
    /// The application id in the header of a vault's file: `Stkp`.
    static let applicationID: Int64 = 0x5374_6B70

    /// The schema that this release reads and writes, and the first that a release writes.
    ///
    /// Revisions before the first release wrote the schemas 1 to 8.
    static let version = 9

    /// The SQL that creates the tables in an empty file.
    ///
    /// A `released` row is the link of a row that was deleted because its chain or token has moved to another customer.
    /// The marks of erased customers, `erased_mark`, are hashes with a secret key. They record which transactions of
    /// erased customers were credited, and which request keys were used. A `seal` is a link of the hash chain that covers
    /// such marks, or the links of such a move.
    static let tables = """
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
          wake INTEGER,
          salt BLOB NOT NULL
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
          previous BLOB,
          hash BLOB,
          UNIQUE(original, environment, bundle)
        ) STRICT;
        CREATE INDEX chain_customer ON chain(customer) WHERE customer IS NOT NULL;

        CREATE TABLE token(
          token BLOB PRIMARY KEY,
          customer INTEGER NOT NULL REFERENCES customer,
          bound INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
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
          previous BLOB NOT NULL,
          hash BLOB NOT NULL,
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
          signature ANY NOT NULL,
          claimant TEXT,
          predecessor TEXT
        ) STRICT;
        CREATE INDEX parked_chain ON parked(chain) WHERE chain IS NOT NULL;
        CREATE INDEX parked_original ON parked(original, environment) WHERE original IS NOT NULL;
        CREATE INDEX parked_token ON parked(token) WHERE token IS NOT NULL;
        CREATE INDEX parked_claimant ON parked(claimant) WHERE claimant IS NOT NULL;
        CREATE INDEX parked_predecessor ON parked(predecessor) WHERE predecessor IS NOT NULL;

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

        CREATE TABLE erased(
          sequence INTEGER PRIMARY KEY,
          erasure INTEGER NOT NULL REFERENCES erasure,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;

        CREATE TABLE seal(
          sequence INTEGER PRIMARY KEY,
          kind INTEGER NOT NULL,
          first INTEGER NOT NULL,
          second INTEGER NOT NULL,
          digest BLOB NOT NULL,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;

        CREATE TABLE released(
          sequence INTEGER PRIMARY KEY,
          seal INTEGER NOT NULL REFERENCES seal,
          previous BLOB NOT NULL,
          hash BLOB NOT NULL
        ) STRICT;
        CREATE INDEX released_seal ON released(seal);

        CREATE TABLE mark_key(id INTEGER PRIMARY KEY, secret BLOB NOT NULL UNIQUE) STRICT;
        INSERT INTO mark_key VALUES(1, randomblob(32));

        CREATE TABLE erased_mark(
          digest BLOB PRIMARY KEY,
          key INTEGER NOT NULL REFERENCES mark_key,
          seal INTEGER NOT NULL REFERENCES seal
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX erased_mark_seal ON erased_mark(seal);

        \(allTables.map { SQLiteTable.of($0).definition }.joined(separator: "\n"))
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

        CREATE TABLE wake_lease(
          customer INTEGER PRIMARY KEY REFERENCES customer ON DELETE CASCADE,
          node TEXT NOT NULL,
          wake INTEGER NOT NULL,
          until INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE step(id BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX step_at ON step(at);
        """
}
