import Storekeeper
import StorekeeperJWS

/// The results of a batch of items, as `verify` prints them.
///
/// The task that verifies the items also formats the results, so that formatting, too, uses all cores.
struct VerifiedBatch: Sendable {
    /// The number of items.
    private(set) var items = 0
    /// The number of verified items.
    private(set) var verified = 0
    /// Whether every item is verified, including the transaction and renewal info inside each notification.
    private(set) var isAllVerified = true
    /// The lines to print, one for each item; empty if only the totals are printed.
    private(set) var lines: [UInt8] = []

    /// - Parameter start: The number of items before the first item of the batch.
    init(_ batch: [CheckedItem], from start: Int, printsItems: Bool) {
        for item in batch {
            count(item)
            guard printsItems else { continue }
            var members = Self.members(of: item)
            members["index"] = .integer(Int64(start + items - 1))
            JSONText.object(members).write(.compact, to: &lines)
            lines.append(UInt8(ascii: "\n"))
        }
    }

    private mutating func count(_ item: CheckedItem) {
        items += 1
        if case .receipt(let receipt) = item.content {
            if receipt.isVerified { verified += 1 } else { isAllVerified = false }
            return
        }
        guard case .signed(let evidence, let parts) = item.content else {
            isAllVerified = false
            return
        }
        if evidence.error == nil { verified += 1 }
        isAllVerified = isAllVerified && evidence.error == nil && parts.allSatisfy { $0.error == nil }
    }

    private static func members(of item: CheckedItem) -> [String: JSONText] {
        switch item.content {
        case .signed(let evidence, let parts):
            var members = members(of: evidence)
            if case .notification(.verified) = evidence {
                members["contains"] = .array(parts.map { .object(self.members(ofPart: $0)) })
            }
            return members
        case .unsigned:
            return members(
                of: VerificationError(.unsignedEvidence, "a decoded payload has no signature: give the JWS"))
        case .receipt(let receipt):
            if let error = receipt.error { return members(of: error) }
            return [
                "verified": .bool(true), "kind": .string("receipt"), "payload": ReceiptReport.contents(of: receipt),
            ]
        case .malformed(let message): return members(of: VerificationError(.malformed, message))
        }
    }

    private static func members(of evidence: CheckedEvidence) -> [String: JSONText] {
        if let error = evidence.error { return members(of: error) }
        var members: [String: JSONText] = ["verified": .bool(true), "kind": .text(evidence.kind?.rawValue)]
        if let payload = evidence.checkedPayload, let document = try? JSONReader().read(payload) {
            members["payload"] = .value(document.root)
        }
        return members
    }

    /// Returns the JSON members for a signed part of a notification, such as its transaction.
    ///
    /// The members include the kind, because nothing else identifies a part that failed verification.
    private static func members(ofPart evidence: CheckedEvidence) -> [String: JSONText] {
        var members = members(of: evidence)
        members["kind"] = .text(evidence.kind?.rawValue)
        return members
    }

    /// Returns the JSON members for an error; the unverified payload is omitted.
    private static func members(of error: VerificationError) -> [String: JSONText] {
        [
            "verified": .bool(false),
            "error": .object(["code": .string(error.code.rawValue), "message": .string(error.message)]),
        ]
    }
}

/// Prints the lines of `verify`, and counts the items for the totals.
struct VerifyReport {
    private let console: Console
    private var items = 0
    private var verified = 0
    /// Whether every item is verified, including the transaction and renewal info inside each notification.
    private(set) var isAllVerified = true

    init(console: Console) { self.console = console }

    /// Prints the results of a batch.
    mutating func add(_ batch: VerifiedBatch) {
        items += batch.items
        verified += batch.verified
        isAllVerified = isAllVerified && batch.isAllVerified
        console.output.bytes(batch.lines)
        console.output.flush()
    }

    func printSummary(after duration: Duration) {
        let seconds = duration / .seconds(1)
        let microseconds = Int64((seconds * 1_000_000).rounded())
        let rate = microseconds > 0 ? Int64((Double(items) / seconds).rounded()) : 0
        console.output.json(
            .object([
                "items": .whole(items), "verified": .whole(verified), "failed": .whole(items - verified),
                "seconds": .number(Self.decimal(microseconds: microseconds)), "perSecond": .integer(rate),
            ]))
    }

    /// Returns microseconds as seconds with three to six decimal digits.
    private static func decimal(microseconds: Int64) -> String {
        var digits = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        while digits.count > 3, digits.last == "0" { digits = digits.dropLast() }
        return "\(microseconds / 1_000_000).\(digits)"
    }
}
