/// Examines bytes eight at a time, for the few loops that read every byte of the evidence.
enum ByteScan {
    /// A 64-bit word in which the lowest bit of each byte is 1.
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    /// A 64-bit word in which the highest bit of each byte is 1.
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Returns the position of the first occurrence of a byte at or after `start`; `nil` if no occurrence exists.
    static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
        let pattern = ones &* UInt64(byte)
        let raw = bytes.bytes
        var position = start
        while position + 8 <= bytes.count {
            let difference = raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self) ^ pattern
            // The highest bit of a byte is set if this byte of `difference` is zero. The bit may also be set in bytes
            // after the first zero byte, but only the first is used.
            let zeros = (difference &- ones) & ~difference & highs
            if zeros != 0 { return position + zeros.littleEndian.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count {
            if bytes[position] == byte { return position }
            position += 1
        }
        return nil
    }

    /// Returns the length of the plain text that begins at `start`.
    ///
    /// Plain text is ASCII without quotation marks, backslashes and control characters. Only whole groups of eight
    /// bytes are examined, so that up to seven plain bytes at the end of `bytes` are not counted.
    @inline(__always)
    static func plainText(in bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count {
            let word = word(in: bytes, at: position)
            let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // In ASCII text, a subtraction sets the highest bit of each byte that is smaller than the subtracted byte.
            // The subtraction may also change the bytes after the first such byte, but only the first such byte is
            // used.
            let special = (word | (word &- (ones &* 0x20)) | (quote &- ones) | (backslash &- ones)) & highs
            if special != 0 { return position + special.trailingZeroBitCount / 8 - start }
            position += 8
        }
        return position - start
    }

    /// Returns the eight bytes from a position on as a little-endian number; the span must contain all eight bytes.
    @inline(__always)
    private static func word(in bytes: Span<UInt8>, at position: Int) -> UInt64 {
        bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self).littleEndian
    }

    /// Returns the four bytes from a position on as a little-endian number; the span must contain all four bytes.
    @inline(__always)
    static func fourBytes(in bytes: Span<UInt8>, at position: Int) -> UInt32 {
        bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt32.self).littleEndian
    }

    /// Returns the position after the decimal digits that begin at `start`.
    static func endOfDigits(in bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count {
            let word = word(in: bytes, at: position)
            let others = otherThanDigits(word)
            if others != 0 { return position + others.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position
    }

    /// Returns 0 if all eight bytes are decimal digits.
    ///
    /// For any other word, the lowest nonzero byte of the result marks the position of the first byte that is not a
    /// digit.
    private static func otherThanDigits(_ word: UInt64) -> UInt64 {
        // A digit is 0x30 to 0x39. Its upper four bits are 3, and are still 3 after six is added.
        ((word ^ (ones &* 0x30)) | ((word &+ (ones &* 0x06)) ^ (ones &* 0x30))) & (ones &* 0xF0)
    }

    /// Returns the number in the bytes from a position to the end; `nil` unless the bytes are 1 to 18 decimal digits.
    static func wholeNumber(in bytes: Span<UInt8>, from start: Int) -> Int64? {
        guard start < bytes.count, bytes.count - start <= 18 else { return nil }
        var value: UInt64 = 0
        var position = start
        while position + 8 <= bytes.count {
            var word = word(in: bytes, at: position)
            guard otherThanDigits(word) == 0 else { return nil }
            // The first digit is in the lowest byte. The first line below combines pairs of digits into numbers of two
            // digits, the second line forms numbers of four digits, and the third line forms one number of eight
            // digits.
            word = ((word & (ones &* 0x0F)) &* (10 << 8 + 1)) >> 8
            word = ((word & 0x00FF_00FF_00FF_00FF) &* (100 << 16 + 1)) >> 16
            word = ((word & 0x0000_FFFF_0000_FFFF) &* (10_000 << 32 + 1)) >> 32
            value = value * 100_000_000 + word
            position += 8
        }
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + UInt64(digit)
            position += 1
        }
        return Int64(value)
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
