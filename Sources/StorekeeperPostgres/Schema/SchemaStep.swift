/// A migration from one schema to the next.
///
/// A step expands or contracts. An expanding step adds optional columns, tables or indexes: nodes of earlier releases
/// continue to run and may be started. A contracting step removes what the releases in use no longer need, or adds a
/// requirement that older ones do not meet: those are refused from then on.
struct SchemaStep: Sendable {
    /// The statements, in order, run in one transaction.
    let statements: [String]
    /// The oldest schema whose releases can use the tables after this step; an expanding step has the same
    /// value as the previous step.
    let oldest: Int

    init(_ statements: [String], oldest: Int) {
        self.statements = statements
        self.oldest = oldest
    }
}

/// The schema state recorded in a database.
struct SchemaState: Hashable, Sendable {
    /// The schema of the tables.
    let version: Int64
    /// The oldest schema whose releases may read and write them.
    let oldest: Int64
}
