/// A source of evidence, such as the App Store, a simulator or files.
///
/// A backend is only a transport. It delivers signed texts, and a text is trusted only after the verifier has checked
/// it. `BackendConformance` in `StorekeeperTesting` checks an implementation.
public protocol StoreBackend: Sendable {
    /// The name under which the vault stores the backend's cursors; it must not change between starts.
    var name: String { get }

    /// Returns one page of all evidence that the App Store has signed for a customer.
    ///
    /// - Parameters:
    ///   - customer: The customer whose history is requested.
    ///   - cursor: The end of the previous page; `nil` for the first page.
    /// - Throws: Any error; the store tries again later. Neither an error nor an empty page ends any access of the
    ///   customer.
    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage

    /// Returns the status of each of a customer's subscriptions: the subscription's newest transaction and renewal
    /// info.
    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus]

    /// Returns a stream of new evidence; with a cursor, it begins with the evidence after the cursor.
    ///
    /// The stream never throws: an error is an item like any other, after which the stream continues. The stream may
    /// end, for example because a connection was lost. The store then requests another stream, with the last cursor
    /// that it has stored. An item may arrive twice, with a delay or out of order.
    ///
    /// - Parameter cursor: The cursor of the last item that was processed; with `nil`, the stream begins with the
    ///   transactions that are not finished yet.
    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable

    /// Reports to the App Store that the content of a transaction was delivered.
    ///
    /// The store may repeat the call, so it must be idempotent.
    ///
    /// - Parameter grant: The proof that the transaction was stored durably, which only a store can create.
    /// - Throws: Any error; the store tries again later.
    func finish(_ grant: DurableGrant) async throws
}

/// The proof that a transaction is in the vault and that the app has delivered its content.
///
/// Only a ``Store`` creates a grant, after it has stored the transaction and the content was delivered. No transaction
/// can therefore be finished before its content is delivered.
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

/// The error that a backend throws if the App Store will never accept the finish of a transaction, for example because
/// the App Store does not have the transaction.
///
/// After this error, the store does not try again.
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
        /// Transactions, renewal infos, app transactions and notifications as compact JWS.
        case evidence([String])
        /// The backend could not reach the App Store, or could not read its response; known evidence still counts.
        case failure(any Error)
        /// A purchase that waited for approval was declined.
        ///
        /// StoreKit never reports a declined purchase, but a simulator or a support tool can.
        case declined(Product.ID)
    }

    /// The content of the item.
    public var content: Content
    /// The customer; with `nil`, the store determines the owner from the chain or token of the evidence.
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
