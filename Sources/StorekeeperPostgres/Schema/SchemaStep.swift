/// What leads from one schema to the next.
///
/// A step expands or contracts. One that expands adds columns that may be left out, tables, indexes: nodes of the releases
/// before go on beside it, and may be started, too. One that contracts takes out what the releases in use need no more, or
/// makes a demand that older ones do not meet: those are refused from then on.
struct SchemaStep: Sendable {
    /// What is done, in this order, in one transaction.
    let statements: [String]
    /// The oldest schema whose releases may go on with the tables as this step leaves them: that of the step before for one
    /// that expands.
    let oldest: Int

    init(_ statements: [String], oldest: Int) {
        self.statements = statements
        self.oldest = oldest
    }
}

/// What a database says of its tables.
struct SchemaState: Hashable, Sendable {
    /// The schema that they have.
    let version: Int64
    /// The oldest schema whose releases may read and write them.
    let oldest: Int64
}
