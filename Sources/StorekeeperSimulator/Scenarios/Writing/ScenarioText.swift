import Storekeeper

extension Instant {
    /// The instant as text that a scenario parses as the same instant, for every year.
    var scenarioText: String {
        let text = description
        return Instant(text) == self ? text : String(millisecondsSince1970)
    }
}

extension ScenarioSpan {
    /// The span in the notation of scenarios.
    package var text: String {
        var parts: [String] = []
        for (word, number) in [("year", months / 12), ("month", months % 12)] where number != 0 {
            parts.append("\(number) \(word)\(number == 1 ? "" : "s")")
        }
        var rest = milliseconds
        for (word, length) in [
            ("day", Int64(86_400_000)), ("hour", 3_600_000), ("minute", 60_000), ("second", 1000), ("millisecond", 1),
        ] where rest >= length {
            parts.append("\(rest / length) \(word)\(rest / length == 1 ? "" : "s")")
            rest %= length
        }
        return parts.isEmpty ? "0 days" : parts.joined(separator: " ")
    }
}

extension PurchaseOutcome {
    /// The result in the notation of scenarios.
    var text: String {
        switch self {
        case .purchased: "purchased"
        case .alreadyOwned: "alreadyOwned"
        case .pending(let reason, _): "pending \(reason.rawValue)"
        case .userCancelled: "cancelled"
        case .failed(let error): "failed \(error.code.rawValue)"
        }
    }
}
