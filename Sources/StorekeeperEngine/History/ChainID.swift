/// The identity of a chain: the id of its original transaction, its app and its environment.
///
/// A transaction id alone is ambiguous. Xcode numbers the transactions of every app from 0, and the same id denotes
/// different purchases in different environments.
public struct ChainID: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The environment of the purchases.
    public let environment: AppStore.Environment
    /// The id of the original transaction.
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

    /// Creates the id of the chain that a status of the App Store is about.
    init(_ status: ReportedStatus) {
        self.init(bundleID: status.bundleID, environment: status.environment, originalID: status.originalID)
    }

    /// Creates the id under which the owner of an app transaction is recorded; `nil` if the app transaction has no id.
    ///
    /// No transaction has an id that begins with `app:`.
    package init?(_ appTransaction: AppTransaction) {
        guard let id = appTransaction.appTransactionID else { return nil }
        self.init(
            bundleID: appTransaction.bundleID, environment: appTransaction.environment,
            originalID: Transaction.ID("app:\(id)"))
    }

    /// Returns whether all properties are equal; bundle ids are compared byte by byte.
    public static func == (left: ChainID, right: ChainID) -> Bool {
        left.originalID == right.originalID && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the id of the original transaction, which alone distinguishes nearly all chains.
    public func hash(into hasher: inout Hasher) { hasher.combine(originalID) }
}

/// The identity of a transaction: its id, its app and its environment, because an id alone is ambiguous.
public struct TransactionKey: Hashable, Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The environment of the transaction.
    public let environment: AppStore.Environment
    /// The id of the transaction.
    public let transactionID: Transaction.ID

    /// Creates a key from its parts.
    public init(bundleID: String, environment: AppStore.Environment, transactionID: Transaction.ID) {
        self.bundleID = bundleID
        self.environment = environment
        self.transactionID = transactionID
    }

    /// Creates the key of a transaction; all signed copies of the transaction have the same key.
    public init(_ transaction: Transaction) {
        bundleID = transaction.appBundleID
        environment = transaction.environment
        transactionID = transaction.id
    }

    /// Returns whether all properties are equal; bundle ids are compared byte by byte.
    public static func == (left: TransactionKey, right: TransactionKey) -> Bool {
        left.transactionID == right.transactionID && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the transaction's id, which alone distinguishes nearly all transactions.
    public func hash(into hasher: inout Hasher) { hasher.combine(transactionID) }
}
