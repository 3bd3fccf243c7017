public import Storekeeper

/// An id by which the App Store can look up a customer: the id of any of the customer's transactions.
public struct CustomerAnchor: Hashable, Sendable {
    /// The environment of the transaction.
    public let environment: AppStore.Environment
    /// A transaction id, an original transaction id or an app transaction id: up to 64 digits.
    public let id: String

    /// Creates an anchor.
    public init(environment: AppStore.Environment, id: String) {
        self.environment = environment
        self.id = id
    }
}

/// Supplies the ids by which the App Store can look up a customer.
///
/// The App Store has no customer ids, so a request about a customer names one of the customer's transactions. A
/// customer who uses several Apple Accounts, or production and the sandbox, has an anchor for each account and
/// environment.
public protocol CustomerAnchors: Sendable {
    /// Returns the anchors of a customer, in any order; an empty array for an unknown customer.
    func anchors(of customer: CustomerID) async throws -> [CustomerAnchor]
}

/// Finds the anchors of a customer in the customer's evidence in a vault.
///
/// A customer without evidence in the vault has no anchors, so the App Store cannot be asked about the customer. The
/// first transaction of such a customer must arrive from the app or in a notification.
public struct VaultAnchors: CustomerAnchors {
    private let vault: any TransactionalVault
    private let bundleID: String

    /// Creates a source of anchors.
    ///
    /// - Parameters:
    ///   - vault: The vault with the evidence.
    ///   - bundleID: The bundle id of the app; evidence of other apps is ignored.
    public init(_ vault: any Vault, bundleID: String) {
        self.vault = vault.implementation.vault
        self.bundleID = bundleID
    }

    /// Returns one anchor for each Apple Account and environment.
    ///
    /// A chain without an app transaction id in any of its transactions has an anchor of its own.
    public func anchors(of customer: CustomerID) async throws -> [CustomerAnchor] {
        Self.anchors(in: try await vault.load(customer).facts.map(\.fact), bundleID: bundleID)
    }

    /// Returns the anchors in the facts of one customer.
    static func anchors(in facts: [VerifiedFact], bundleID: String) -> [CustomerAnchor] {
        var newest: [ChainID: Transaction] = [:]
        for transaction in facts.lazy.compactMap(\.transaction) where transaction.appBundleID == bundleID {
            let chain = ChainID(transaction)
            // Prefer the newest-signed transaction with an app transaction id, because this id identifies the Apple
            // Account.
            if let known = newest[chain], known.appTransactionID != nil, known.signedAt >= transaction.signedAt {
                continue
            }
            if transaction.appTransactionID != nil || newest[chain] == nil { newest[chain] = transaction }
        }
        let anchors = newest.values.map {
            CustomerAnchor(environment: $0.environment, id: $0.appTransactionID ?? $0.originalID.rawValue)
        }
        return Array(Set(anchors))
    }
}
