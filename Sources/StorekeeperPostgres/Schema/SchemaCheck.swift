import Storekeeper

/// Finds changes to the tables that prevent a vault from working correctly: triggers, rules, and missing unique keys.
///
/// Additional indexes, tables and columns are not faults, because the owner of a database or a newer release may add
/// them.
enum SchemaCheck {
    /// The unique keys on which the vault relies, as `table(columns)`.
    static let keys: Set<String> = others.union(allTables.flatMap { PostgresTable.of($0).uniqueKeys })
    private static let others: Set<String> = [
        "checkpoint(number)", "customer(id)", "erased_mark(digest)", "erasure(place)", "erasure_secret(id)",
        "fact(customer,transaction,digest)", "feed(id)", "head(id)", "jws_header(digest)", "mark_key(id)",
        "mark_key(is_own)", "parked(digest)", "purchase(id)", "released(customer,link)",
        "renewal_info(purchase,digest)", "schema_version(id)", "step(id)", "subject(id)", "ticket(place)",
        "transaction(id,customer)",
    ]

    static let readKeys = Statement(
        """
        SELECT c.relname || '(' || (
          SELECT string_agg(a.attname, ',' ORDER BY k.position)
          FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(number, position)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
        ) || ')'
        FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND NOT c.relispartition
        JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique AND i.indisvalid
        WHERE n.nspname = 'storekeeper'
        """)
    private static let readForeign = Statement(
        """
        WITH own AS (
          SELECT c.oid, c.relname, c.relrowsecurity FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
          WHERE n.nspname = 'storekeeper' AND c.relkind IN ('r', 'p')
        )
        SELECT 'trigger ' || t.tgname FROM own JOIN pg_trigger t ON t.tgrelid = own.oid AND NOT t.tgisinternal
        UNION ALL SELECT 'rule ' || r.rulename FROM own JOIN pg_rewrite r ON r.ev_class = own.oid
        UNION ALL SELECT 'row security of ' || own.relname FROM own WHERE own.relrowsecurity
        """)

    static func faults(_ connection: Connection, _ limit: Duration) throws(PostgresFailure) -> [VaultFault] {
        func texts(_ statement: Statement) throws(PostgresFailure) -> [String] {
            try connection.run(statement, within: limit).map { row throws(PostgresFailure) in try row.text() }
        }
        let missing = keys.subtracting(try texts(readKeys)).sorted()
        return missing.map { VaultFault(.storage, "key \($0)", "is missing") }
            + (try texts(readForeign)).map { VaultFault(.storage, $0, "differs from the vault's schema") }
    }
}
