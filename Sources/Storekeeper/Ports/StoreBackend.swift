/// A source of evidence: the App Store, a simulator, files.
///
/// A backend is only transport: it delivers signed texts, none of which is trusted until the verifier has checked it.
/// `BackendConformance` in `StorekeeperTesting` checks an implementation.
public protocol StoreBackend: Sendable {
    /// A name that stays the same from start to start; cursors are stored under it.
    var name: String { get }

    /// Returns one page of all evidence that the App Store has signed for a customer.
    ///
    /// - Parameters:
    ///   - customer: The customer whose history is requested.
    ///   - cursor: The end of the previous page; `nil` for the first page.
    /// - Throws: Any error; the store tries again later. Neither an error nor an empty page takes anything away from
    ///   the customer.
    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage

    /// Returns the status of each of a customer's subscriptions: its newest transaction and renewal info.
    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus]

    /// Returns a stream of new evidence, which begins with the evidence since a cursor if one is given.
    ///
    /// The stream never throws: an error is an item like any other, after which the stream continues. It may end, for
    /// instance because a connection was lost; the store then requests another stream with its last cursor. An item may
    /// arrive twice, late or out of order.
    ///
    /// - Parameter cursor: The cursor of the last item that was processed; `nil` begins now, with the transactions that
    ///   are not finished yet.
    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable

    /// Notifies the App Store that the content of a transaction was delivered.
    ///
    /// Idempotent.
    ///
    /// - Parameter grant: The proof that the transaction was stored durably; only a store makes one.
    /// - Throws: Any error; the store tries again later.
    func finish(_ grant: DurableGrant) async throws
}

/// The proof that a transaction is in the vault and that the app has delivered its content.
///
/// Only a ``Store`` makes one, after both, so that no transaction is finished earlier.
public struct DurableGrant: Hashable, Sendable {
    /// The transaction.
    public let key: TransactionKey
    /// The customer who owns the transaction.
    public let customer: CustomerID

    /// The transaction's id.
    package var transactionID: Transaction.ID { key.transactionID }

    package init(_ item: OutboxItem) {
        key = item.key
        customer = item.customer
    }
}

/// The error of a backend if the App Store can never accept that a transaction is finished, for instance because it
/// does not know the transaction.
///
/// The store then does not try again.
package struct FinishRefusal: Error, Sendable {
    /// The error that the App Store returned.
    package let reason: any Error
    /// Creates a refusal.
    package init(_ reason: any Error) { self.reason = reason }
}

/// The position at which reading a history can continue, as the backend encodes it.
public struct HistoryCursor: RawRepresentable, Hashable, Sendable {
    /// A text that only the backend understands.
    public let rawValue: String
    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The position at which reading a stream can continue, as the backend encodes it.
public struct UpdateCursor: RawRepresentable, Hashable, Sendable {
    /// The name of the backend that the cursor belongs to.
    package typealias Backend = ByteIdentifier<UpdateCursor>

    /// A text that only the backend understands.
    public let rawValue: String
    /// Creates a cursor from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One page of a history.
public struct EvidencePage: Sendable {
    /// Transactions and renewal infos as compact JWS, in any order.
    public var items: [String]
    /// The start of the next page; `nil` on the last page.
    public var next: HistoryCursor?

    /// Creates a page.
    public init(items: [String], next: HistoryCursor? = nil) {
        self.items = items
        self.next = next
    }
}

/// The evidence that the App Store has signed about one subscription.
public struct SignedStatus: Hashable, Sendable {
    /// The newest transaction, as compact JWS.
    public var transaction: String
    /// The renewal info, as compact JWS.
    public var renewalInfo: String?

    /// Creates a status.
    public init(transaction: String, renewalInfo: String? = nil) {
        self.transaction = transaction
        self.renewalInfo = renewalInfo
    }
}

/// One item of a backend's stream.
public struct TransactionUpdate: Sendable {
    /// The content of an item.
    public enum Content: Sendable {
        /// Transactions, renewal infos and notifications as compact JWS.
        case evidence([String])
        /// The backend could not reach the App Store or not read its response. Known evidence is kept.
        case failure(any Error)
        /// A purchase that waited for approval was declined.
        ///
        /// StoreKit never reports this; a simulator or a support tool may.
        case declined(Product.ID)
    }

    /// The content of the item.
    public var content: Content
    /// The customer, if the backend knows; otherwise the owner follows from the token or chain of the evidence.
    public var customer: CustomerID?
    /// The position after the item; `nil` if the backend has no cursors.
    public var cursor: UpdateCursor?

    /// Creates an item.
    public init(_ content: Content, customer: CustomerID? = nil, cursor: UpdateCursor? = nil) {
        self.content = content
        self.customer = customer
        self.cursor = cursor
    }
}
