/// Looks at bytes eight at a time, for the few loops that see every byte of the evidence.
enum ByteScan {
    /// A one in the lowest bit of each byte.
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    /// A one in the highest bit of each byte.
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first position of a byte at or behind another position; `nil` where there is none.
    static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
        let pattern = ones &* UInt64(byte)
        let raw = bytes.bytes
        var position = start
        while position + 8 <= bytes.count {
            let difference = raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self) ^ pattern
            // Set in every byte that is zero, and perhaps in bytes behind such a one, never before it.
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

    /// How many bytes from a position on are plain text of a JSON string, looked at in steps of eight: neither
    /// quote nor backslash, neither control character nor beyond ASCII.
    static func plainText(in bytes: Span<UInt8>, from start: Int) -> Int {
        let raw = bytes.bytes
        var position = start
        while position + 8 <= bytes.count {
            let word = raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let special =
                (word | (word &- (ones &* 0x20)) | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash))
                & highs
            if special != 0 { return position + special.littleEndian.trailingZeroBitCount / 8 - start }
            position += 8
        }
        return position - start
    }

    /// Whether two texts are the same; faster than `==` for long ones, because it does not stop early.
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        let (leftRaw, rightRaw) = (left.bytes, right.bytes)
        var difference: UInt64 = 0
        var position = 0
        while position + 8 <= left.count {
            difference |=
                leftRaw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
                ^ rightRaw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        if left.count >= 8 {
            // The rest together with some bytes before it.
            let end = left.count - 8
            difference |=
                leftRaw.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
                ^ rightRaw.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
        } else {
            for position in 0..<left.count { difference |= UInt64(left[position] ^ right[position]) }
        }
        return difference == 0
    }

    /// A number that is the same for equal texts and mostly different for others: from the length, and the
    /// first and last eight bytes.
    static func fingerprint(_ bytes: Span<UInt8>, from start: Int, count: Int) -> UInt64 {
        var (first, last): (UInt64, UInt64) = (0, 0)
        if count >= 8 {
            first = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
            last = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start + count - 8, as: UInt64.self)
        } else {
            for position in start..<start + count { first = first << 8 | UInt64(bytes[position]) }
        }
        let mixed = (first &* 0x9E37_79B9_7F4A_7C15) ^ (last << 32 | last >> 32)
        return mixed &* 0xD6E8_FEB8_6659_FD93 ^ UInt64(truncatingIfNeeded: count)
    }
}
