import Storekeeper
import StorekeeperSimulator

/// The result of a scenario, as `simulate` prints it.
struct ScenarioStory {
    let report: ScenarioReport
    /// Whether the scenario has only one person, so that lines need not name the person.
    let isOnePerson: Bool

    init(_ report: ScenarioReport, isOnePerson: Bool) {
        self.report = report
        self.isOnePerson = isOnePerson
    }

    /// Returns the scenario's title and description, and the lines about its steps and their effects.
    ///
    /// - Parameter width: The maximum number of columns of a line; longer lines are wrapped.
    func text(_ about: String?, width: Int, style: TerminalStyle) -> String {
        var lines = report.story.onOneLine.wrapped(to: width).map(style.bold)
        for paragraph in Self.paragraphs(of: about ?? "") { lines += paragraph.wrapped(to: width) }
        lines.append("")
        return (lines + self.lines(report.entries, width: width, style: style)).map { $0 + "\n" }.joined()
    }

    /// Returns the paragraphs of a description, each as one line.
    private static func paragraphs(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).split { $0.allSatisfy(\.isWhitespace) }.map {
            $0.map { $0.onOneLine }.joined(separator: " ")
        }
    }

    // MARK: Lines

    /// A printed line about a step or one of its effects, with the time.
    private struct Line {
        var at: Instant
        var text: String
        /// The indentation of the line; wrapped text is indented further.
        var indent: Int
        var paint: (TerminalStyle, String) -> String = { _, text in text }
    }

    /// Returns the printed lines for entries of the report.
    ///
    /// A time is printed only if it differs from the time of the previous line.
    func lines(_ entries: [ScenarioReport.Entry], width: Int, style: TerminalStyle) -> [String] {
        let lines = self.lines(entries)
        let times = lines.map(\.at.brief)
        let timeWidth = max(times.map(\.columns).max() ?? 0, 10)
        var result: [String] = []
        var last: String?
        for (line, time) in zip(lines, times) {
            let left = time == last ? "" : time
            last = time
            let indent = String(repeating: " ", count: timeWidth + 2 + line.indent)
            let room = max(width - indent.columns, 20)
            for (index, piece) in line.text.onOneLine.wrapped(to: room, indent: "  ").enumerated() {
                let begin = index == 0 ? left + String(indent.dropFirst(left.columns)) : indent
                result.append(begin + line.paint(style, piece))
            }
        }
        return result
    }

    private func lines(_ entries: [ScenarioReport.Entry]) -> [Line] {
        var lines: [Line] = []
        var index = entries.startIndex
        while index < entries.endIndex {
            let entry = entries[index]
            index += 1
            switch entry.content {
            case .step(let step):
                // A step that only queries the state is not printed, because the results of its expectations follow.
                if !Self.isQuestion(step) { lines.append(Line(at: entry.at, text: "> \(step)", indent: 0)) }
            case .happening(let happening):
                lines.append(Line(at: entry.at, text: "\(subject(entry))\(happening.words)", indent: 2))
            case .outcome("purchased"): break  // The purchase is printed above.
            case .outcome where entries[index...].first?.content.isBalance == true: break  // The balance follows.
            case .outcome(let text): lines.append(Line(at: entry.at, text: text, indent: 2))
            case .answer:
                // Equal changes at one instant are combined into one line.
                let rest = entries[index...].prefix { next in
                    if case .answer = next.content { next.at == entry.at } else { false }
                }
                index = rest.endIndex
                lines += answerLines([entry] + rest)
            case .balance(let name, let before, let after):
                let text = "→ \(subject(entry))\(name) \(before) to \(after)"
                lines.append(Line(at: entry.at, text: text, indent: 2))
            case .expectation(let isMet, let expected, let found):
                let text = "\(isMet ? "✓" : "✗") \(subject(entry))\(Self.brief(expected))"
                lines.append(Line(at: entry.at, text: text, indent: 0) { isMet ? $0.green($1) : $0.red($1) })
                guard !isMet else { break }
                lines.append(
                    Line(at: entry.at, text: "NOT AS EXPECTED: \(Self.brief(found))", indent: 2) { $0.red($1) })
            case .failure(let message):
                lines.append(Line(at: entry.at, text: "FAILED: \(message)", indent: 2) { $0.red($1) })
            }
        }
        return lines
    }

    private func answerLines(_ entries: [ScenarioReport.Entry]) -> [Line] {
        var groups: [(verdict: String, names: [String], at: Instant)] = []
        for entry in entries {
            guard case .answer(let change) = entry.content else { continue }
            if case .group = change.subject {
                let product = change.after.productID.map { " (\($0))" } ?? ""
                groups.append(("→ \(subject(entry))\(change.name)", ["\(change.after.word)\(product)"], entry.at))
                continue
            }
            let verdict = "→ \(subject(entry))\(Self.verdict(change))"
            if let place = groups.firstIndex(where: { $0.verdict == verdict }) {
                groups[place].names.append(change.name)
            } else {
                groups.append((verdict, [change.name], entry.at))
            }
        }
        return groups.map { group in
            Line(at: group.at, text: "\(group.verdict): \(group.names.joined(separator: ", "))", indent: 2)
        }
    }

    private static func verdict(_ change: ScenarioChange) -> String {
        let until = change.after.word == "entitled" ? change.after.until.map { " until \(brief("\($0)"))" } ?? "" : ""
        let reason = change.after.word == "never" ? "" : " (\(change.after.reasonWord))"
        return "\(change.after.word)\(reason)\(until)"
    }

    /// Returns whether a step only queries the state.
    private static func isQuestion(_ step: String) -> Bool {
        ["expect", "notifications", "happened", "events"].contains(step.prefix { $0 != " " })
    }

    /// Returns a text with shortened times, such as `2026-03-01` instead of `2026-03-01T00:00:00.000Z`.
    ///
    /// Scenarios also accept the shortened times.
    static func brief(_ text: String) -> String {
        text.replacing("T00:00:00.000Z", with: "").replacing(":00.000Z", with: "Z").replacing(".000Z", with: "Z")
    }

    private func subject(_ entry: ScenarioReport.Entry) -> String {
        isOnePerson ? "" : entry.person.map { "\($0): " } ?? ""
    }

    // MARK: The end

    /// The lines about unmet expectations, each with the file and line number of the expectation.
    var failureLines: [String] {
        report.failures.map {
            "\(report.file):\($0.line): expected \($0.expected), found \($0.found)".onOneLine
        }
    }

    /// Returns the lines that tell whether all expectations were met.
    func verdict(width: Int?, style: TerminalStyle) -> [String] {
        let count = report.expectationCount
        guard !report.isMet else {
            return [style.green("\(count.of("expectation")), all met")]
        }
        return failureLines.flatMap { $0.wrapped(to: width, indent: "  ").map(style.red) }
    }
}

extension ScenarioReport.Content {
    /// Whether the content is a change of a balance.
    fileprivate var isBalance: Bool { if case .balance = self { true } else { false } }
}

extension ScenarioStory {
    /// Returns the JSON document.
    func json(now: Instant) -> JSONText {
        guard case .object(var members) = summary else { return summary }
        members["entries"] = .array(report.entries.map(json))
        members["end"] = .time(now)
        return .object(members)
    }

    /// The JSON document without the entries of the report.
    var summary: JSONText {
        let failures = report.failures
        let unmet = report.entries.count { entry in
            if case .expectation(false, _, _) = entry.content { true } else { false }
        }
        return .object([
            "file": .string(report.file), "story": .string(report.story), "seed": .string(String(report.seed)),
            "start": .time(report.start),
            "expectations": .object([
                "met": .whole(report.expectationCount - unmet), "failed": .whole(failures.count),
            ]),
            "failures": .array(
                failures.map {
                    .object([
                        "line": .whole($0.line), "expected": .string($0.expected), "found": .string($0.found),
                    ])
                }),
        ])
    }

    private func json(_ entry: ScenarioReport.Entry) -> JSONText {
        var members: [String: JSONText] = [
            "at": .time(entry.at), "line": .whole(entry.line), "person": .text(entry.person?.rawValue),
        ]
        func append(_ kind: String, _ more: [String: JSONText]) {
            members["kind"] = .string(kind)
            members.merge(more) { $1 }
        }
        switch entry.content {
        case .step(let text): append("step", ["text": .string(text)])
        case .happening(let happening): append("happening", happening.members)
        case .answer(let change):
            append("answer", change.after.members.merging(["subject": .string(change.name)]) { $1 })
        case .balance(let name, let before, let after):
            append("answer", ["balance": .text(name), "before": .whole(before), "after": .whole(after)])
        case .outcome(let text): append("outcome", ["text": .string(text)])
        case .expectation(let isMet, let expected, let found):
            append("expectation", ["met": .bool(isMet), "expected": .string(expected), "found": .string(found)])
        case .failure(let message):
            append(
                "expectation",
                ["met": .bool(false), "expected": .string("a step that succeeds"), "found": .string(message)])
        }
        return .object(members)
    }
}
