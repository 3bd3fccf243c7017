import Storekeeper

extension Instant {
    /// The instant a number of milliseconds later.
    func adding(milliseconds: Int64) -> Instant { advanced(by: .milliseconds(milliseconds)) }

    /// The instant a number of days of 24 hours later.
    func adding(days: Int) -> Instant { advanced(by: .seconds(days * 86_400)) }
}
