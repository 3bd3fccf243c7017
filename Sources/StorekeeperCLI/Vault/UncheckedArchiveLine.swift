import FoundationEssentials
import Storekeeper

/// A parsed line of an export, before the signature in it is verified.
enum UncheckedArchiveLine {
    case customer(CustomerID?, syncedAt: Instant?, evaluatedThrough: Instant?)
    case binding(BindingSubject, at: Instant)
    case fact(String, learnedAt: Instant)
    case entry(LedgerEntry)
    case parked(String, since: Instant, ParkedFact.Reason, broughtBy: CustomerID?)
    case end(lines: Int)

    /// An error in a line.
    struct Fault: Error {
        let message: String
    }

    /// Parses a line.
    init(_ bytes: [UInt8]) throws(Fault) {
        guard let object = (try? JSONReader(maximumSize: 16 << 20).read(bytes))?.root.object else {
            throw Fault(message: "the line is not a JSON object")
        }
        let line = Members(object: object)
        switch try line.text("kind") {
        case "customer":
            self = .customer(
                object["customer"]?.string.map(CustomerID.init(rawValue:)), syncedAt: try line.optionalTime("syncedAt"),
                evaluatedThrough: try line.optionalTime("evaluatedThrough"))
        case "binding": self = .binding(try line.subject(), at: try line.time("at"))
        case "fact": self = .fact(try line.text("jws"), learnedAt: try line.time("learnedAt"))
        case "entry": self = .entry(try line.entry())
        case "parked":
            guard let reason = ParkedFact.Reason(rawValue: try line.text("reason")) else {
                throw Fault(message: "'reason' is unknown")
            }
            self = .parked(
                try line.text("jws"), since: try line.time("since"), reason,
                broughtBy: line.object["broughtBy"]?.string.map { CustomerID(rawValue: $0) })
        case "end": self = .end(lines: Int(truncatingIfNeeded: try line.whole("lines")))
        case let kind: throw Fault(message: "'\(kind)' is not a kind of line")
        }
    }

    /// Typed access to the members of a line.
    private struct Members {
        let object: JSONObject

        func text(_ name: String) throws(Fault) -> String {
            guard let text = object[name]?.string else { throw Fault(message: "'\(name)' is missing or not text") }
            return text
        }

        func whole(_ name: String) throws(Fault) -> Int64 {
            guard let number = object[name]?.int64 else {
                throw Fault(message: "'\(name)' is missing or not a whole number")
            }
            return number
        }

        func time(_ name: String) throws(Fault) -> Instant {
            guard let instant = try optionalTime(name) else { throw Fault(message: "'\(name)' is missing") }
            return instant
        }

        func optionalTime(_ name: String) throws(Fault) -> Instant? {
            guard let value = object[name] else { return nil }
            guard let instant = value.string.flatMap({ Instant($0) }) else {
                throw Fault(message: "'\(name)' is not a time")
            }
            return instant
        }

        func environment() throws(Fault) -> AppStore.Environment {
            AppStore.Environment(rawValue: try text("environment"))
        }

        func subject() throws(Fault) -> BindingSubject {
            if object["token"] != nil {
                guard let token = UUID(uuidString: try text("token")) else {
                    throw Fault(message: "'token' is not a UUID")
                }
                return .token(token)
            }
            return .chain(
                ChainID(
                    bundleID: try text("bundleID"), environment: try environment(),
                    originalID: Transaction.ID(rawValue: try text("originalTransactionID"))))
        }

        /// Returns the ledger entry in the line.
        ///
        /// The vault later assigns the customer and the place in its feed. The vault also assigns the number if the
        /// line has no number, which is the case in exports of older releases.
        func entry() throws(Fault) -> LedgerEntry {
            guard let kind = LedgerEntry.Kind(rawValue: try text("entry")) else {
                throw Fault(message: "'entry' is not a kind of entry")
            }
            let number = object["number"] == nil ? 0 : try whole("number")
            guard number >= 0 else { throw Fault(message: "'number' is below 0") }
            let cause: LedgerEntry.Cause
            switch kind {
            case .grantAccess:
                let subject: AccessGrant.Subject =
                    object["feature"] == nil
                    ? .product(Product.ID(try text("productID"))) : .feature(Feature.ID(try text("feature")))
                cause = .access(
                    subject, until: try time("until"), key: LedgerRequest.Key(try text("key")),
                    reason: try text("reason"))
            case .revokeAccess:
                cause = .revocation(key: LedgerRequest.Key(try text("key")), reason: try text("reason"))
            case .transfer:
                cause = .transfer(
                    try subject(), from: CustomerID(rawValue: try text("from")),
                    to: CustomerID(rawValue: try text("to")), reason: try text("reason"))
            case .spend, .grant:
                cause = .request(key: LedgerRequest.Key(try text("key")), reason: object["reason"]?.string)
            case .credit, .clawBack, .restore:
                let key = TransactionKey(
                    bundleID: try text("bundleID"), environment: try environment(),
                    transactionID: Transaction.ID(rawValue: try text("transactionID")))
                cause = .transaction(key, productID: Product.ID(try text("productID")), target: try whole("target"))
            }
            return LedgerEntry(
                place: .start, number: number, customer: CustomerID(rawValue: ""), at: try time("at"), kind: kind,
                balance: Balance.ID(kind.movesBalance ? try text("balance") : ""),
                change: kind.movesBalance ? try whole("change") : 0, after: kind.movesBalance ? try whole("after") : 0,
                cause: cause,
                recordedBy: object["recordedBy"]?.string)
        }
    }
}
