import Storekeeper
import StorekeeperSimulator

/// What came of a scenario, as `simulate` prints it.
struct ScenarioStory {
    let report: ScenarioReport
    /// Whether it need not be said whom something is about.
    let isOnePerson: Bool

    init(_ report: ScenarioReport, isOnePerson: Bool) {
        self.report = report
        self.isOnePerson = isOnePerson
    }

    // MARK: Text

    /// The story as a time line, the answers of the engine beside what happened.
    func text(_ about: String?, style: TerminalStyle) -> String {
        var text = style.bold(report.story.onOneLine) + "\n"
        for line in (about ?? "").split(separator: "\n") { text += line.onOneLine + "\n" }
        return text + "\n" + lines(report.entries, style: style).map { $0 + "\n" }.joined()
    }

    /// Lines of a table, one or more for each entry.
    func lines(_ entries: [ScenarioReport.Entry], style: TerminalStyle) -> [String] {
        var table = TextTable("TIME", "AT THE APP STORE", "THE ENGINE")
        var last: Instant?
        var left: [String] = []
        var right: [String] = []
        var at: Instant?
        func flush() {
            for row in 0..<max(left.count, right.count) {
                let time = at == last ? "" : at?.description ?? ""
                last = at
                table.add(
                    Self.brief(time), Self.brief(row < left.count ? left[row] : ""),
                    Self.brief(row < right.count ? right[row] : ""))
            }
            (left, right) = ([], [])
        }
        for entry in entries {
            if entry.at != at { flush() }
            at = entry.at
            switch entry.content {
            case .step(let step):
                flush()
                // What is expected follows, piece by piece.
                if !Self.isQuestion(step) { left.append("> \(step)") }
            case .happening(let happening): left.append("  \(subject(entry))\(Self.words(happening))")
            case .outcome(let text): left.append("  \(text)")
            case .answer(let change): right.append("\(subject(entry))\(Self.words(change))")
            case .balance(let name, let before, let after):
                right.append("\(subject(entry))\(name) \(before) to \(after)")
            case .expectation(let isMet, let expected, let found):
                flush()
                left.append("> expect \(expected)")
                right.append(isMet ? "as expected" : "NOT AS EXPECTED: \(found)")
            case .failure(let message): right.append("FAILED: \(message)")
            }
        }
        flush()
        return table.lines(style, painting: 2) { cell, text in
            if text.hasPrefix("as expected") { return style.green(cell) }
            return text.hasPrefix("NOT") || text.hasPrefix("FAILED") ? style.red(cell) : cell
        }
    }

    /// Whether a step only looks at what is.
    private static func isQuestion(_ step: String) -> Bool {
        ["expect", "notifications", "happened", "events"].contains(step.prefix { $0 != " " })
    }

    /// A text whose times leave out what is zero at their end; a scenario takes them as well.
    private static func brief(_ text: String) -> String {
        text.replacing("T00:00:00.000Z", with: "").replacing(":00.000Z", with: "Z").replacing(".000Z", with: "Z")
    }

    private func subject(_ entry: ScenarioReport.Entry) -> String {
        isOnePerson ? "" : entry.person.map { "\($0): " } ?? ""
    }

    private static func words(_ happening: Happening) -> String {
        var text = "\(happening.kind)"
        if let product = happening.productID { text += " \(product)" }
        if let note = happening.note { text += " (\(note))" }
        if let notification = happening.notification { text += ", \(notification)" }
        return text
    }

    private static func words(_ change: ScenarioChange) -> String {
        if case .group = change.subject { return change.text }
        let until = change.after.until.map { " until \($0)" } ?? ""
        let because = change.after.word == "never" ? "" : " because \(change.after.reason)"
        return "\(change.after.word) \(change.name)\(because)\(change.after.word == "entitled" ? until : "")"
    }

    /// What was not as expected, each with its place.
    var failureLines: [String] {
        report.failures.map {
            "\(report.file):\($0.line): expected \($0.expected), found \($0.found)".onOneLine
        }
    }

    /// What is to be said at the end.
    func verdict(style: TerminalStyle) -> [String] {
        let count = report.expectationCount
        guard !report.isMet else {
            return [style.green("\(count) expectation\(count == 1 ? "" : "s"), all met")]
        }
        return failureLines.map { style.red($0) }
    }

    // MARK: JSON

    /// The document.
    func json(now: Instant) -> JSONText {
        guard case .object(var members) = summary else { return summary }
        members["entries"] = .array(report.entries.map(json))
        members["end"] = .time(now)
        return .object(members)
    }

    /// The document without the story.
    var summary: JSONText {
        .object([
            "file": .string(report.file), "story": .string(report.story), "seed": .string(String(report.seed)),
            "start": .time(report.start), "met": .bool(report.isMet),
            "expectations": .whole(report.expectationCount),
            "failures": .array(
                report.failures.map {
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
        func put(_ kind: String, _ more: [String: JSONText]) {
            members["kind"] = .string(kind)
            members.merge(more) { $1 }
        }
        switch entry.content {
        case .step(let text): put("step", ["text": .string(text)])
        case .happening(let happening):
            put(
                "happening",
                [
                    "what": .string("\(happening.kind)"), "app": .text(happening.app),
                    "productID": .text(happening.productID), "transactionID": .text(happening.transactionID?.rawValue),
                    "originalTransactionID": .text(happening.originalTransactionID?.rawValue),
                    "expires": .time(happening.expiresAt), "note": .text(happening.note),
                    "notification": .text(happening.notification), "status": .whole(happening.status),
                ])
        case .answer(let change):
            put(
                "answer",
                [
                    "subject": .string(change.name), "answer": .string(change.after.word),
                    "reason": .string(change.after.reason), "productID": .text(change.after.productID),
                    "transactionID": .text(change.after.transactionID?.rawValue), "until": .time(change.after.until),
                ])
        case .balance(let name, let before, let after):
            put("balance", ["balance": .string(name), "before": .whole(before), "after": .whole(after)])
        case .outcome(let text): put("outcome", ["text": .string(text)])
        case .expectation(let isMet, let expected, let found):
            put("expectation", ["met": .bool(isMet), "expected": .string(expected), "found": .string(found)])
        case .failure(let message): put("failure", ["message": .string(message)])
        }
        return .object(members)
    }
}
