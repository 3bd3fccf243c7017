import Foundation
import Storekeeper

/// An id, a key or the name of something: what its bytes are, also in the file.
///
/// As keys of a dictionary that is written as JSON, texts that only look alike would become one.
struct Name: Codable, Hashable, Comparable {
    private let bytes: ByteText

    init(_ text: String) { bytes = ByteText(text) }
    init(_ customer: CustomerID) { self.init(customer.rawValue) }
    init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    var text: String { bytes.text }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    static func < (left: Name, right: Name) -> Bool { left.bytes < right.bytes }
}

/// A chain or token and whose it is.
struct BindingRow: Codable {
    var sequence: Int64
    var subject: SubjectRow
    var customer: Name
    var at: Int64
}

/// A chain or token.
enum SubjectRow: Codable, Hashable {
    case chain(bundleID: Name, environment: Name, originalID: Name)
    case token(UUID)

    init(_ subject: BindingSubject) {
        switch subject {
        case .chain(let id): self = .init(id)
        case .token(let token): self = .token(token)
        }
    }

    init(_ id: ChainID) {
        self = .chain(
            bundleID: Name(id.bundleID), environment: Name(id.environment.rawValue),
            originalID: Name(id.originalID.rawValue))
    }

    var subject: BindingSubject {
        switch self {
        case .chain(let bundleID, let environment, let originalID):
            .chain(
                ChainID(
                    bundleID: bundleID.text, environment: AppStore.Environment(rawValue: environment.text),
                    originalID: Transaction.ID(rawValue: originalID.text)))
        case .token(let token): .token(token)
        }
    }
}

/// A transaction's key.
struct KeyRow: Codable, Hashable {
    var bundleID: Name
    var environment: Name
    var id: Name

    init(_ key: TransactionKey) {
        (bundleID, environment) = (Name(key.bundleID), Name(key.environment.rawValue))
        id = Name(key.transactionID.rawValue)
    }

    var key: TransactionKey {
        TransactionKey(
            bundleID: bundleID.text, environment: AppStore.Environment(rawValue: environment.text),
            transactionID: Transaction.ID(rawValue: id.text))
    }
}

/// A signed fact, in full or put aside.
struct FactRow: Codable {
    var sequence: Int64
    var at: Int64
    var jws: String
    /// Why it was put aside; `nil` for a fact that counts.
    var reason: String?

    func fact() throws(VaultError) -> VerifiedFact {
        guard let jws = CompactJWS(jws) else { throw VaultError(.corrupt, "a stored fact is no compact JWS") }
        return try VerifiedFact(restoring: jws)
    }
}

/// A customer.
struct CustomerNote: Codable {
    var version: Int64
    var evaluatedThrough: Int64?
    var syncedAt: Int64?
    var wakeAt: Int64?
}

/// An entry of an account.
struct EntryRow: Codable {
    var sequence: Int64
    var customer: Name
    var at: Int64
    var kind: String
    var balance: Name
    var change: Int64
    var after: Int64
    var transaction: KeyRow?
    var productID: String?
    var target: Int64?
    var key: Name?
    var reason: String?

    func entry() throws(VaultError) -> LedgerEntry {
        guard let kind = LedgerEntry.Kind(rawValue: kind) else {
            throw VaultError(.corrupt, "an entry is of an unknown kind")
        }
        let cause: LedgerEntry.Cause =
            if let transaction {
                .transaction(transaction.key, productID: productID ?? "", target: target ?? 0)
            } else {
                .request(key: key?.text ?? "", reason: reason)
            }
        return LedgerEntry(
            sequence: sequence, customer: CustomerID(rawValue: customer.text), at: Instant(clamped: at), kind: kind,
            balance: balance.text, change: change, after: after, cause: cause)
    }
}

/// A balance.
struct BalanceRow: Codable {
    var id: Name
    var credited: Int64
    var spent: Int64
    var clawedBack: Int64
    var restored: Int64

    init(_ balance: Balance) {
        id = Name(balance.id)
        (credited, spent) = (balance.credited, balance.spent)
        (clawedBack, restored) = (balance.clawedBack, balance.restored)
    }

    var balance: Balance {
        Balance(id: id.text, credited: credited, spent: spent, clawedBack: clawedBack, restored: restored)
    }
}

/// An event.
struct EventRow: Codable {
    struct Answer: Codable {
        var word: String
        var reason: String
        var productID: String?
        var transactionID: String?
        var until: Int64?

        init(_ answer: StoreEvent.Answer) {
            (word, reason, productID) = (answer.word, answer.reason, answer.productID)
            (transactionID, until) = (answer.transactionID?.rawValue, answer.until?.millisecondsSince1970)
        }

        var answer: StoreEvent.Answer {
            StoreEvent.Answer(
                word: word, reason: reason, productID: productID,
                transactionID: transactionID.map(Transaction.ID.init(rawValue:)),
                until: until.map(Instant.init(clamped:)))
        }
    }

    enum Subject: Codable { case product(String), feature(String), group(String) }

    var sequence: Int64
    var customer: Name
    var at: Int64
    var subject: Subject
    var before: Answer
    var after: Answer

    init(_ change: StoreEvent.Draft, sequence: Int64, customer: CustomerID) {
        self.sequence = sequence
        self.customer = Name(customer)
        at = change.at.millisecondsSince1970
        subject =
            switch change.subject {
            case .product(let id): .product(id)
            case .feature(let id): .feature(id)
            case .group(let id): .group(id)
            }
        (before, after) = (Answer(change.before), Answer(change.after))
    }

    var event: StoreEvent {
        let subject: StoreEvent.Subject =
            switch subject {
            case .product(let id): .product(id)
            case .feature(let id): .feature(id)
            case .group(let id): .group(id)
            }
        return StoreEvent(
            sequence: sequence, customer: CustomerID(rawValue: customer.text),
            change: StoreEvent.Draft(
                at: Instant(clamped: at), subject: subject, before: before.answer, after: after.answer))
    }
}

/// A transaction on its way to the app; `state` is `nil` once it is done with.
struct OutboxRow: Codable {
    var key: KeyRow
    var customer: Name
    var state: String?

    var item: OutboxItem? {
        state.flatMap(OutboxItem.State.init).map {
            OutboxItem(key: key.key, customer: CustomerID(rawValue: customer.text), state: $0)
        }
    }
}

/// A purchase that waits.
struct PendingRow: Codable {
    var productID: String
    var reason: String
    var startedAt: Int64
    var endsAt: Int64

    init(_ pending: PendingPurchase) {
        (productID, reason) = (pending.productID, pending.reason.rawValue)
        startedAt = pending.startedAt.millisecondsSince1970
        endsAt = pending.endsAt.millisecondsSince1970
    }

    var pending: PendingPurchase? {
        EntitlementAnswer.PendingReason(rawValue: reason).map {
            PendingPurchase(
                productID: productID, reason: $0, startedAt: Instant(clamped: startedAt),
                endsAt: Instant(clamped: endsAt))
        }
    }
}

/// The proof of an erasure.
struct ErasureRow: Codable {
    var sequence: Int64
    var customer: Name
    var at: Int64
    var reason: String
    var facts: Int
    var entries: Int

    var erasure: Erasure {
        Erasure(
            sequence: sequence, at: Instant(clamped: at), reason: reason, facts: facts, entries: entries,
            proof: "erasure-\(sequence)-\(facts)-\(entries)")
    }
}
