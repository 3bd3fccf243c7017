/// Examines bytes eight at a time, for the few loops that read every byte of the evidence.
enum ByteScan {
    /// A one in the lowest bit of each byte.
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    /// A one in the highest bit of each byte.
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Returns the first position of a byte at or after a position; `nil` if the bytes do not contain it.
    static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
        let pattern = ones &* UInt64(byte)
        let raw = bytes.bytes
        var position = start
        while position + 8 <= bytes.count {
            let difference = raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self) ^ pattern
            // The highest bit is set in every zero byte. It may be set in bytes after the first zero byte, but never
            // before.
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

    /// Returns the number of ASCII bytes from a position on that are not quotes, backslashes or control characters.
    ///
    /// Only whole groups of eight bytes are examined, so that the result does not count up to seven bytes at the end.
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

    /// Returns the eight bytes from a position on as a number with the first byte lowest; the span must contain all
    /// eight.
    @inline(__always)
    private static func word(in bytes: Span<UInt8>, at position: Int) -> UInt64 {
        bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self).littleEndian
    }

    /// Returns the four bytes from a position on as a number with the first byte lowest; the span must contain all
    /// four.
    @inline(__always)
    static func fourBytes(in bytes: Span<UInt8>, at position: Int) -> UInt32 {
        bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt32.self).littleEndian
    }

    /// Returns the end of the decimal digits that begin at a position.
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

    /// Returns 0 if all bytes are decimal digits; otherwise the lowest nonzero byte of the result is at the place of
    /// the first other byte.
    private static func otherThanDigits(_ word: UInt64) -> UInt64 {
        // A digit is 0x30 to 0x39. Its upper four bits are 3, and are still 3 after six is added.
        ((word ^ (ones &* 0x30)) | ((word &+ (ones &* 0x06)) ^ (ones &* 0x30))) & (ones &* 0xF0)
    }

    /// Returns the number in the bytes from a position to the end; `nil` unless they are 1 to 18 decimal digits.
    static func wholeNumber(in bytes: Span<UInt8>, from start: Int) -> Int64? {
        guard start < bytes.count, bytes.count - start <= 18 else { return nil }
        var value: UInt64 = 0
        var position = start
        while position + 8 <= bytes.count {
            var word = word(in: bytes, at: position)
            guard otherThanDigits(word) == 0 else { return nil }
            // The first digit is in the lowest byte. Each line joins neighboring numbers: two of one digit, then two of
            // two digits, then two of four digits.
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
    /// For long texts this function is faster than `==`, because its loop does not stop at the first difference.
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

    /// The first and the last eight bytes and the length of a text, which are the whole text if it has at most 16
    /// bytes.
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
