package import FoundationEssentials

/// Reads UUIDs from text faster than Foundation, which needs about a microsecond for each UUID.
package enum UUIDText {
    /// Returns the UUID of a text of 36 characters; `nil` for any other text.
    ///
    /// The text consists of hexadecimal digits in either case, with dashes in the standard places.
    package static func uuid(_ text: some Collection<UInt8>) -> UUID? {
        text.withContiguousStorageIfAvailable { uuid($0.span) } ?? uuid(Array(text).span)
    }

    private static func uuid(_ text: Span<UInt8>) -> UUID? {
        guard text.count == 36 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for position in text.indices {
            let byte = text[position]
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = byte.hexadecimalValue else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        func byte(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
                byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
