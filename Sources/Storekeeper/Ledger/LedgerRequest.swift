/// A request of the app to change a balance; it is carried out only once, however often it is repeated.
public struct LedgerRequest: Hashable, Sendable {
    /// The idempotency key of a request.
    public typealias Key = ByteIdentifier<LedgerRequest>

    /// The kind of a request.
    public enum Kind: Hashable, Sendable {
        /// Subtracts units from the balance if the balance has enough.
        case spend
        /// Adds units without a purchase; the reason is stored in the account.
        case grant(reason: String)
    }

    /// The owner of the balance.
    public var customer: CustomerID
    /// The kind of the request.
    public var kind: Kind
    /// The name of the balance.
    public var balance: Balance.ID
    /// The number of units; at least 1.
    public var quantity: Int64
    /// The idempotency key, unique per customer: a request with the same key is never carried out twice.
    public var key: Key
    /// The instant of the request, in UTC.
    ///
    /// This property is ignored when two requests with the same key are compared.
    public var at: Instant
    /// The caller that makes the request, such as the name of its API key; stored in the entry.
    ///
    /// This property is ignored when two requests with the same key are compared.
    public var recordedBy: String?
    /// Whether the same request is refused again for at least seven days if it is refused once.
    ///
    /// Requests that can arrive twice need this: a node that was stopped with the first one must not carry it out after
    /// the caller has learned of the refusal of the second one.
    public var remembersRefusal = true

    /// Returns a request to spend units.
    public static func spend(
        _ quantity: Int64, of balance: Balance.ID, by customer: CustomerID, key: Key, at instant: Instant,
        recordedBy: String? = nil
    ) -> LedgerRequest {
        LedgerRequest(
            customer: customer, kind: .spend, balance: balance, quantity: quantity, key: key, at: instant,
            recordedBy: recordedBy)
    }

    /// Returns a request to grant units.
    public static func grant(
        _ quantity: Int64, of balance: Balance.ID, to customer: CustomerID, because reason: String, key: Key,
        at instant: Instant, recordedBy: String? = nil
    ) -> LedgerRequest {
        LedgerRequest(
            customer: customer, kind: .grant(reason: reason), balance: balance, quantity: quantity, key: key,
            at: instant, recordedBy: recordedBy)
    }
}

/// The result of a request that was carried out.
public struct LedgerReceipt: Hashable, Sendable {
    /// The entry that the request made.
    public let entry: LedgerEntry
    /// Whether the request had been carried out before; the receipt then repeats the entry of the first call.
    public let isReplay: Bool

    /// Creates a receipt.
    package init(entry: LedgerEntry, isReplay: Bool) {
        self.entry = entry
        self.isReplay = isReplay
    }

    /// The owner of the account.
    public var customer: CustomerID { entry.customer }
    /// The amount of the balance right after the request was first carried out.
    public var balance: Int64 { entry.after }
    /// An identifier of the entry in the customer's account; it is the same when the request is repeated, and in every
    /// vault.
    public var receipt: String { "\(entry.kind.rawValue)-\(entry.number)" }
}

/// The reason for refusing a request; a refused request changes nothing, and is not carried out later.
public enum LedgerRefusal: Error, Hashable, Sendable {
    /// The balance is too small, or was too small when the same request was made before; the associated value is its
    /// amount.
    case insufficient(balance: Int64)
    /// A balance of the customer is below zero and the policy is ``RefundPolicy/freeze``; the associated value names
    /// the first such balance.
    case frozen(balance: Balance.ID)
    /// The idempotency key was used for another request, or before the customer was erased.
    case keyReused
    /// The revocation names a key with which no access was granted.
    case unknownGrant
}

extension LedgerRequest {
    /// Throws if the request is invalid regardless of the account's content.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func check() throws(VaultError) {
        guard quantity >= 1 else {
            throw VaultError(.invalidRequest, "a quantity must be at least 1, not \(quantity)")
        }
        try key.check()
        guard !balance.rawValue.isEmpty else { throw VaultError(.invalidRequest, "the name of the balance is empty") }
    }

    /// Throws if a text is too long to be stored.
    ///
    /// Only new requests are checked, so that a request that was carried out before is still replayed.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func checkLengths() throws(VaultError) {
        try LengthLimit.id.check(customer.rawValue, "the customer's id")
        try LengthLimit.id.check(key.rawValue, "the key")
        try LengthLimit.id.check(balance.rawValue, "the name of the balance")
        try LengthLimit.id.check(recordedBy ?? "", "the name of the caller")
        try LengthLimit.reason.check(reason ?? "", "the reason")
    }
}

extension LedgerRequest.Key {
    /// Throws if the key is empty.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    func check() throws(VaultError) {
        guard !rawValue.isEmpty else {
            throw VaultError(.invalidRequest, "the key is empty; give each request a unique key")
        }
    }
}
