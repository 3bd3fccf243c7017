/// The identity of a chain: an original transaction, in its app and environment.
///
/// Transaction ids alone are ambiguous: Xcode counts from 0 for every app, and one id denotes different purchases in
/// different environments.
public struct ChainID: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The environment of the purchases.
    public let environment: AppStore.Environment
    /// The first transaction.
    public let originalID: Transaction.ID

    /// Creates an id from its parts.
    public init(bundleID: String, environment: AppStore.Environment, originalID: Transaction.ID) {
        self.bundleID = bundleID
        self.environment = environment
        self.originalID = originalID
    }

    /// Creates the id of a transaction's chain.
    public init(_ transaction: Transaction) {
        bundleID = transaction.appBundleID
        environment = transaction.environment
        originalID = transaction.originalID
    }

    /// Returns whether all parts are equal, byte for byte.
    public static func == (left: ChainID, right: ChainID) -> Bool {
        left.originalID == right.originalID && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the id of the first transaction, which alone distinguishes nearly all chains.
    public func hash(into hasher: inout Hasher) { hasher.combine(originalID) }
}

/// The identity of a transaction: an id is ambiguous without its app and environment.
public struct TransactionKey: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The environment of the transaction.
    public let environment: AppStore.Environment
    /// The transaction.
    public let transactionID: Transaction.ID

    /// Creates a key from its parts.
    public init(bundleID: String, environment: AppStore.Environment, transactionID: Transaction.ID) {
        self.bundleID = bundleID
        self.environment = environment
        self.transactionID = transactionID
    }

    /// Creates the key of a transaction; all its copies have the same key.
    public init(_ transaction: Transaction) {
        bundleID = transaction.appBundleID
        environment = transaction.environment
        transactionID = transaction.id
    }

    /// Returns whether all parts are equal, byte for byte.
    public static func == (left: TransactionKey, right: TransactionKey) -> Bool {
        left.transactionID == right.transactionID && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the transaction's id, which alone distinguishes nearly all transactions.
    public func hash(into hasher: inout Hasher) { hasher.combine(transactionID) }
}
