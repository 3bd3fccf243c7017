/// Examines the bytes of evidence.
enum ByteScan {
    /// Returns the position of the first occurrence of a byte at or after `start`; `nil` if no occurrence exists.
    static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
        var position = start
        while position < bytes.count {
            if bytes[position] == byte { return position }
            position += 1
        }
        return nil
    }

    /// Returns the length of the plain text that begins at `start`.
    ///
    /// Plain text is ASCII without quotation marks, backslashes and control characters.
    @inline(__always)
    static func plainText(in bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        return position - start
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Returns the position after the decimal digits that begin at `start`.
    static func endOfDigits(in bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position
    }

    /// Returns the number in the bytes from a position to the end; `nil` unless the bytes are 1 to 18 decimal digits.
    static func wholeNumber(in bytes: Span<UInt8>, from start: Int) -> Int64? {
        guard start < bytes.count, bytes.count - start <= 18 else { return nil }
        var value: Int64 = 0
        for position in start..<bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// Returns the eight bytes from a position on as a little-endian number; the span must contain all eight bytes.
    @inline(__always)
    private static func word(in bytes: Span<UInt8>, at position: Int) -> UInt64 {
        bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self).littleEndian
    }

    /// Returns whether two texts are equal.
    ///
    /// For long texts, this function is faster than `==`, because its loop does not branch at a difference.
    @inline(__always)
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard left.count >= 8 else {
            for position in 0..<left.count where left[position] != right[position] { return false }
            return true
        }
        var difference: UInt64 = 0
        var position = 0
        while position + 8 <= left.count {
            difference |= word(in: left, at: position) ^ word(in: right, at: position)
            position += 8
        }
        // The last eight bytes include the remaining bytes, and perhaps bytes that were already compared.
        let end = left.count - 8
        return difference | (word(in: left, at: end) ^ word(in: right, at: end)) == 0
    }

    /// The first eight bytes, the last eight bytes and the length of a text.
    ///
    /// For a text of at most 16 bytes, these values determine the whole text.
    struct Ends: Equatable {
        let first: UInt64
        let last: UInt64
        let count: Int

        @inline(__always)
        init(of bytes: Span<UInt8>) {
            count = bytes.count
            if count >= 8 {
                first = word(in: bytes, at: 0)
                last = word(in: bytes, at: count - 8)
            } else {
                var first: UInt64 = 0
                for position in 0..<count { first = first << 8 | UInt64(bytes[position]) }
                self.first = first
                last = 0
            }
        }

        /// Whether the ends contain the whole text, so that texts with equal ends are equal.
        var areAll: Bool { count <= 16 }

        /// A number that is the same for equal texts, and usually different for different texts.
        @inline(__always)
        var fingerprint: UInt64 {
            let mixed = (first &* 0x9E37_79B9_7F4A_7C15) ^ (last << 32 | last >> 32)
            return mixed &* 0xD6E8_FEB8_6659_FD93 ^ UInt64(truncatingIfNeeded: count)
        }
    }
}
