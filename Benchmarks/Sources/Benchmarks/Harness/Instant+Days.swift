import Storekeeper

// By numbers and not by durations: what a question costs is measured, and not the way to its instant.
extension Instant {
    /// The instant a number of milliseconds later.
    func adding(milliseconds: Int64) -> Instant {
        Instant(millisecondsSince1970: millisecondsSince1970 + milliseconds) ?? .distantFuture
    }

    /// The instant a number of days of 24 hours later.
    func adding(days: Int) -> Instant { adding(milliseconds: Int64(days) * 86_400_000) }
}
