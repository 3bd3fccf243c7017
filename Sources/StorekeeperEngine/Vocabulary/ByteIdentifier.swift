/// An id, a key or a name that is compared by its bytes.
///
/// Swift considers two texts equal if they are canonically equivalent, even if their bytes differ. For example, `é` may
/// be one code point, or an `e` followed by a combining accent. A database and the App Store consider such texts
/// different. Ids of different subjects are different types, so that a product's id cannot be used as the name of a
/// balance by mistake.
public struct ByteIdentifier<Subject>: Hashable, Comparable, Sendable {
    /// The text.
    public let rawValue: String

    /// Creates an id from its text.
    @inlinable
    public init(_ text: String) { rawValue = text }

    /// Creates an id from its text.
    @inlinable
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns whether two ids have the same bytes.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

    /// Returns whether an id precedes another id in the order of bytes, as in a database.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.rawValue.precedesByBytes(right.rawValue) }

    /// Hashes the bytes.
    @inlinable
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

extension ByteIdentifier: ExpressibleByStringInterpolation {
    /// Creates an id from a literal.
    @inlinable
    public init(stringLiteral value: String) { rawValue = value }
}

extension ByteIdentifier: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}

extension ByteIdentifier: Codable {
    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension String {
    /// Returns whether two texts have the same bytes.
    ///
    /// The comparison with `==` is fast, but it is also true for texts that are canonically equivalent and have
    /// different bytes. A different text that is canonically equivalent to an ASCII text has more bytes. For an ASCII
    /// text, comparing the number of bytes therefore suffices. All other texts are compared byte by byte.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        self == other && utf8.count == other.utf8.count
            && (utf8.count == utf16.count || comparesBytes(with: other))
    }

    @usableFromInline
    package func comparesBytes(with other: String) -> Bool {
        let answer = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { ByteScan.areEqual(own.span, $0.span) }
        }
        return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Returns the text with another text in place of each occurrence of the bytes of a part.
    ///
    /// `replacing(_:with:)` compares characters, and overlooks a part beside a combining mark.
    package func replacingBytes(of part: String, with other: String) -> String {
        guard !part.isEmpty else { return self }
        return String(decoding: Array(utf8).replacing(Array(part.utf8), with: Array(other.utf8)), as: UTF8.self)
    }

    /// Returns whether a text precedes another text in the order of bytes, as in a database.
    @usableFromInline
    package func precedesByBytes(_ other: String) -> Bool {
        let answer = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.lexicographicallyPrecedes($0) }
        }
        return (answer ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Hashes the bytes and a terminator.
    ///
    /// The terminator is 0xFF, which does not occur in UTF-8. Without the terminator, the pair of texts `ab` and `c`
    /// would have the same hash as the pair `a` and `bc`.
    @usableFromInline
    package func hashBytes(into hasher: inout Hasher) {
        if utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
        hasher.combine(0xFF as UInt8)
    }
}
