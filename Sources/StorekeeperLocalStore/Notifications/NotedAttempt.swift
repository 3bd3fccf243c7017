import Storekeeper
package import StorekeeperSimulator

/// An attempt to send a notification, as a journal has it: a comment, which scenarios may hold.
package struct NotedAttempt: Hashable, Sendable {
    /// What the notification tells of.
    package let happening: Happening.ID
    /// The attempt.
    package let attempt: SendAttempt

    /// Makes a note.
    package init(happening: Happening.ID, attempt: SendAttempt) {
        self.happening = happening
        self.attempt = attempt
    }

    /// The note as a line, without its end.
    package var line: String {
        "# sent \(happening) \(attempt.at.millisecondsSince1970) \(attempt.result.rawValue)"
    }

    /// Reads a line; `nil` for any that is no such note.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == "#", words[1] == "sent", let happening = Int(words[2]),
            let milliseconds = Int64(words[3]), let at = Instant(millisecondsSince1970: milliseconds),
            let result = SendAttempt.Result(rawValue: String(words[4]))
        else { return nil }
        self.init(happening: happening, attempt: SendAttempt(at: at, result: result))
    }
}
