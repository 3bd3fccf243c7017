extension EntitlementAnswer: JSONDescribed {
    /// The answer as JSON, with its reason and the transaction that decides it.
    package var json: JSONText { .object(members) }

    /// The members that the JSON of every answer has.
    package var members: [String: JSONText] {
        [
            "answer": .string(word), "reason": .string(reasonWord),
            "transactionID": .text(basis?.transaction.id.rawValue),
        ]
    }
}

extension Explanation.Step: JSONDescribed {
    /// The step as JSON.
    package var json: JSONText {
        .object(["at": .time(at), "fact": .string(fact), "effect": .string(effect), "rule": .string(rule)])
    }
}

extension Explanation: JSONDescribed {
    /// The explanation as `storekeeper explain` prints it, without the diagnostics of the evidence.
    package var json: JSONText { .object(members) }

    /// The members of the JSON object.
    package var members: [String: JSONText] {
        var members = answer.members
        members["steps"] = .array(steps.map(\.json))
        members["next"] = upcoming?.json ?? .null
        return members
    }
}

extension Explanation: CustomStringConvertible {
    /// The answer, one line for each step, and the next change, as text for a person.
    public var description: String {
        let lines = steps.map { "  \($0.at): \($0.fact) → \($0.effect) [\($0.rule)]" }
        let coming = upcoming.map { "\nNext: \($0.words)." } ?? ""
        return (["\(subject.words) is \(answer) at \(at)."] + lines).joined(separator: "\n") + coming
    }
}
