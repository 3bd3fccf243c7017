/// A version of an app, compared number by number.
///
/// A missing part is 0, so `2` equals `2.0`, and `1.10` is later than `1.9`.
struct AppVersion: Comparable, Sendable {
    /// The parts in decimal digits, without leading zeros and without zeros at the end of the version.
    ///
    /// The parts stay text, because a build number can be longer than any integer type, such as a date and a time.
    private let parts: [[UInt8]]

    /// Reads a version; `nil` if the text is not decimal numbers that are separated by dots.
    init?(_ text: String) {
        var parts: [[UInt8]] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
            parts.append(Array(part.drop { $0 == UInt8(ascii: "0") }))
        }
        while parts.last?.isEmpty == true { parts.removeLast() }
        self.parts = parts
    }

    static func < (left: AppVersion, right: AppVersion) -> Bool {
        for (a, b) in zip(left.parts, right.parts) where a != b {
            return a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
        }
        return left.parts.count < right.parts.count
    }
}
