/// An id, a key or a name that equals another only if both have the same bytes.
///
/// Swift considers two texts equal that look alike although their bytes differ: `é` as one letter and as `e` with an
/// accent. To a database, and to the App Store, they differ. Ids of different subjects are different types, so that a
/// product's id cannot be used as the name of a balance by mistake.
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

    /// Orders by bytes, as a database does.
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
    /// `==` is the fastest comparison, and true for every such pair, but also for texts that are only canonically
    /// equivalent. A text that is equivalent to an ASCII text, and differs from it, has more bytes, because each ASCII
    /// character takes one byte.
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

    /// Returns whether a text precedes another in the order of their bytes, as in a database.
    @usableFromInline
    package func precedesByBytes(_ other: String) -> Bool {
        let answer = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.lexicographicallyPrecedes($0) }
        }
        return (answer ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Hashes the bytes and a terminator that no text contains, so that the parts of a key stay separate.
    @usableFromInline
    package func hashBytes(into hasher: inout Hasher) {
        if utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
        hasher.combine(0xFF as UInt8)
    }
}
