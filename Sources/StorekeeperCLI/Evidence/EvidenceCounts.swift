import Storekeeper

/// The number of evidence items that count, and of items that failed, for text output.
///
/// An item counts if the answers may be based on it.
struct EvidenceCounts {
    /// The number of items.
    let items: Int
    /// The number of items that count.
    let counted: Int
    /// The reasons why items failed, each with the number of items.
    ///
    /// Refused environments are not included.
    let failures: [(code: String, count: Int)]
    /// The refused environments, each with the number of its items.
    let refused: [(environment: String, count: Int)]
    /// The number of verified renewal infos that do not count because their transaction is missing.
    let alone: Int
    /// Whether signatures were required.
    let isSigned: Bool

    /// Whether signatures were required and no item failed, so that the text contains no warning.
    var isGood: Bool { isSigned && failures.isEmpty }

    /// The summary, such as `all 5 items are verified`, without a period at its end.
    var text: String {
        guard items > 0 else { return isSigned ? "there is no evidence" : "NOT VERIFIED: there is no evidence" }
        return ([head] + remarks).joined(separator: "; ").onOneLine
    }

    private var head: String {
        guard isSigned else {
            return "NOT VERIFIED: signatures were not checked; \(share) \(Self.verb("count", counted))"
        }
        let failed = failures.reduce(0) { $0 + $1.count }
        if failed == items { return "NONE of \(items.of("item")) could be verified: \(reasons)" }
        if failed == 0, counted == items {
            return items == 1 ? "the one item is verified" : "all \(items) items are verified"
        }
        return "\(share) \(Self.verb("count", counted))"
    }

    private var share: String { "\(counted == 0 ? "NONE" : String(counted)) of \(items.of("item"))" }

    private var remarks: [String] {
        var remarks: [String] = []
        let failed = failures.reduce(0) { $0 + $1.count }
        if failed > 0, failed < items || !isSigned { remarks.append("\(failed) failed: \(reasons)") }
        for (environment, count) in refused {
            remarks.append("\(count) of the environment \(environment), which is not accepted")
        }
        if alone > 0 {
            remarks.append(
                "\(alone.of("renewal info")) without \(alone == 1 ? "its" : "their") transaction")
        }
        return remarks
    }

    /// The names of the reasons, each after its number of items; a single reason has no number.
    private var reasons: String {
        guard failures.count > 1 else { return failures.first?.code ?? "" }
        return failures.map { "\($0.count) \($0.code)" }.joined(separator: ", ")
    }

    private static func verb(_ verb: String, _ count: Int) -> String { count == 1 || count == 0 ? verb + "s" : verb }
}
