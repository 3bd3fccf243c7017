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
        /// in units of the balance; under ``RefundPolicy/floorAtZero`` the entries may come to more. Where it is -1, the
        /// transaction moves this balance no more: `storekeeper vault recredit` has credited others in its place.
        case transaction(TransactionKey, productID: Product.ID, target: Int64)
        /// A request of the app, with its idempotency key and, for grants, its reason.
        case request(key: LedgerRequest.Key, reason: String?)
    }

    /// Where it stands in the vault's feed.
    public let place: FeedPlace
    /// Its number in the customer's account, from 1 and without gaps; the same in every vault that the account is
    /// moved to.
    public let number: Int64
    /// Whose it is.
    public let customer: CustomerID
    /// When it was made, in UTC.
    public let at: Instant
    /// What it does.
    public let kind: Kind
    /// The balance it moves.
    public let balance: Balance.ID
    /// By how much, in units of the balance; negative for spends and claw-backs.
    public let change: Int64
    /// The balance afterwards.
    public let after: Int64
    /// Why it was made.
    public let cause: Cause
    /// Who asked for it, such as the name of the caller's key; `nil` if the request did not say, and for purchases.
    public let recordedBy: String?

    /// Makes an entry.
    package init(
        place: FeedPlace, number: Int64, customer: CustomerID, at: Instant, kind: Kind, balance: Balance.ID,
        change: Int64, after: Int64, cause: Cause, recordedBy: String? = nil
    ) {
        self.place = place
        self.number = number
        self.customer = customer
        self.at = at
        self.kind = kind
        self.balance = balance
        self.change = change
        self.after = after
        self.cause = cause
        self.recordedBy = recordedBy
    }
}

/// Where a customer's account ends.
public struct AccountEnd: Hashable, Sendable {
    /// The end of an account without entries.
    package static let none = AccountEnd(number: 0, place: .start)

    /// The number of the last entry; 0 where there is none.
    package let number: Int64
    /// The place of the last entry.
    ///
    /// Where a customer was erased, and their account began anew, numbers come again and places do not.
    package let place: FeedPlace

    /// Makes an end.
    package init(number: Int64, place: FeedPlace) {
        self.number = number
        self.place = place
    }

    /// Makes the end of an account whose last entry is known.
    package init(_ entry: LedgerEntry) { self.init(number: entry.number, place: entry.place) }
}
