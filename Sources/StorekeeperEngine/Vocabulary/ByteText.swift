/// A text that is the same as another only where its bytes are.
///
/// Swift calls two texts equal that look alike although their bytes differ: `é` as one letter and as `e` with an accent.
/// To a database, and to the App Store, they are two. Ids, keys and names of balances are what their bytes are, so that
/// what is looked up by them is looked up by this.
public struct ByteText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text.
    public let text: String

    /// Makes it of a text.
    public init(_ text: String) { self.text = text }

    /// Makes it of a literal.
    public init(stringLiteral value: String) { text = value }

    /// The text.
    public var description: String { text }

    /// Whether the bytes are the same.
    public static func == (left: ByteText, right: ByteText) -> Bool { areEqual(left.text, right.text) }

    /// Orders by bytes, as a database does.
    public static func < (left: ByteText, right: ByteText) -> Bool {
        let answer = left.text.utf8.withContiguousStorageIfAvailable { own in
            right.text.utf8.withContiguousStorageIfAvailable { own.lexicographicallyPrecedes($0) }
        }
        return (answer ?? nil) ?? left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the text, which is the same where the bytes are.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Whether two texts have the same bytes.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        let answer = left.utf8.withContiguousStorageIfAvailable { own in
            right.utf8.withContiguousStorageIfAvailable { ByteScan.areEqual(own.span, $0.span) }
        }
        return (answer ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }
}
