import Storekeeper
import StorekeeperSimulator

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
        case .happening(let happening): append("happening", Happening.content.members(of: happening))
        case .answer(let change):
            let answer = StoreEvent.Answer.shape.members(of: change.after)
            append("answer", answer.merging(["subject": .string(change.name)]) { $1 })
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
