import Storekeeper

/// Why an answer is what it is, as `explain` prints it.
struct ExplanationReport {
    let explanation: Explanation
    let run: Timeline<EntitlementAnswer>.Segment
    let isVerified: Bool
    let diagnostics: [Diagnostic]

    /// The document.
    var json: JSONText {
        .object([
            "answer": .string(explanation.answer.word), "reason": .string(explanation.answer.reasonWord),
            "transactionID": .text(explanation.answer.basis?.transaction.id.rawValue),
            "steps": .array(
                explanation.steps.map { step in
                    .object([
                        "at": .time(step.at), "fact": .string(step.fact), "effect": .string(step.effect),
                        "rule": .string(step.rule),
                    ])
                }),
            "next": explanation.next.map { next in
                .object([
                    "at": .time(next.at), "answer": .string(next.answer.word),
                    "reason": .string(next.answer.reasonWord),
                ])
            } ?? .null,
            "verified": .bool(isVerified), "diagnostics": .array(diagnostics.map(\.json)),
        ])
    }

    /// The explanation for a person.
    func lines(_ style: TerminalStyle) -> [String] {
        let answer = explanation.answer
        let at = explanation.at
        var lines = [
            style.bold(explanation.productID.onOneLine) + " is "
                + style.painted("\(answer.word) (\(answer.reasonWord))", answer: answer.word) + " at \(at)."
        ]
        if !isVerified { lines.append(style.yellow("NOT VERIFIED: nobody checked signatures.")) }
        if let since = run.from { lines.append("Since \(RelativeTime.text(since, at: at)).") }
        if let transaction = answer.basis?.transaction {
            lines.append(
                "Transaction \(transaction.id.rawValue.onOneLine) of \(transaction.originalID.rawValue.onOneLine) decides: "
                    + "\(transaction.ownershipType.word.onOneLine), \(transaction.environment.rawValue.onOneLine).")
        }
        lines.append("")
        for step in explanation.steps {
            lines.append("\(step.at)  \(step.fact.onOneLine)")
            lines.append("\(Self.indent)→ \(step.effect.onOneLine)")
            lines.append("\(Self.indent)\(style.dim(step.rule))")
        }
        lines.append("")
        if let next = explanation.next {
            lines.append(
                "Next: \(next.answer.word) (\(next.answer.reasonWord)) at \(RelativeTime.text(next.at, at: at)).")
        } else {
            lines.append("Next: nothing that is known changes this answer.")
        }
        return lines
    }

    /// As wide as a time and the two blanks behind it.
    private static let indent = String(repeating: " ", count: 26)
}
