/// The identity of a fact, in a compact form for the keys of large maps.
///
/// A key is as large as one reference, and copying a key changes only one reference count.
///
/// Two keys are equal if their ``TransactionKey``s are equal.
enum FactKey: Hashable, Sendable {
    case of(Transaction)
    case named(Name)

    /// The identity of a transaction, for a key that was not created from the transaction itself.
    final class Name: Sendable {
        let key: TransactionKey

        init(_ key: TransactionKey) { self.key = key }
    }

    init(_ fact: TransactionFact) { self = .of(fact.transaction) }
    init(_ key: TransactionKey) { self = .named(Name(key)) }

    private var id: Transaction.ID {
        switch self {
        case .of(let transaction): transaction.id
        case .named(let name): name.key.transactionID
        }
    }

    private var environment: AppStore.Environment {
        switch self {
        case .of(let transaction): transaction.environment
        case .named(let name): name.key.environment
        }
    }

    private var bundleID: String {
        switch self {
        case .of(let transaction): transaction.appBundleID
        case .named(let name): name.key.bundleID
        }
    }

    /// Returns whether all ids are equal; bundle ids are compared byte by byte.
    static func == (left: FactKey, right: FactKey) -> Bool {
        left.id == right.id && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the transaction's id, which alone distinguishes nearly all transactions.
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
