import Storekeeper

// Numbers instead of durations: the question is measured, not the computation of its instant.
extension Instant {
    /// The instant a number of milliseconds later.
    func adding(milliseconds: Int64) -> Instant {
        Instant(millisecondsSince1970: millisecondsSince1970 + milliseconds) ?? .distantFuture
    }

    /// The instant a number of days of 24 hours later.
    func adding(days: Int) -> Instant { adding(milliseconds: Int64(days) * 86_400_000) }
}
