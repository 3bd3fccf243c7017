/// One line of a customer's account: a change of a balance or of access, with its cause.
///
/// Entries are never changed or removed. The sum of all changes of a balance is its amount.
public struct LedgerEntry: Hashable, Sendable {
    /// The kind of an entry.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A purchase adds to a balance.
        case credit
        /// The app spends units, for example for content that it delivers.
        case spend
        /// A refund takes back units that a purchase added.
        case clawBack
        /// Units that a refund took are restored, because the refund was reversed or became smaller.
        case restore
        /// The app adds to a balance without a purchase, for example as a gift or a compensation.
        case grant
        /// Access to a product or feature is granted without a purchase; no balance changes.
        case grantAccess
        /// Access that was granted is revoked; no balance changes.
        case revokeAccess
        /// A chain or token moves from one customer to another; both accounts have this entry, and no balance changes.
        case transfer

        /// Whether entries of this kind change a balance.
        public var movesBalance: Bool {
            switch self {
            case .credit, .spend, .clawBack, .restore, .grant: true
            case .grantAccess, .revokeAccess, .transfer: false
            }
        }
    }

    /// The cause of an entry.
    public enum Cause: Hashable, Sendable {
        /// A transaction.
        ///
        /// `target` is the sum that all entries of the transaction on this balance should have after this entry, in
        /// units of the balance. With ``RefundPolicy/floorAtZero``, the actual sum may be greater, because a refund
        /// takes back only units that the balance has left. A target of -1 means that the transaction no longer changes
        /// this balance, because `storekeeper vault recredit` has moved its credit to other balances.
        case transaction(TransactionKey, productID: Product.ID, target: Int64)
        /// A request of the app, with its idempotency key and, for grants, its reason.
        case request(key: LedgerRequest.Key, reason: String?)
        /// A request to grant access to a product or feature until an instant in UTC.
        case access(AccessGrant.Subject, until: Instant, key: LedgerRequest.Key, reason: String)
        /// A request to revoke the access that the request with the given key has granted.
        case revocation(key: LedgerRequest.Key, reason: String)
        /// A request to move a chain or token from one customer to another.
        case transfer(BindingSubject, from: CustomerID, to: CustomerID, reason: String)
    }

    /// The position of the entry in the vault's feed.
    public package(set) var place: FeedPlace
    /// The number of the entry in the customer's account, from 1 and without gaps.
    ///
    /// The number stays the same when the account is copied to another vault.
    public let number: Int64
    /// The owner of the account.
    public let customer: CustomerID
    /// The instant at which the entry was made, in UTC.
    public let at: Instant
    /// The kind of the entry.
    public let kind: Kind
    /// The balance that changed; an empty name if no balance changed.
    public let balance: Balance.ID
    /// The change in units of the balance; negative for spends and claw-backs.
    public let change: Int64
    /// The amount of the balance after the entry.
    public let after: Int64
    /// The cause of the entry.
    public let cause: Cause
    /// The caller that made the request, such as the name of its API key; `nil` for a purchase, and for a request that
    /// names no caller.
    public let recordedBy: String?

    /// Creates an entry.
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

extension LedgerEntry {
    /// Creates the entry of a draft.
    package init(_ draft: LedgerDraft, place: FeedPlace, number: Int64) {
        self.init(
            place: place, number: number, customer: draft.customer, at: draft.at, kind: draft.kind,
            balance: draft.balance, change: draft.change, after: draft.after, cause: draft.cause,
            recordedBy: draft.recordedBy)
    }

    /// Returns the entry at another position in the feed.
    package func placed(at place: FeedPlace) -> LedgerEntry {
        var entry = self
        entry.place = place
        return entry
    }
}

extension LedgerEntry: RowKind {
    package static let table = TableShape(
        "ledger", number: 0,
        [
            .place, .owner, .int("number"), .int("at"), .int("kind"), .text("balance"), .int("change"), .int("after"),
            .text("bundle").optional, .text("environment").optional, .text("transaction_id").optional,
            .text("product").optional, .text("feature").optional, .int("target").optional, .text("key").optional,
            .text("revoked_key").optional, .text("reason").optional, .text("recorded_by").optional,
        ],
        key: ["sequence"],
        indices: [
            .by("customer"), .by("transaction_id", "environment", "bundle", named: "transaction"),
            .by("customer", "key", named: "key", isUnique: true),
            .by("customer", named: "access", least: ("kind", Kind.grantAccess.code)),
        ],
        erasure: .emptied, isLinked: true)

    package static let ofCustomer = TableIndex<LedgerEntry, CustomerID>("customer")
    package static let byTransaction = TableIndex<LedgerEntry, String, String, String>("transaction")
    package static let byRequest = TableIndex<LedgerEntry, CustomerID, String>("key")
    /// The entries that grant or revoke access or record a transfer.
    package static let aboutAccess = TableIndex<LedgerEntry, CustomerID>("access")

    /// The position of the column that counts the entries of an account.
    package static let numberColumn = 2

    package func write(to row: RowBuffer) {
        row.place(place)
        row.owner(customer)
        row.int(number)
        row.instant(at)
        row.int(kind.code)
        row.text(balance.rawValue)
        row.int(change)
        row.int(after)
        cause.write(to: row)
        row.text(recordedBy)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        let (place, customer, number, at, code) = (row.place(), row.owner(), row.int(), row.instant(), row.int())
        guard let kind = Kind.allCases.first(where: { $0.code == code }) else {
            throw VaultError(.corrupt, "entry \(place.number) of the unknown kind \(code)")
        }
        let (balance, change, after) = (Balance.ID(row.text()), row.int(), row.int())
        guard let cause = Cause(from: &row) else { throw VaultError(.corrupt, "entry \(place.number) without a cause") }
        self.init(
            place: place, number: number, customer: customer, at: at, kind: kind, balance: balance, change: change,
            after: after, cause: cause, recordedBy: row.optionalText())
    }
}

/// An entry to be appended, which does not have a number in the account and a place in the feed yet.
package struct LedgerDraft: Hashable, Sendable {
    /// The owner of the account.
    package let customer: CustomerID
    /// The instant of the entry, in UTC.
    package let at: Instant
    /// The kind of the entry.
    package let kind: LedgerEntry.Kind
    /// The balance that changes.
    package let balance: Balance.ID
    /// The change, in units of the balance.
    package let change: Int64
    /// The balance after the entry.
    package let after: Int64
    /// The cause of the entry.
    package let cause: LedgerEntry.Cause
    /// The caller that made the request.
    package let recordedBy: String?

    /// Creates a draft.
    package init(
        customer: CustomerID, at instant: Instant, kind: LedgerEntry.Kind, balance: Balance.ID, change: Int64,
        after: Int64, cause: LedgerEntry.Cause, recordedBy: String? = nil
    ) {
        self.customer = customer
        at = instant
        self.kind = kind
        self.balance = balance
        self.change = change
        self.after = after
        self.cause = cause
        self.recordedBy = recordedBy
    }

    /// Creates the draft of a copy of an entry.
    package init(_ entry: LedgerEntry, of customer: CustomerID, after: Int64) {
        self.init(
            customer: customer, at: entry.at, kind: entry.kind, balance: entry.balance, change: entry.change,
            after: after, cause: entry.cause, recordedBy: entry.recordedBy)
    }
}

/// The last entry of a customer's account, by its number and its place in the vault's feed.
package struct AccountEnd: Hashable, Sendable {
    /// The value for an account without entries.
    package static let none = AccountEnd(number: 0, place: .start)

    /// The number of the last entry; 0 if the account has no entries.
    package let number: Int64
    /// The position of the last entry in the vault's feed.
    ///
    /// If a customer is erased and a new account begins, numbers start again at 1, but places are never reused.
    package let place: FeedPlace

    /// Creates the end of an account.
    package init(number: Int64, place: FeedPlace) {
        self.number = number
        self.place = place
    }

    /// Creates the end of an account from its last entry.
    package init(_ entry: LedgerEntry) { self.init(number: entry.number, place: entry.place) }
}
