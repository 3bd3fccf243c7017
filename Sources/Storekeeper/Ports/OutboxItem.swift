/// A transaction whose content is not delivered yet, or whose delivery is not reported to the App Store yet.
public struct OutboxItem: Hashable, Sendable {
    /// The progress of the delivery.
    public enum State: String, Hashable, Sendable {
        /// The transaction is in the vault; the app has yet to deliver the content.
        case owed
        /// The app has delivered the content; the App Store has yet to be notified.
        case delivered
    }

    /// The transaction.
    public let key: TransactionKey
    /// The customer who owns the transaction.
    package let customer: CustomerID
    /// The progress of the delivery.
    public var state: State

    /// Creates an item.
    package init(key: TransactionKey, customer: CustomerID, state: State) {
        self.key = key
        self.customer = customer
        self.state = state
    }
}
