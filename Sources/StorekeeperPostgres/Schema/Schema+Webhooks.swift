extension Schema {
    /// The tables about events that are posted to webhooks: queues, attempts and parked messages.
    ///
    /// The tables are not partitioned, because each table is either small or read in the order of time.
    static let webhooks: [String] = [
        """
        CREATE TABLE storekeeper.webhook(
          name text COLLATE "C" PRIMARY KEY,
          queued bigint NOT NULL,
          paused bigint,
          pause_reason text
        ) WITH (fillfactor = 50)
        """,
        """
        CREATE TABLE storekeeper.webhook_queue(
          webhook text COLLATE "C" NOT NULL,
          customer bytea NOT NULL,
          name text COLLATE "C" NOT NULL,
          delivered bigint NOT NULL,
          queued bigint NOT NULL,
          due bigint NOT NULL,
          failures bigint NOT NULL,
          failing bigint,
          node text,
          until bigint,
          PRIMARY KEY(webhook, customer)
        ) WITH (fillfactor = 70)
        """,
        "CREATE INDEX webhook_queue_due ON storekeeper.webhook_queue(webhook, due, name)",
        "CREATE INDEX webhook_queue_customer ON storekeeper.webhook_queue(customer)",
        """
        CREATE TABLE storekeeper.webhook_attempt(
          number bigint PRIMARY KEY,
          webhook text COLLATE "C" NOT NULL,
          customer bytea NOT NULL,
          name text NOT NULL,
          at bigint NOT NULL,
          event bigint NOT NULL,
          message text NOT NULL,
          attempt bigint NOT NULL,
          milliseconds bigint NOT NULL,
          outcome text NOT NULL,
          status bigint,
          problem text
        )
        """,
        "CREATE INDEX webhook_attempt_at ON storekeeper.webhook_attempt(at, number)",
        "CREATE INDEX webhook_attempt_customer ON storekeeper.webhook_attempt(customer, at, number)",
        """
        CREATE TABLE storekeeper.webhook_parked(
          webhook text COLLATE "C" NOT NULL,
          event bigint NOT NULL,
          customer bytea NOT NULL,
          name text NOT NULL,
          message text NOT NULL,
          since bigint NOT NULL,
          attempts bigint NOT NULL,
          problem text,
          PRIMARY KEY(webhook, event)
        )
        """,
        "CREATE INDEX webhook_parked_customer ON storekeeper.webhook_parked(customer)",
    ]
}
