/// The identity of a fact as the key of a large map: as large as a reference, without further reference counts.
///
/// Two keys are equal if their ``TransactionKey``s are.
enum FactKey: Hashable, Sendable {
    case of(Transaction)
    case named(Name)

    /// A key without its transaction.
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

    /// Returns whether all parts are equal, byte for byte.
    static func == (left: FactKey, right: FactKey) -> Bool {
        left.id == right.id && left.environment == right.environment
            && left.bundleID.hasSameBytes(as: right.bundleID)
    }

    /// Hashes the transaction's id, which alone distinguishes nearly all transactions.
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
