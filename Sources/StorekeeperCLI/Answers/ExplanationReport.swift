import Storekeeper

/// The explanation of an answer, as `explain` prints it.
struct ExplanationReport {
    let explanation: Explanation
    let isVerified: Bool
    let diagnostics: [Diagnostic]
    /// The note that the vault has no data about the customer; `nil` if the vault has data, or if evidence files are
    /// read.
    let absence: String?

    /// The JSON document.
    var json: JSONText { DiagnosedExplanation(explanation, isVerified: isVerified, diagnostics).json }

    /// The maximum number of columns of a text, even if the terminal is wider.
    static let widest = 100

    /// Returns the explanation as text, wrapped to a width.
    ///
    /// A word that is longer than the width has its own line, and exceeds the width.
    func lines(_ style: TerminalStyle, width: Int) -> [String] {
        headline(style, width) + absenceLines(width) + [""] + stepLines(style, width) + [""]
            + Paragraph.lines(nextText, width: width)
    }

    private func absenceLines(_ width: Int) -> [String] { absence.map { Paragraph.lines($0, width: width) } ?? [] }

    private func headline(_ style: TerminalStyle, _ width: Int) -> [String] {
        let answer = explanation.answer
        let at = explanation.at
        let words = "\(answer.word) (\(answer.reasonWord))"
        var lines = Paragraph.lines("\(explanation.subject.words) is \(words) at \(at).", width: width)
        if let first = lines.first {
            // The answer is colored only if wrapping has not divided it.
            lines[0] = first.replacingFirst(words, with: style.painted(words, answer: answer.word))
        }
        if let since = explanation.run.from { lines.append("Since \(RelativeTime.text(since, at: at)).") }
        if let transaction = answer.basis?.transaction {
            lines += Paragraph.lines(
                "Transaction \(transaction.id) decides (original transaction \(transaction.originalID), "
                    + "\(transaction.ownershipType.word), \(transaction.environment.rawValue)).", width: width)
        }
        return lines
    }

    /// Returns the lines of the explanation's steps, with each step below its instant.
    ///
    /// A rule is printed in full once, and later only by its number.
    private func stepLines(_ style: TerminalStyle, _ width: Int) -> [String] {
        var lines: [String] = []
        var numbers: [String: Int] = [:]
        var at: Instant?
        for step in explanation.steps {
            if step.at > explanation.at, at.map({ $0 <= explanation.at }) ?? true {
                lines.append(style.dim("Known now, but later than the given instant:"))
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
        guard let upcoming = explanation.upcoming else { return "Next: no known event changes this answer." }
        return "Next: \(upcoming.phrase { RelativeTime.text($0, at: explanation.at) })."
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
