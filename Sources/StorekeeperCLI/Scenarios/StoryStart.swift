import Storekeeper

/// When a story begins, as `--start` says it.
enum StoryStart {
    /// The instant; `nil` where nothing is said, so that the file holds.
    static func instant(_ text: String?) throws(CommandError) -> Instant? {
        guard let text else { return nil }
        if text == "now" { return WallClock().now }
        guard let instant = Instant(text) else {
            throw .usage("'\(text)' is not a time", at: "--start", "write 'now', or a time like 2026-03-01T09:30:00Z")
        }
        return instant
    }
}
