import Storekeeper

/// The result of one check of a set-up.
struct Finding: Hashable {
    /// The outcome of the check.
    enum Verdict: String {
        case ok, warning, failure
    }

    /// The name of the check, such as `clock`.
    let check: String
    /// The outcome of the check.
    let verdict: Verdict
    /// The text of the finding.
    let what: String
    /// The remedy; `nil` if nothing is wrong.
    let remedy: String?

    private init(_ check: String, _ verdict: Verdict, _ what: String, _ remedy: String?) {
        self.check = check
        self.verdict = verdict
        self.what = what
        self.remedy = remedy
    }

    static func ok(_ check: String, _ what: String) -> Finding { Finding(check, .ok, what, nil) }

    static func warning(_ check: String, _ what: String, _ remedy: String) -> Finding {
        Finding(check, .warning, what, remedy)
    }

    static func failure(_ check: String, _ what: String, _ remedy: String) -> Finding {
        Finding(check, .failure, what, remedy)
    }

    /// Returns the failure for an error that prevented a check.
    static func failure(_ check: String, _ error: CommandError) -> Finding {
        Finding(check, .failure, "\(error.what) (\(error.place))", error.advice)
    }

    /// Returns the finding as text.
    ///
    /// - Parameter width: The maximum number of columns of a line.
    func lines(_ style: TerminalStyle, width: Int) -> [String] {
        let word = verdict.rawValue + String(repeating: " ", count: Self.widest - verdict.rawValue.count)
        let painted =
            switch verdict {
            case .ok: style.green(word)
            case .warning: style.yellow(word)
            case .failure: style.red(word)
            }
        let name = check + String(repeating: " ", count: max(0, Self.widestCheck - check.count))
        let prefix = "\(word)  \(name)  "
        let text = what + (remedy.map { ": \($0)" } ?? "")
        var lines = Paragraph.lines(
            text, width: width, first: prefix, indent: String(repeating: " ", count: prefix.count))
        lines[0] = painted + lines[0].dropFirst(word.count)
        return lines
    }

    private static let widest = "failure".count
    private static let widestCheck = "notifications".count

    /// The JSON object for this finding in the list of findings.
    var json: JSONText {
        .object([
            "check": .string(check), "result": .string(verdict.rawValue), "finding": .string(what),
            "remedy": .text(remedy),
        ])
    }
}
