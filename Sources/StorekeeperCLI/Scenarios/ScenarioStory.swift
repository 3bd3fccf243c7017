import Storekeeper
import StorekeeperSimulator

/// What came of a scenario, as `simulate` tells it.
struct ScenarioStory {
    let report: ScenarioReport
    /// Whether it need not be said whom something is about.
    let isOnePerson: Bool

    init(_ report: ScenarioReport, isOnePerson: Bool) {
        self.report = report
        self.isOnePerson = isOnePerson
    }

    /// The title, the prose and the story.
    ///
    /// - Parameter width: How many columns a line may take; it is broken at blanks, and nothing is left out.
    func text(_ about: String?, width: Int, style: TerminalStyle) -> String {
        var lines = report.story.onOneLine.wrapped(to: width).map(style.bold)
        for paragraph in Self.paragraphs(of: about ?? "") { lines += paragraph.wrapped(to: width) }
        lines.append("")
        return (lines + self.lines(report.entries, width: width, style: style)).map { $0 + "\n" }.joined()
    }

    /// Prose in paragraphs, each in one line.
    private static func paragraphs(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).split { $0.allSatisfy(\.isWhitespace) }.map {
            $0.map { $0.onOneLine }.joined(separator: " ")
        }
    }

    // MARK: Lines

    /// What stands beside a time.
    private struct Line {
        var at: Instant
        var text: String
        /// How far the line is indented, and what follows it a little further.
        var indent: Int
        var paint: (TerminalStyle, String) -> String = { _, text in text }
    }

    /// The entries in lines, each with its time where that is another than before.
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
                // What is expected follows, piece by piece.
                if !Self.isQuestion(step) { lines.append(Line(at: entry.at, text: "> \(step)", indent: 0)) }
            case .happening(let happening):
                lines.append(Line(at: entry.at, text: "\(subject(entry))\(happening.words)", indent: 2))
            case .outcome("purchased"): break  // What was bought stands above.
            case .outcome where entries[index...].first?.content.isBalance == true: break  // What is left, below.
            case .outcome(let text): lines.append(Line(at: entry.at, text: text, indent: 2))
            case .answer:
                // What changes at one instant in one way is told in one line.
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

    /// Whether a step only looks at what is.
    private static func isQuestion(_ step: String) -> Bool {
        ["expect", "notifications", "happened", "events"].contains(step.prefix { $0 != " " })
    }

    /// A text whose times leave out what is zero at their end; a scenario takes them as well.
    static func brief(_ text: String) -> String {
        text.replacing("T00:00:00.000Z", with: "").replacing(":00.000Z", with: "Z").replacing(".000Z", with: "Z")
    }

    private func subject(_ entry: ScenarioReport.Entry) -> String {
        isOnePerson ? "" : entry.person.map { "\($0): " } ?? ""
    }

    // MARK: The end

    /// What was not as expected, each with its place.
    var failureLines: [String] {
        report.failures.map {
            "\(report.file):\($0.line): expected \($0.expected), found \($0.found)".onOneLine
        }
    }

    /// What is to be said at the end.
    func verdict(width: Int?, style: TerminalStyle) -> [String] {
        let count = report.expectationCount
        guard !report.isMet else {
            return [style.green("\(count) expectation\(count == 1 ? "" : "s"), all met")]
        }
        return failureLines.flatMap { $0.wrapped(to: width, indent: "  ").map(style.red) }
    }
}

extension ScenarioReport.Content {
    /// Whether it tells how a balance changed.
    fileprivate var isBalance: Bool { if case .balance = self { true } else { false } }
}
