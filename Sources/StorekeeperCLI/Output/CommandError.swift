import Storekeeper

/// Why a command ends without an answer: one line that says what, where and what to do.
struct CommandError: Error, CustomStringConvertible {
    var status: ExitStatus
    /// What is wrong.
    var what: String
    /// The file, option or place it is about.
    var place: String
    /// What to do.
    var advice: String
    /// What is to be said of the evidence all the same, where it is no ground for any answer.
    var verdict: EvidenceVerdict?

    init(_ status: ExitStatus, _ what: String, at place: String, _ advice: String) {
        self.status = status
        self.what = what
        self.place = place
        self.advice = advice
    }

    /// The line for standard error, without a line feed.
    var description: String { "storekeeper: error: \(what) (\(place)): \(advice)".onOneLine }

    /// Wrong usage of an option or argument.
    static func usage(_ what: String, at place: String, _ advice: String) -> CommandError {
        CommandError(.usage, what, at: place, advice)
    }

    /// A name that nobody knows, and the one that may have been meant or the first of those that are known.
    ///
    /// - Parameter kind: What is named, which is also the option that names it: `feature`, `group`.
    static func unknownName(
        _ kind: String, _ name: String, known names: [String], _ advice: String
    ) -> CommandError {
        if let near = NearestWord.near(name, among: names) {
            return .usage("there is no \(kind) '\(name)'", at: "--\(kind)", "did you mean '\(near)'?")
        }
        let list = names.isEmpty ? "none is known" : "known: \(names.prefix(8).joined(separator: ", "))"
        return .usage("there is no \(kind) '\(name)'; \(list)", at: "--\(kind)", advice)
    }
}

extension StringProtocol {
    /// The text with everything that could move a terminal's cursor replaced by a blank, and what is no UTF-8 by the
    /// sign for that.
    var onOneLine: String {
        guard unicodeScalars.contains(where: { Self.isControl($0) || ForeignBytes.isOne($0) }) else {
            return String(self)
        }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(ForeignBytes.isOne(scalar) ? "\u{FFFD}" : Self.isControl(scalar) ? " " : scalar)
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters turn the direction of text round; line separators break lines.
        case .control, .lineSeparator, .paragraphSeparator, .format: true
        default: false
        }
    }
}
