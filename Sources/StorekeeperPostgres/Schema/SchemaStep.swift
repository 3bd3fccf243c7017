/// A migration from one schema to the next.
///
/// A step either expands or contracts the schema. An expanding step adds optional columns, tables or indexes, so that
/// nodes of earlier releases continue to run, and can also be started. A contracting step removes a column or table
/// that the releases in use no longer need, or adds a requirement that older releases do not meet. After a contracting
/// step, older releases refuse the database.
struct SchemaStep: Sendable {
    /// The statements, which run in this order in one transaction.
    let statements: [String]
    /// The oldest schema whose releases can use the tables after this step.
    ///
    /// An expanding step has the same value as the previous step.
    let oldest: Int

    init(_ statements: [String], oldest: Int) {
        self.statements = statements
        self.oldest = oldest
    }
}

/// The schema state recorded in a database.
struct SchemaState: Hashable, Sendable {
    /// The version of the tables' schema.
    let version: Int64
    /// The oldest version of the schema such that releases made for that version may read and write the tables.
    let oldest: Int64
}
