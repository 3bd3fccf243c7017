import FoundationEssentials
import StorekeeperEngine

// The line of an export with an entry; the name of the customer is added by the line itself.
extension LedgerEntry {
    /// The members of the line.
    var archiveMembers: [String: JSONText] {
        var members: [String: JSONText] = [
            "kind": .string("entry"), "at": .time(at), "entry": .string(kind.rawValue), "number": .integer(number),
            "recordedBy": .text(recordedBy),
        ]
        if kind.movesBalance {
            members["balance"] = .text(balance)
            members["change"] = .integer(change)
            members["after"] = .integer(after)
        }
        switch cause {
        case .transaction(let key, let productID, let target):
            members["bundleID"] = .string(key.bundleID)
            members["environment"] = .string(key.environment.rawValue)
            members["transactionID"] = .string(key.transactionID.rawValue)
            members["productID"] = .text(productID)
            members["target"] = .integer(target)
        case .request(let key, let reason):
            members["key"] = .text(key)
            members["reason"] = .text(reason)
        case .access(let subject, let until, let key, let reason):
            members.merge(subject.members) { own, _ in own }
            members["until"] = .time(until)
            members["key"] = .text(key)
            members["reason"] = .string(reason)
        case .revocation(let key, let reason):
            members["key"] = .text(key)
            members["reason"] = .string(reason)
        case .transfer(let subject, let from, let to, let reason):
            switch subject {
            case .chain(let chain):
                members["bundleID"] = .string(chain.bundleID)
                members["environment"] = .string(chain.environment.rawValue)
                members["originalTransactionID"] = .string(chain.originalID.rawValue)
            case .token(let token): members["token"] = .string(token.uuidString.lowercased())
            }
            members["from"] = .string(from.rawValue)
            members["to"] = .string(to.rawValue)
            members["reason"] = .string(reason)
        }
        return members
    }

    /// Reads the entry in a line.
    ///
    /// The vault later assigns the customer and the place in its feed. The vault also assigns the number if the
    /// line has no number, which is the case in exports of older releases.
    package init(from line: ArchiveMembers) throws(ArchiveMembers.Fault) {
        guard let kind = Kind(rawValue: try line.text("entry")) else {
            throw ArchiveMembers.Fault(message: "'entry' is not a kind of entry")
        }
        let number = line.object["number"] == nil ? 0 : try line.whole("number")
        guard number >= 0 else { throw ArchiveMembers.Fault(message: "'number' is below 0") }
        let cause: Cause
        switch kind {
        case .grantAccess:
            let subject: AccessGrant.Subject =
                line.object["feature"] == nil
                ? .product(Product.ID(try line.text("productID"))) : .feature(Feature.ID(try line.text("feature")))
            cause = .access(
                subject, until: try line.time("until"), key: LedgerRequest.Key(try line.text("key")),
                reason: try line.text("reason"))
        case .revokeAccess:
            cause = .revocation(key: LedgerRequest.Key(try line.text("key")), reason: try line.text("reason"))
        case .transfer:
            cause = .transfer(
                try line.subject(), from: CustomerID(rawValue: try line.text("from")),
                to: CustomerID(rawValue: try line.text("to")), reason: try line.text("reason"))
        case .spend, .grant:
            cause = .request(key: LedgerRequest.Key(try line.text("key")), reason: line.object["reason"]?.string)
        case .credit, .clawBack, .restore:
            let key = TransactionKey(
                bundleID: try line.text("bundleID"), environment: try line.environment(),
                transactionID: Transaction.ID(rawValue: try line.text("transactionID")))
            cause = .transaction(
                key, productID: Product.ID(try line.text("productID")), target: try line.whole("target"))
        }
        self.init(
            place: .start, number: number, customer: CustomerID(rawValue: ""), at: try line.time("at"), kind: kind,
            balance: Balance.ID(kind.movesBalance ? try line.text("balance") : ""),
            change: kind.movesBalance ? try line.whole("change") : 0,
            after: kind.movesBalance ? try line.whole("after") : 0, cause: cause,
            recordedBy: line.object["recordedBy"]?.string)
    }
}
