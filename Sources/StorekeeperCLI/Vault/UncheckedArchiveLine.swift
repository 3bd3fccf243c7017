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

    typealias Fault = ArchiveMembers.Fault

    /// Parses a line.
    init(_ bytes: [UInt8]) throws(Fault) {
        guard let object = (try? JSONReader(maximumSize: 16 << 20).read(bytes))?.root.object else {
            throw Fault(message: "the line is not a JSON object")
        }
        let line = ArchiveMembers(object)
        switch try line.text("kind") {
        case "customer":
            self = .customer(
                object["customer"]?.string.map(CustomerID.init(rawValue:)), syncedAt: try line.optionalTime("syncedAt"),
                evaluatedThrough: try line.optionalTime("evaluatedThrough"))
        case "binding": self = .binding(try line.subject(), at: try line.time("at"))
        case "fact": self = .fact(try line.text("jws"), learnedAt: try line.time("learnedAt"))
        case "entry": self = .entry(try LedgerEntry(from: line))
        case "parked":
            guard let reason = ParkedFact.Reason(rawValue: try line.text("reason")) else {
                throw Fault(message: "'reason' is unknown")
            }
            self = .parked(
                try line.text("jws"), since: try line.time("since"), reason,
                broughtBy: object["broughtBy"]?.string.map { CustomerID(rawValue: $0) })
        case "end": self = .end(lines: Int(truncatingIfNeeded: try line.whole("lines")))
        case let kind: throw Fault(message: "'\(kind)' is not a kind of line")
        }
    }
}
