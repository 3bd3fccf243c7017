import Storekeeper
package import StorekeeperSimulator

/// An attempt to send a notification, which a journal records as a comment of its scenario.
package struct AttemptRecord: Hashable, Sendable {
    /// The id of the happening that the notification reports.
    package let happening: Happening.ID
    /// The attempt.
    package let attempt: SendAttempt

    /// Creates a record.
    package init(happening: Happening.ID, attempt: SendAttempt) {
        self.happening = happening
        self.attempt = attempt
    }

    /// The record as a line, without a line feed; a response's body is left out.
    package var line: String {
        let response = attempt.response
        let details = response.status.map { " \($0) \(response.milliseconds ?? 0)" } ?? ""
        return "# sent \(happening) \(attempt.at.millisecondsSince1970) \(attempt.result.rawValue)\(details)"
    }

    /// Parses a line of a journal; `nil` if the line is not a record.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard [5, 7].contains(words.count), words[0] == "#", words[1] == "sent", let happening = Int(words[2]),
            let milliseconds = Int64(words[3]), let at = Instant(millisecondsSince1970: milliseconds),
            let result = SendAttempt.Result(rawValue: String(words[4]))
        else { return nil }
        var response = WebhookResponse(result)
        if words.count == 7 { (response.status, response.milliseconds) = (Int(words[5]), Int(words[6])) }
        self.init(happening: happening, attempt: SendAttempt(at: at, response: response))
    }
}
