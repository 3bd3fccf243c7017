/// One line of a customer's account: what moved a balance, by how much, and why.
///
/// Entries are only ever added. The sum of all changes of a balance is the balance.
public struct LedgerEntry: Hashable, Sendable {
    /// What an entry does.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A purchase adds to a balance.
        case credit
        /// The app takes from a balance for goods it hands out.
        case spend
        /// A refund takes back what a purchase added.
        case clawBack
        /// A refund was reversed, or became smaller: what it took comes back.
        case restore
        /// The app adds to a balance without a purchase: a gift, a compensation.
        case grant
    }

    /// Why an entry was made.
    public enum Cause: Hashable, Sendable {
        /// A transaction.
        ///
        /// `target` is what all entries of the transaction on this balance should have come to when this one was made,
        /// in units of the balance; under ``RefundPolicy/floorAtZero`` the entries may come to more.
        case transaction(TransactionKey, productID: Product.ID, target: Int64)
        /// A request of the app, with its idempotency key and, for grants, its reason.
        case request(key: String, reason: String?)
    }

    /// Where it stands in the vault, counting upwards from 1; gaps say nothing.
    public let sequence: Int64
    /// Whose it is.
    public let customer: CustomerID
    /// When it was made, in UTC.
    public let at: Instant
    /// What it does.
    public let kind: Kind
    /// The balance it moves.
    public let balance: String
    /// By how much, in units of the balance; negative for spends and claw-backs.
    public let change: Int64
    /// The balance afterwards.
    public let after: Int64
    /// Why it was made.
    public let cause: Cause

    /// Makes an entry.
    public init(
        sequence: Int64, customer: CustomerID, at: Instant, kind: Kind, balance: String, change: Int64, after: Int64,
        cause: Cause
    ) {
        self.sequence = sequence
        self.customer = customer
        self.at = at
        self.kind = kind
        self.balance = balance
        self.change = change
        self.after = after
        self.cause = cause
    }
}
