import Storekeeper

/// Why an answer is what it is, as `explain` prints it.
struct ExplanationReport {
    let explanation: Explanation
    let run: Timeline<EntitlementAnswer>.Segment
    let isVerified: Bool
    let diagnostics: [Diagnostic]
    /// What there is to say of a customer of whom nothing is known.
    let absence: String?

    /// The document.
    var json: JSONText {
        var members = explanation.members
        members["verified"] = .bool(isVerified)
        members["diagnostics"] = .array(diagnostics.map(\.json))
        return .object(members)
    }

    /// How many columns are read with ease, however wide the terminal is.
    static let widest = 100

    /// The explanation for a person, no line wider than a width, as far as the words allow.
    func lines(_ style: TerminalStyle, width: Int) -> [String] {
        headline(style, width) + absenceLines(width) + [""] + stepLines(style, width) + [""]
            + Paragraph.lines(nextText, width: width)
    }

    private func absenceLines(_ width: Int) -> [String] { absence.map { Paragraph.lines($0, width: width) } ?? [] }

    private func headline(_ style: TerminalStyle, _ width: Int) -> [String] {
        let answer = explanation.answer
        let at = explanation.at
        let words = "\(answer.word) (\(answer.reasonWord))"
        var lines = Paragraph.lines("\(explanation.productID) is \(words) at \(at).", width: width)
        if let first = lines.first {
            // Only what stands whole in the first line is painted.
            lines[0] = first.replacingFirst(words, with: style.painted(words, answer: answer.word))
        }
        if let since = run.from { lines.append("Since \(RelativeTime.text(since, at: at)).") }
        if let transaction = answer.basis?.transaction {
            lines += Paragraph.lines(
                "Transaction \(transaction.id) decides (original transaction \(transaction.originalID), "
                    + "\(transaction.ownershipType.word), \(transaction.environment.rawValue)).", width: width)
        }
        return lines
    }

    /// The steps below their instants; a rule in full where it first applies, and by its number from then on.
    private func stepLines(_ style: TerminalStyle, _ width: Int) -> [String] {
        var lines: [String] = []
        var numbers: [String: Int] = [:]
        var at: Instant?
        for step in explanation.steps {
            if step.at > explanation.at, at.map({ $0 <= explanation.at }) ?? true {
                lines.append(style.dim("Known by now, but later than the instant asked about:"))
            }
            if step.at != at { lines.append(style.bold("\(step.at)")) }
            at = step.at
            lines += Paragraph.lines(step.fact, width: width, indent: "  ")
            if let number = numbers[step.rule] {
                lines += Paragraph.lines(
                    "\(step.effect) [rule \(number)]", width: width, first: "  → ", indent: "    ")
                continue
            }
            numbers[step.rule] = numbers.count + 1
            lines += Paragraph.lines(step.effect, width: width, first: "  → ", indent: "    ")
            lines += Paragraph.lines("Rule \(numbers.count): \(step.rule)", width: width, indent: "    ").map(style.dim)
        }
        return lines
    }

    private var nextText: String {
        guard let next = explanation.next else { return "Next: nothing that is known changes this answer." }
        return "Next: \(next.answer.word) (\(next.answer.reasonWord)) at "
            + "\(RelativeTime.text(next.at, at: explanation.at))."
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
