/// A request of the app to move a balance, done once however often it is made.
public struct LedgerRequest: Hashable, Sendable {
    /// The app's name for a request.
    public typealias Key = ByteIdentifier<LedgerRequest>

    /// What is asked for.
    public enum Kind: Hashable, Sendable {
        /// Take from the balance, if enough is there.
        case spend
        /// Add to the balance without a purchase, for a reason that the account will show.
        case grant(reason: String)
    }

    /// Whose balance.
    public var customer: CustomerID
    /// What is asked for.
    public var kind: Kind
    /// The name of the balance.
    public var balance: Balance.ID
    /// How many units; at least 1.
    public var quantity: Int64
    /// The app's name for this request, unique among the customer's: the same key is never carried out twice.
    public var key: Key
    /// When it was made, in UTC.
    ///
    /// Not part of what makes two requests the same.
    public var at: Instant
    /// Who asks, such as the name of the caller's key; the entry records it.
    ///
    /// Not part of what makes two requests the same.
    public var recordedBy: String?

    /// Makes a request to spend.
    public static func spend(
        _ quantity: Int64, of balance: Balance.ID, by customer: CustomerID, key: Key, at instant: Instant,
        recordedBy: String? = nil
    ) -> LedgerRequest {
        LedgerRequest(
            customer: customer, kind: .spend, balance: balance, quantity: quantity, key: key, at: instant,
            recordedBy: recordedBy)
    }

    /// Makes a request to grant.
    public static func grant(
        _ quantity: Int64, of balance: Balance.ID, to customer: CustomerID, because reason: String, key: Key,
        at instant: Instant, recordedBy: String? = nil
    ) -> LedgerRequest {
        LedgerRequest(
            customer: customer, kind: .grant(reason: reason), balance: balance, quantity: quantity, key: key,
            at: instant, recordedBy: recordedBy)
    }
}

/// What a request came to.
public struct LedgerReceipt: Hashable, Sendable {
    /// The entry that carries it out.
    public let entry: LedgerEntry
    /// Whether the request had been carried out before, and this is its first receipt again.
    public let isReplay: Bool

    /// Makes a receipt.
    package init(entry: LedgerEntry, isReplay: Bool) {
        self.entry = entry
        self.isReplay = isReplay
    }

    /// Whose account the entry stands in.
    public var customer: CustomerID { entry.customer }
    /// The balance right after the request was carried out first.
    public var balance: Int64 { entry.after }
    /// A text that names the entry in the customer's account, the same for every replay and in every vault.
    public var receipt: String { "\(entry.kind.rawValue)-\(entry.number)" }
}

/// Why a request was not carried out; nothing has changed.
public enum LedgerRefusal: Error, Hashable, Sendable {
    /// There is not enough; what is there, in units.
    case insufficient(balance: Int64)
    /// A balance of the customer is below zero, and the policy is ``RefundPolicy/freeze``; the first such balance.
    case frozen(balance: Balance.ID)
    /// The key was used for another request, or before the customer was erased.
    case keyReused
}
