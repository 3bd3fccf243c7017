public import Storekeeper

/// What the App Store knows a customer by: any of their transactions.
public struct CustomerAnchor: Hashable, Sendable {
    /// Where the transaction was made.
    public let environment: AppStore.Environment
    /// A transaction id, an original transaction id or an app transaction id: up to 64 digits.
    public let id: String

    /// Makes an anchor.
    public init(environment: AppStore.Environment, id: String) {
        self.environment = environment
        self.id = id
    }
}

/// Says what the App Store knows a customer by.
///
/// The App Store has no ids of customers: whoever asks about one names a transaction. A customer who uses several Apple
/// Accounts, or production and the sandbox, has an anchor in each.
public protocol CustomerAnchors: Sendable {
    /// The anchors of a customer, in any order; none for a customer of whom nothing is known.
    func anchors(of customer: CustomerID) async throws -> [CustomerAnchor]
}

/// Finds anchors in the evidence that a vault has of a customer.
///
/// A customer of whom the vault has nothing cannot be asked about: the first transaction comes from the app itself or in a
/// notification.
public struct VaultAnchors: CustomerAnchors {
    private let vault: any Vault
    private let bundleID: String

    /// Makes one.
    ///
    /// - Parameters:
    ///   - vault: Where the evidence is.
    ///   - bundleID: The app; evidence of others names other customers.
    public init(_ vault: any Vault, bundleID: String) {
        self.vault = vault
        self.bundleID = bundleID
    }

    /// One anchor for each Apple Account and environment; where evidence does not tell accounts apart, one for each chain.
    public func anchors(of customer: CustomerID) async throws -> [CustomerAnchor] {
        Self.anchors(in: try await vault.load(customer).facts.map(\.fact), bundleID: bundleID)
    }

    /// The anchors that facts of one customer name.
    static func anchors(in facts: [VerifiedFact], bundleID: String) -> [CustomerAnchor] {
        var newest: [ChainID: Transaction] = [:]
        for transaction in facts.lazy.compactMap(\.transaction) where transaction.appBundleID == bundleID {
            let chain = ChainID(transaction)
            // Of two copies the one that names the account says more.
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
