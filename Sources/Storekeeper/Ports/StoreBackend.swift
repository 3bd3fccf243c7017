/// Where evidence comes from: the App Store, a simulator, files.
///
/// A backend is transport and nothing else: it hands over signed texts, and nothing it says is believed before the
/// verifier has seen it. `BackendConformance` in `StorekeeperTesting` checks an implementation.
public protocol StoreBackend: Sendable {
    /// A name that stays the same from start to start; cursors are kept under it.
    var name: String { get }

    /// One page of all that the App Store has signed for a customer.
    ///
    /// - Parameters:
    ///   - customer: Whose history.
    ///   - cursor: Where the page before ended; `nil` for the first page.
    /// - Throws: Whatever is in the way; the store tries again later. An error takes nothing away from the customer,
    ///   and neither does an empty page.
    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage

    /// The status of each of a customer's subscriptions: its newest transaction and renewal info.
    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus]

    /// What happens from now on, and, after a cursor, what has happened since.
    ///
    /// Never throws: an error is an item like any other, after which the stream goes on. It may end, for instance
    /// because a connection was lost; the store then asks for another with its last cursor. An item may come
    /// twice, late, or out of order.
    ///
    /// - Parameter cursor: The cursor of the last item that was dealt with; `nil` begins now, with what nobody has
    ///   finished yet.
    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable

    /// Tells the App Store that the goods of a transaction were handed out.
    ///
    /// Doing it twice does no harm.
    ///
    /// - Parameter grant: Which transaction, with the proof that it was written down durably; only a store has one.
    /// - Throws: Whatever is in the way; the store tries again later.
    func finish(_ grant: DurableGrant) async throws
}

/// The proof that a transaction is in the vault and that the app has handed out its goods.
///
/// Only a ``Store`` makes one, after both, so that nothing can be finished before.
public struct DurableGrant: Hashable, Sendable {
    /// The transaction.
    public let key: TransactionKey
    /// Whose it is.
    public let customer: CustomerID

    /// The transaction's id.
    package var transactionID: Transaction.ID { key.transactionID }

    package init(_ item: OutboxItem) {
        key = item.key
        customer = item.customer
    }
}

/// What a backend throws where the App Store can never be told that a transaction is finished, because it knows no such
/// transaction, for instance; then it is not told again.
package struct FinishRefusal: Error, Sendable {
    /// What the App Store said.
    package let reason: any Error
    /// Makes a refusal.
    package init(_ reason: any Error) { self.reason = reason }
}

/// Where reading a history can go on, in the words of the backend.
public struct HistoryCursor: RawRepresentable, Hashable, Sendable {
    /// A text that only the backend understands.
    public let rawValue: String
    /// Makes a cursor of its text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Where reading a stream can go on, in the words of the backend.
public struct UpdateCursor: RawRepresentable, Hashable, Sendable {
    /// The name of the backend whose stream it is.
    package typealias Backend = ByteIdentifier<UpdateCursor>

    /// A text that only the backend understands.
    public let rawValue: String
    /// Makes a cursor of its text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One page of a history.
public struct EvidencePage: Sendable {
    /// Compact JWS: transactions, renewal infos, in any order.
    public var items: [String]
    /// Where the next page begins; `nil` on the last.
    public var next: HistoryCursor?

    /// Makes a page.
    public init(items: [String], next: HistoryCursor? = nil) {
        self.items = items
        self.next = next
    }
}

/// What the App Store has signed about one subscription.
public struct SignedStatus: Hashable, Sendable {
    /// The newest transaction, as compact JWS.
    public var transaction: String
    /// The renewal info, as compact JWS.
    public var renewalInfo: String?

    /// Makes a status.
    public init(transaction: String, renewalInfo: String? = nil) {
        self.transaction = transaction
        self.renewalInfo = renewalInfo
    }
}

/// One item of a backend's stream.
public struct TransactionUpdate: Sendable {
    /// What an item carries.
    public enum Content: Sendable {
        /// Compact JWS, each a transaction, a renewal info or a notification.
        case evidence([String])
        /// The backend could not reach the App Store, or not read what came. What is known stays.
        case failure(any Error)
        /// A purchase that waited for approval was declined.
        ///
        /// StoreKit never says so; a simulator or a support tool may.
        case declined(Product.ID)
    }

    /// What it carries.
    public var content: Content
    /// Whom it is about, where the backend knows; otherwise the evidence decides by its token or chain.
    public var customer: CustomerID?
    /// Where to go on after it; `nil` where the backend keeps no place.
    public var cursor: UpdateCursor?

    /// Makes an item.
    public init(_ content: Content, customer: CustomerID? = nil, cursor: UpdateCursor? = nil) {
        self.content = content
        self.customer = customer
        self.cursor = cursor
    }
}
