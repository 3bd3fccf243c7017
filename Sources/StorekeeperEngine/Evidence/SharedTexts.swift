/// Texts that many facts of one customer have in common, kept once each: those too long to stand in a string itself.
///
/// Saves the memory, and equal texts in one place are compared without being read.
package struct SharedTexts: Sendable {
    private struct Entry: Sendable {
        let ends: ByteScan.Ends
        let string: String
    }

    /// The text that was met last of those that belong to a place; none where nothing is to be shared.
    private var places: [Entry?]

    /// The longest text that stands in a string itself.
    private static let longestInline = 15

    /// Makes room for a customer's texts, of which there are a handful.
    package init() { places = [Entry?](repeating: nil, count: 64) }

    private init(places: [Entry?]) { self.places = places }

    /// Shares nothing, where there is but one fact.
    package static var none: SharedTexts { SharedTexts(places: []) }

    /// The text of a string; `nil` for anything else.
    mutating func string(of token: JSONToken, in text: Span<UInt8>) -> String? {
        guard token.kind == .string, token.length > Self.longestInline, !places.isEmpty else {
            return token.string(in: text)
        }
        let bytes = text.extracting(token.range)
        let ends = ByteScan.Ends(of: bytes)
        let place = Int(truncatingIfNeeded: ends.fingerprint >> 32) & (places.count - 1)
        if let known = places[place], known.ends == ends, ends.areAll || Self.areEqual(known.string, bytes) {
            return known.string
        }
        guard let string = token.string(in: text) else { return nil }
        places[place] = Entry(ends: ends, string: string)
        return string
    }

    private static func areEqual(_ string: String, _ bytes: Span<UInt8>) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { ByteScan.areEqual($0.span, bytes) } ?? false
    }
}
