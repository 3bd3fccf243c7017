/// A transaction on its way from the vault to the app and back to the App Store.
public struct OutboxItem: Hashable, Sendable {
    /// How far it has come.
    public enum State: String, Hashable, Sendable {
        /// It is written down; the app has yet to hand out the goods.
        case owed
        /// The app has handed out the goods; the App Store has yet to be told.
        case delivered
    }

    /// The transaction.
    public let key: TransactionKey
    /// Whose it is.
    package let customer: CustomerID
    /// How far it has come.
    public var state: State

    /// Makes an item.
    package init(key: TransactionKey, customer: CustomerID, state: State) {
        self.key = key
        self.customer = customer
        self.state = state
    }
}
