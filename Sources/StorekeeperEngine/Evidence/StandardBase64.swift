/// Base64 with the standard alphabet and padding; each sequence of bytes has exactly one valid text.
///
/// - SeeAlso: RFC 4648, section 4, and section 3.5, "Canonical Encoding".
package enum StandardBase64: Sendable {
    /// Decodes a text strictly; `nil` if the text has white space, lacks padding, is base64url, or has unused bits
    /// other than zero.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var translated = Array(text)
        for _ in 0..<2 where translated.last == UInt8(ascii: "=") { translated.removeLast() }
        for position in translated.indices {
            switch translated[position] {
            case UInt8(ascii: "+"): translated[position] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): translated[position] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decode(translated)
    }

    /// Encodes content, with padding.
    package static func encode(_ content: some Sequence<UInt8>) -> String {
        var text = Base64URL.encode(content).utf8.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }
}
