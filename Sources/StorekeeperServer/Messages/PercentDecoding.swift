extension Substring {
    /// The percent-decoded text; the text itself if the encoding is malformed or the result is not UTF-8.
    var percentDecoded: String { removingPercentEncoding ?? String(self) }

    /// The percent-decoded text; `nil` if the encoding is malformed or the result is not UTF-8.
    ///
    /// - SeeAlso: RFC 3986, 2.1, "Percent-Encoding".
    var removingPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// Whether the text is not empty and consists of visible ASCII characters.
    var isVisibleASCII: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// Whether the text contains U+FFFD, which replaces bytes that are not UTF-8.
    var hasReplacement: Bool { unicodeScalars.contains("\u{FFFD}") }

    /// The percent-decoded names and values of a URL query; a plus sign is decoded as a space.
    ///
    /// `nil` if a part is malformed or not UTF-8.
    var strictFormFields: [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in replacing("+", with: " ").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first?.removingPercentEncoding,
                let value = parts.count > 1 ? parts[1].removingPercentEncoding : ""
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
