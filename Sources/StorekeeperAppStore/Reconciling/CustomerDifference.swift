public import Storekeeper

/// In what a vault and the App Store differ about one customer.
public struct CustomerDifference: Sendable {
    /// An answer that is another one now.
    public struct AnswerChange: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// The answer before, such as `lapsed`.
        public let before: String
        /// The answer now.
        public let after: String
    }

    /// About whom.
    public let customer: CustomerID
    /// Transactions that the vault did not have, in order of purchase.
    public internal(set) var missing: [TransactionKey] = []
    /// Transactions of which the App Store says something else by now, such as that they were refunded.
    public internal(set) var changed: [TransactionKey] = []
    /// Subscriptions of whose renewal the App Store says something else, by their first transaction.
    public internal(set) var renewals: [Transaction.ID] = []
    /// Transactions that the vault has and the App Store does not know: nothing is done about them.
    public internal(set) var unknown: [TransactionKey] = []
    /// Transactions of the same Apple Account that are nobody's: whoever shows them to the app can claim them.
    public internal(set) var unclaimed: [TransactionKey] = []
    /// Why signed texts of the App Store were not believed.
    public internal(set) var failures: [VerificationError] = []
    /// Why the App Store did not answer about the customer.
    public internal(set) var refusal: AppStoreServerError?
    /// The answers that are others now that the vault was mended.
    public internal(set) var answers: [AnswerChange] = []
    /// By how much balances have moved with it, in units, by name.
    public internal(set) var balances: [Balance.ID: Int64] = [:]
    /// Whether the vault was mended.
    public internal(set) var isMended = false

    init(of customer: CustomerID) { self.customer = customer }

    /// Whether they differ in anything.
    public var isEmpty: Bool { !isMendable && !needsAttention && unclaimed.isEmpty }

    /// Whether there is something that the vault can take in.
    public var isMendable: Bool { !missing.isEmpty || !changed.isEmpty || !renewals.isEmpty }

    /// Whether there is something that taking in does not mend.
    public var needsAttention: Bool { !unknown.isEmpty || !failures.isEmpty || refusal != nil }
}
