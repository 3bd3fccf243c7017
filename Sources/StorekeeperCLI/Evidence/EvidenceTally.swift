import Storekeeper

/// How many items of evidence count, and what became of the others, for a person.
struct EvidenceTally {
    /// How many items there were.
    let items: Int
    /// How many of them count.
    let counted: Int
    /// Of those that failed, why and how many; a refused environment is not among them.
    let failures: [(code: String, count: Int)]
    /// Of those whose environment is not accepted, which and how many.
    let refused: [(environment: String, count: Int)]
    /// How many were verified and count for nothing, because what they speak of is not there.
    let alone: Int
    /// Whether signatures were asked for.
    let isSigned: Bool

    /// Whether there is nothing to warn of.
    var isGood: Bool { isSigned && failures.isEmpty }

    /// Such as `all 5 items are verified`, without a full stop.
    var text: String {
        guard items > 0 else { return isSigned ? "there is no evidence" : "NOT VERIFIED: there is no evidence" }
        return ([head] + remarks).joined(separator: "; ")
    }

    private var head: String {
        guard isSigned else {
            return "NOT VERIFIED: nobody checked signatures; \(share) \(Self.verb("count", counted))"
        }
        let failed = failures.reduce(0) { $0 + $1.count }
        if failed == items { return "NONE of \(Self.items(items)) could be verified: \(reasons)" }
        if failed == 0, counted == items {
            return items == 1 ? "the one item is verified" : "all \(items) items are verified"
        }
        return "\(share) \(Self.verb("count", counted))"
    }

    private var share: String { "\(counted == 0 ? "NONE" : String(counted)) of \(Self.items(items))" }

    private var remarks: [String] {
        var remarks: [String] = []
        let failed = failures.reduce(0) { $0 + $1.count }
        if failed > 0, failed < items || !isSigned { remarks.append("\(failed) failed: \(reasons)") }
        for (environment, count) in refused {
            remarks.append("\(count) of the environment \(environment), which is not accepted")
        }
        if alone > 0 {
            remarks.append(
                "\(alone) renewal info\(alone == 1 ? "" : "s") without \(alone == 1 ? "its" : "their") transaction")
        }
        return remarks
    }

    /// One reason by its name, several with their numbers.
    private var reasons: String {
        guard failures.count > 1 else { return failures.first?.code ?? "" }
        return failures.map { "\($0.count) \($0.code)" }.joined(separator: ", ")
    }

    private static func items(_ count: Int) -> String { "\(count) item\(count == 1 ? "" : "s")" }

    private static func verb(_ verb: String, _ count: Int) -> String { count == 1 || count == 0 ? verb + "s" : verb }
}
