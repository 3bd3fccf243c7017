/// The base64url encoding of RFC 7515, which has no padding.
///
/// Each sequence of bytes has exactly one valid text.
package enum Base64URL: Sendable {
    /// Decodes a text strictly.
    ///
    /// - Returns: The content, or `nil` if the text has padding, white space, a character of plain base64, an
    ///   impossible length, or unused bits that are not zero.
    /// - SeeAlso: RFC 4648, section 5, and section 3.5, "Canonical Encoding".
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        if let result = text.withContiguousStorageIfAvailable({ decodeContiguous($0.span) }) { return result }
        return decodeContiguous(Array(text).span)
    }

    private static func decodeContiguous(_ text: Span<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        let size = text.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        var isValid = true
        let result = groups.withUnsafeBufferPointer { groups in
            // The index of the table is computed from a byte and its position in a group of four bytes.
            func group(_ byte: UInt8, _ place: Int) -> UInt32 { groups[place << 8 | Int(byte)] }
            return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                var all: UInt32 = 0
                for block in 0..<text.count / 4 {
                    let content =
                        group(text[4 * block], 0) | group(text[4 * block + 1], 1) | group(text[4 * block + 2], 2)
                        | group(text[4 * block + 3], 3)
                    all |= content
                    buffer[3 * block] = UInt8(truncatingIfNeeded: content >> 16)
                    buffer[3 * block + 1] = UInt8(truncatingIfNeeded: content >> 8)
                    buffer[3 * block + 2] = UInt8(truncatingIfNeeded: content)
                }
                if rest > 0 {
                    let start = text.count - rest
                    let content =
                        group(text[start], 0) | group(text[start + 1], 1)
                        | (rest == 3 ? group(text[start + 2], 2) : 0)
                    all |= content
                    buffer[size - rest + 1] = UInt8(truncatingIfNeeded: content >> 16)
                    if rest == 3 { buffer[size - 1] = UInt8(truncatingIfNeeded: content >> 8) }
                    if content & (rest == 3 ? 0xFF : 0xFFFF) != 0 { isValid = false }
                }
                if all & outsideAlphabet != 0 { isValid = false }
                count = size
            }
        }
        return isValid ? result : nil
    }

    /// Encodes bytes as text without padding.
    package static func encode(_ content: some Sequence<UInt8>) -> String {
        String(decoding: encodedBytes(Array(content)), as: UTF8.self)
    }

    /// Encodes bytes without padding, and returns the ASCII bytes of the text.
    package static func encodedBytes(_ content: [UInt8]) -> [UInt8] {
        let rest = content.count % 3
        let size = content.count / 3 * 4 + (rest == 0 ? 0 : rest + 1)
        return alphabet.withUnsafeBufferPointer { alphabet in
            [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                // Each group of six bits is the index of one of the 64 characters of the alphabet.
                func character(_ group: UInt32, _ shift: UInt32) -> UInt8 { alphabet[Int(group >> shift & 63)] }
                for block in 0..<content.count / 3 {
                    let group =
                        UInt32(content[3 * block]) << 16 | UInt32(content[3 * block + 1]) << 8
                        | UInt32(content[3 * block + 2])
                    buffer[4 * block] = character(group, 18)
                    buffer[4 * block + 1] = character(group, 12)
                    buffer[4 * block + 2] = character(group, 6)
                    buffer[4 * block + 3] = character(group, 0)
                }
                if rest > 0 {
                    let start = content.count - rest
                    let group = UInt32(content[start]) << 16 | (rest == 2 ? UInt32(content[start + 1]) << 8 : 0)
                    buffer[size - rest - 1] = character(group, 18)
                    buffer[size - rest] = character(group, 12)
                    if rest == 2 { buffer[size - 1] = character(group, 6) }
                }
                count = size
            }
        }
    }

    private static let alphabet: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The bit that is set for a byte outside the alphabet; the values of valid characters use only the lower 24 bits.
    private static let outsideAlphabet: UInt32 = 1 << 31

    /// A table with the six bits of each character, shifted to each of the four positions in a group of 24 bits.
    ///
    /// The index is `place << 8 | byte`.
    private static let groups: [UInt32] = {
        var groups = [UInt32](repeating: outsideAlphabet, count: 4 << 8)
        for (value, character) in alphabet.enumerated() {
            for place in 0..<4 { groups[place << 8 | Int(character)] = UInt32(value) << (18 - 6 * place) }
        }
        return groups
    }()
}
