import Storekeeper

/// Parses the value of `--start`, the instant at which a scenario begins.
enum StoryStart {
    /// Returns the instant; `nil` without the option, so that the start in the scenario's file applies.
    static func instant(_ text: String?) throws(CommandError) -> Instant? {
        guard let text else { return nil }
        if text == "now" { return WallClock().now }
        guard let instant = Instant(text) else {
            throw .usage("'\(text)' is not a time", at: "--start", "write 'now', or a time like 2026-03-01T09:30:00Z")
        }
        return instant
    }
}
