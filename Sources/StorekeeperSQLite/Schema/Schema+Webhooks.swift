extension Schema {
    /// Adds the tables of webhooks, with their queues, attempts and parked messages.
    ///
    /// Deleting a customer also deletes the rows of the customer in these tables.
    static let webhooks = """
        CREATE TABLE webhook(
          name TEXT PRIMARY KEY,
          queued INTEGER NOT NULL,
          paused INTEGER,
          pause_reason TEXT
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE webhook_queue(
          webhook TEXT NOT NULL,
          customer INTEGER NOT NULL REFERENCES customer ON DELETE CASCADE,
          delivered INTEGER NOT NULL,
          queued INTEGER NOT NULL,
          due INTEGER NOT NULL,
          failures INTEGER NOT NULL,
          failing INTEGER,
          node TEXT,
          until INTEGER,
          PRIMARY KEY(webhook, customer)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_queue_due ON webhook_queue(webhook, due);
        CREATE INDEX webhook_queue_customer ON webhook_queue(customer);

        CREATE TABLE webhook_attempt(
          number INTEGER PRIMARY KEY,
          webhook TEXT NOT NULL,
          customer INTEGER NOT NULL REFERENCES customer ON DELETE CASCADE,
          at INTEGER NOT NULL,
          event INTEGER NOT NULL,
          message TEXT NOT NULL,
          attempt INTEGER NOT NULL,
          milliseconds INTEGER NOT NULL,
          outcome TEXT NOT NULL,
          status INTEGER,
          problem TEXT
        ) STRICT;
        CREATE INDEX webhook_attempt_at ON webhook_attempt(at);
        CREATE INDEX webhook_attempt_customer ON webhook_attempt(customer, at);

        CREATE TABLE webhook_parked(
          webhook TEXT NOT NULL,
          event INTEGER NOT NULL,
          customer INTEGER NOT NULL REFERENCES customer ON DELETE CASCADE,
          message TEXT NOT NULL,
          since INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          problem TEXT,
          PRIMARY KEY(webhook, event)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_parked_customer ON webhook_parked(customer);

        """
}
