extension Balance: JSONDescribed, CustomStringConvertible {
    /// The balance as `storekeeper entitlements` prints it.
    package var json: JSONText {
        .object([
            "id": .text(id), "credited": .integer(credited), "spent": .integer(spent),
            "clawedBack": .integer(clawedBack), "restored": .integer(restored), "balance": .integer(amount),
        ])
    }

    /// The amount and the name, such as `80 coins`.
    public var description: String { "\(amount) \(id)" }
}

extension LedgerEntry: JSONDescribed, CustomStringConvertible {
    /// The entry as `storekeeper vault history` prints it.
    package var json: JSONText {
        var members: [String: JSONText] = [
            "sequence": .integer(place.number), "at": .time(at), "kind": .string(kind.rawValue),
            "balance": .text(balance), "change": .integer(change), "after": .integer(after),
            "recordedBy": .text(recordedBy),
        ]
        switch cause {
        case .transaction(let key, let productID, _):
            members["cause"] = .string(key.transactionID.rawValue)
            members["productID"] = .text(productID)
        case .request(let key, let reason):
            members["cause"] = .text(key)
            members["reason"] = .text(reason)
        }
        return .object(members)
    }

    /// The amount, the balance and the cause, such as `spend -120 coins, 80 left (lantern-42)`.
    public var description: String {
        let why =
            switch cause {
            case .transaction(let key, let productID, _): "\(productID), transaction \(key.transactionID)"
            case .request(let key, let reason): reason.map { "\(key): \($0)" } ?? key.rawValue
            }
        return "\(kind.rawValue) \(change) \(balance), \(after) left (\(why))"
    }
}

extension LedgerReceipt: JSONDescribed {
    /// The receipt as `storekeeper vault spend` prints it.
    package var json: JSONText {
        .object([
            "balance": .integer(balance), "customer": .string(customer.rawValue), "receipt": .string(receipt),
            "replayed": .bool(isReplay),
        ])
    }
}

extension LedgerRefusal: CustomStringConvertible {
    /// Why the request was refused.
    public var description: String {
        switch self {
        case .insufficient(let balance): "the balance is too small: it is \(balance); nothing has changed"
        case .frozen(let debt): "'\(debt)' is below zero after a refund; nothing can be spent until it is zero or more"
        case .keyReused:
            "the key was used for another request or before an erasure; use a separate key for each"
        }
    }
}
