/// The escapes of JSON strings.
enum JSONEscapes {
    /// Returns a string with its escapes resolved.
    ///
    /// - Parameter text: The text between the quotes, in which every escape is complete and valid because
    ///   ``JSONReader`` has checked it.
    static func resolved(_ text: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "u"):
                var code = hexValue(rest.prefix(4)) ?? 0xFFFD
                rest = rest.dropFirst(4)
                if isHighSurrogate(code) {
                    let low = hexValue(rest.dropFirst(2).prefix(4)) ?? 0xDC00
                    rest = rest.dropFirst(6)
                    code = 0x10000 + ((code - 0xD800) << 10) + (low &- 0xDC00)
                }
                result.append(contentsOf: UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init())
            default: result.append(escape)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the value of four hexadecimal digits; `nil` for any other text.
    static func hexValue(_ digits: some Collection<UInt8>) -> UInt32? {
        guard digits.count == 4 else { return nil }
        var value: UInt32 = 0
        for byte in digits {
            guard let digit = byte.hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    static func isHighSurrogate(_ code: UInt32) -> Bool { (0xD800...0xDBFF).contains(code) }
    static func isLowSurrogate(_ code: UInt32) -> Bool { (0xDC00...0xDFFF).contains(code) }
}
