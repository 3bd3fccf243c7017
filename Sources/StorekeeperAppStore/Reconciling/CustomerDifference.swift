public import Storekeeper

/// The differences between the evidence of one customer in a vault and at the App Store.
public struct CustomerDifference: Sendable {
    /// A changed answer.
    public struct AnswerChange: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// The answer before the vault was updated, such as `lapsed`.
        public let before: String
        /// The answer after the vault was updated.
        public let after: String
    }

    /// The customer.
    public let customer: CustomerID
    /// Transactions that the vault did not have, in order of purchase.
    public internal(set) var missing: [TransactionKey] = []
    /// Transactions in the vault that the App Store has changed since, for example by a refund.
    public internal(set) var changed: [TransactionKey] = []
    /// The original transaction ids of subscriptions whose renewal info at the App Store differs from the vault.
    public internal(set) var renewals: [Transaction.ID] = []
    /// Transactions in the vault that the App Store did not return; they remain in the vault.
    public internal(set) var unknown: [TransactionKey] = []
    /// Transactions of the same Apple Account that no customer owns; a customer can claim them by presenting their
    /// evidence.
    public internal(set) var unclaimed: [TransactionKey] = []
    /// The verification errors of signed texts that the App Store has returned.
    public internal(set) var failures: [VerificationError] = []
    /// The error with which the App Store refused to answer about the customer.
    public internal(set) var refusal: AppStoreServerError?
    /// The answers that changed when the vault was updated.
    public internal(set) var answers: [AnswerChange] = []
    /// The changes of balances by the update of the vault, in units.
    public internal(set) var balances: [Balance.ID: Int64] = [:]
    /// Whether the vault was updated.
    public internal(set) var isRepaired = false

    init(of customer: CustomerID) { self.customer = customer }

    /// Whether the vault and the App Store have the same evidence of the customer.
    public var isEmpty: Bool { !isRepairable && !needsAttention && unclaimed.isEmpty }

    /// Whether storing the App Store's evidence would resolve a difference.
    public var isRepairable: Bool { !missing.isEmpty || !changed.isEmpty || !renewals.isEmpty }

    /// Whether a difference exists that storing evidence would not resolve.
    public var needsAttention: Bool { !unknown.isEmpty || !failures.isEmpty || refusal != nil }
}
