public import Storekeeper

/// The difference between a vault and the App Store about one customer.
public struct CustomerDifference: Sendable {
    /// A changed answer.
    public struct AnswerChange: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// The answer before the update, such as `lapsed`.
        public let before: String
        /// The answer after the update.
        public let after: String
    }

    /// The customer.
    public let customer: CustomerID
    /// Transactions that the vault did not have, in order of purchase.
    public internal(set) var missing: [TransactionKey] = []
    /// Transactions that the App Store has changed, such as by a refund.
    public internal(set) var changed: [TransactionKey] = []
    /// The original transaction ids of subscriptions whose renewal info has changed at the App Store.
    public internal(set) var renewals: [Transaction.ID] = []
    /// Transactions in the vault that the App Store did not return; they remain in the vault.
    public internal(set) var unknown: [TransactionKey] = []
    /// Unowned transactions of the same Apple Account; a customer can claim them by presenting their evidence.
    public internal(set) var unclaimed: [TransactionKey] = []
    /// Verification errors of the App Store's signed texts.
    public internal(set) var failures: [VerificationError] = []
    /// The error with which the App Store refused to answer about the customer.
    public internal(set) var refusal: AppStoreServerError?
    /// The answers that changed when the vault was updated.
    public internal(set) var answers: [AnswerChange] = []
    /// The changes of balances that the update has caused, in units.
    public internal(set) var balances: [Balance.ID: Int64] = [:]
    /// Whether the vault was updated.
    public internal(set) var isRepaired = false

    init(of customer: CustomerID) { self.customer = customer }

    /// Whether the vault and the App Store have the same evidence of the customer.
    public var isEmpty: Bool { !isRepairable && !needsAttention && unclaimed.isEmpty }

    /// Whether there is a difference that storing evidence resolves.
    public var isRepairable: Bool { !missing.isEmpty || !changed.isEmpty || !renewals.isEmpty }

    /// Whether there is a difference that storing evidence does not resolve.
    public var needsAttention: Bool { !unknown.isEmpty || !failures.isEmpty || refusal != nil }
}
