import Storekeeper
import StorekeeperPages

/// Compares the clock of this machine with the clock of a server.
enum ClockCheckup {
    /// The difference in milliseconds above which a server may refuse tokens, because a token is valid for only a few
    /// minutes.
    static let limit: Int64 = 300_000
    /// The difference in milliseconds above which the clock is reported as not synchronized.
    static let tolerance: Int64 = 30_000

    /// Returns the finding about the difference of the two clocks.
    ///
    /// - Parameters:
    ///   - now: The time of this machine.
    ///   - served: The time of the server.
    static func finding(now: Instant, served: Instant) -> Finding {
        let difference = now.millisecondsSince1970 - served.millisecondsSince1970
        let seconds = difference.magnitude / 1000
        let word = difference > 0 ? "ahead of" : "behind"
        guard difference.magnitude > UInt64(tolerance) else {
            return .ok("clock", "within \(seconds + 1) s of the server's")
        }
        let what = "this machine's clock is \(seconds) s \(word) the server's"
        let remedy = "let a time service set it, such as systemd-timesyncd or chrony"
        return difference.magnitude > UInt64(limit)
            ? .failure("clock", what + ", and tokens are refused", remedy) : .warning("clock", what, remedy)
    }

    /// Parses the header `Date` of a response; returns `nil` if the header is invalid.
    static func instant(httpDate text: String) -> Instant? { HTTPDate.instant(text) }
}
