import Storekeeper

/// The lines that `verify` prints, and what they add up to.
struct VerifyReport {
    let console: Console
    let printsItems: Bool
    private var items = 0
    private var verified = 0
    /// Whether every item and every part of a notification is verified.
    private(set) var isAllVerified = true

    init(console: Console, printsItems: Bool) {
        self.console = console
        self.printsItems = printsItems
    }

    mutating func add(_ batch: [CheckedItem]) {
        for item in batch { add(item) }
        console.output.flush()
    }

    private mutating func add(_ item: CheckedItem) {
        var members: [String: JSONText] = [:]
        switch item.content {
        case .signed(let evidence, let parts):
            if evidence.error == nil { verified += 1 }
            isAllVerified = isAllVerified && evidence.error == nil && parts.allSatisfy { $0.error == nil }
            guard printsItems else { break }
            members = Self.members(of: evidence)
            if case .notification(.verified) = evidence {
                members["contains"] = .array(parts.map { .object(Self.members(ofPart: $0)) })
            }
        case .unsigned:
            isAllVerified = false
            let error = VerificationError(.unsignedEvidence, "a decoded payload bears no signature: give the JWS")
            members = Self.members(of: error)
        case .malformed(let message):
            isAllVerified = false
            members = Self.members(of: VerificationError(.malformed, message))
        }
        if printsItems {
            members["index"] = .integer(Int64(items))
            console.output.json(.object(members))
        }
        items += 1
    }

    private static func members(of evidence: VerifiedEvidence) -> [String: JSONText] {
        if let error = evidence.error { return members(of: error) }
        var members: [String: JSONText] = ["verified": .bool(true), "kind": .text(evidence.kind?.rawValue)]
        if let payload = evidence.believedPayload, let document = try? JSONReader().read(payload) {
            members["payload"] = .value(document.root)
        }
        return members
    }

    /// A part of a notification says its kind even where it failed, so that one can tell which part it was.
    private static func members(ofPart evidence: VerifiedEvidence) -> [String: JSONText] {
        var members = members(of: evidence)
        members["kind"] = .text(evidence.kind?.rawValue)
        return members
    }

    /// What failed says nothing of itself: nobody vouches for it.
    private static func members(of error: VerificationError) -> [String: JSONText] {
        [
            "verified": .bool(false),
            "error": .object(["code": .string(error.code.rawValue), "message": .string(error.message)]),
        ]
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

    /// Seconds with three to six digits behind the point.
    private static func decimal(microseconds: Int64) -> String {
        var digits = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        while digits.count > 3, digits.last == "0" { digits = digits.dropLast() }
        return "\(microseconds / 1_000_000).\(digits)"
    }
}
