extension Substring {
    /// The text without percent-encoding; as it stands where that is malformed, or is no UTF-8 without it.
    var percentDecoded: String { removingPercentEncoding ?? String(self) }

    /// The text without percent-encoding; `nil` where that is malformed, or is no UTF-8 without it.
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
    /// Whether it is not empty and each character is a visible one of ASCII.
    var isVisibleASCII: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// Whether it has a U+FFFD, which stands where bytes were no UTF-8.
    var hasReplacement: Bool { unicodeScalars.contains("\u{FFFD}") }

    /// The names and values of the query of an address, percent-decoded; a plus is a blank.
    ///
    /// `nil` if one is malformed or is not UTF-8.
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
