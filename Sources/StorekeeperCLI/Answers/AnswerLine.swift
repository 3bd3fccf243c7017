import Storekeeper

/// An answer as the line of text that `check` prints.
struct AnswerLine {
    let answer: EntitlementAnswer
    let until: Instant?

    /// The line, such as `entitled (gracePeriod) until 2026-03-15T00:00:00.000Z`.
    var text: String {
        "\(answer.word) (\(answer.reasonWord))\(until.map { " until \($0)" } ?? "")"
    }

    /// The exit status of a yes-or-no command for the answer.
    var status: ExitStatus {
        switch answer {
        case .entitled, .granted: .success
        case .pending, .lapsed, .never: .no
        case .unknown: .unknown
        }
    }
}
