/// What tells one line of purchases from another: an original transaction, in its app and environment.
///
/// Transaction ids say little alone: Xcode counts from 0 for every app, and one id stands for different purchases in
/// different environments.
public struct ChainID: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// Where the purchases were made.
    public let environment: AppStore.Environment
    /// The first transaction.
    public let originalID: Transaction.ID

    /// Makes an id of its parts.
    public init(bundleID: String, environment: AppStore.Environment, originalID: Transaction.ID) {
        self.bundleID = bundleID
        self.environment = environment
        self.originalID = originalID
    }

    /// The chain that a transaction belongs to.
    public init(_ transaction: Transaction) {
        bundleID = transaction.appBundleID
        environment = transaction.environment
        originalID = transaction.originalID
    }

    /// Whether all parts are the same bytes.
    public static func == (left: ChainID, right: ChainID) -> Bool {
        left.originalID == right.originalID && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the id of the first transaction, which alone tells nearly all chains apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(originalID) }
}

/// What tells one transaction from another: an id says little without its app and environment.
public struct TransactionKey: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// Where the transaction was made.
    public let environment: AppStore.Environment
    /// The transaction.
    public let transactionID: Transaction.ID

    /// Makes a key of its parts.
    public init(bundleID: String, environment: AppStore.Environment, transactionID: Transaction.ID) {
        self.bundleID = bundleID
        self.environment = environment
        self.transactionID = transactionID
    }

    /// The key of a transaction; all its copies have one.
    public init(_ transaction: Transaction) {
        bundleID = transaction.appBundleID
        environment = transaction.environment
        transactionID = transaction.id
    }

    /// Whether all parts are the same bytes.
    public static func == (left: TransactionKey, right: TransactionKey) -> Bool {
        left.transactionID == right.transactionID && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the transaction's id, which alone tells nearly all transactions apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(transactionID) }
}
