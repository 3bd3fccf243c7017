import FoundationEssentials
import StorekeeperEngine

/// A line of the format that `vault export` writes and `vault import` reads.
///
/// A line that names a customer precedes the other lines about the customer. The last line marks the end of the export
/// and contains the number of lines.
package enum ArchiveLine: JSONDescribed {
    case customer(CustomerID?, syncedAt: Instant?, evaluatedThrough: Instant?)
    case row(CustomerArchive.Row, CustomerID?)
    case parked(ParkedFact)
    case end(lines: Int)

    /// The first line of an export.
    package static let header = #"{"format":"storekeeper-vault","version":1}"#
    /// The first bytes of an export, which distinguish an export from a file of evidence.
    package static let headerStart = Array(#"{"format":"storekeeper-vault""#.utf8)

    // MARK: Writing

    /// The line as JSON.
    package var json: JSONText {
        switch self {
        case .customer(let customer, let syncedAt, let evaluatedThrough):
            .object([
                "kind": .string("customer"), "customer": .text(customer?.rawValue), "syncedAt": .time(syncedAt),
                "evaluatedThrough": .time(evaluatedThrough),
            ])
        case .row(let row, let customer):
            .object(Self.members(of: row).merging(["customer": .text(customer?.rawValue)]) { own, _ in own })
        case .parked(let parked):
            .object([
                "kind": .string("parked"), "since": .time(parked.since), "reason": .string(parked.reason.rawValue),
                "jws": .string(parked.fact.jws.compact), "broughtBy": .text(parked.claimant?.rawValue),
            ])
        case .end(let lines): .object(["kind": .string("end"), "lines": .whole(lines)])
        }
    }

    private static func members(of row: CustomerArchive.Row) -> [String: JSONText] {
        switch row {
        case .binding(.chain(let chain), let at):
            [
                "kind": .string("binding"), "at": .time(at), "bundleID": .string(chain.bundleID),
                "environment": .string(chain.environment.rawValue),
                "originalTransactionID": .string(chain.originalID.rawValue),
            ]
        case .binding(.token(let token), let at):
            ["kind": .string("binding"), "at": .time(at), "token": .string(token.uuidString.lowercased())]
        case .fact(let fact, let learnedAt):
            ["kind": .string("fact"), "learnedAt": .time(learnedAt), "jws": .string(fact.jws.compact)]
        case .entry(let entry): entry.archiveMembers
        }
    }
}

extension CustomerArchive {
    /// The lines of the archive, beginning with the line that names the customer.
    package var lines: [ArchiveLine] {
        [.customer(customer, syncedAt: syncedAt, evaluatedThrough: evaluatedThrough)]
            + rows.map { .row($0, customer) } + parked.map(ArchiveLine.parked)
    }
}
