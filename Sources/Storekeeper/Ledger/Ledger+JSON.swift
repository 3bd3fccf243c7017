import FoundationEssentials

extension Balance: JSONDescribed, CustomStringConvertible {
    /// The balance as `storekeeper entitlements` prints it.
    package var json: JSONText { totals.json }

    /// The totals, as a part of all answers about a customer.
    package var totals: BalanceTotals {
        BalanceTotals(
            id: id.rawValue, credited: credited, spent: spent, clawedBack: clawedBack, restored: restored,
            balance: amount)
    }

    /// The amount and the name, such as `80 coins`.
    public var description: String { "\(amount) \(id)" }
}

extension LedgerEntry: JSONDescribed, CustomStringConvertible {
    /// The entry as `storekeeper vault history` prints it.
    package var json: JSONText {
        var members: [String: JSONText] = [
            "sequence": .integer(place.number), "at": .time(at), "kind": .string(kind.rawValue),
            "recordedBy": .text(recordedBy),
        ]
        if kind.movesBalance {
            members["balance"] = .text(balance)
            members["change"] = .integer(change)
            members["after"] = .integer(after)
        }
        switch cause {
        case .transaction(let key, let productID, _):
            members["cause"] = .string(key.transactionID.rawValue)
            members["productID"] = .text(productID)
        case .request(let key, let reason):
            members["cause"] = .text(key)
            members["reason"] = .text(reason)
        case .access(let subject, let until, let key, let reason):
            members.merge(AccessGrant.Subject.shape.members(of: subject)) { own, _ in own }
            members["until"] = .time(until)
            members["cause"] = .text(key)
            members["reason"] = .string(reason)
        case .revocation(let key, let reason):
            members["cause"] = .text(key)
            members["reason"] = .string(reason)
        case .transfer(let subject, let from, let to, let reason):
            switch subject {
            case .chain(let chain): members["originalTransactionID"] = .string(chain.originalID.rawValue)
            case .token(let token): members["token"] = .string(token.uuidString.lowercased())
            }
            members["from"] = .string(from.rawValue)
            members["to"] = .string(to.rawValue)
            members["cause"] = .string(subject.name)
            members["reason"] = .string(reason)
        }
        return .object(members)
    }

    /// The kind, the change, the balance and the cause, such as `spend -120 coins, 80 left (lantern-42)`.
    public var description: String {
        let why: String
        switch cause {
        case .transaction(let key, let productID, _): why = "\(productID), transaction \(key.transactionID)"
        case .request(let key, let reason): why = reason.map { "\(key): \($0)" } ?? key.rawValue
        case .access(let subject, let until, let key, let reason):
            return "\(kind.rawValue) \(subject) until \(until) (\(key): \(reason))"
        case .revocation(let key, let reason): return "\(kind.rawValue) (\(key): \(reason))"
        case .transfer(let subject, let from, let to, let reason):
            return "\(kind.rawValue) \(subject.name) from \(from) to \(to) (\(reason))"
        }
        return "\(kind.rawValue) \(change) \(balance), \(after) left (\(why))"
    }
}

extension LedgerReceipt: JSONDescribed, JSONShaped {
    /// The receipt as `storekeeper vault spend` prints it.
    package static let shape = JSONShape<LedgerReceipt>(
        "Receipt",
        [
            .member("customer") { $0.customer.rawValue }, .member("balance") { $0.balance },
            .member("receipt") { $0.receipt }, .member("replayed") { $0.isReplay },
        ])
}

extension LedgerRefusal: CustomStringConvertible {
    /// The reason for the refusal, as a sentence.
    public var description: String {
        switch self {
        case .insufficient(let balance): "the balance is too small: it is \(balance); nothing has changed"
        case .frozen(let debt): "'\(debt)' is below zero after a refund; nothing can be spent until it is zero or more"
        case .keyReused:
            "the key was used for another request or before an erasure; use a separate key for each"
        case .unknownGrant: "no access was granted with this key; list the customer's grants"
        }
    }
}
