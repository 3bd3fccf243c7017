extension Substring {
    /// The percent-decoded text; the same text if it is malformed or its decoded bytes are not UTF-8.
    package var percentDecoded: String { removingPercentEncoding ?? String(self) }

    /// The percent-decoded text; `nil` if the text is malformed or its decoded bytes are not UTF-8.
    ///
    /// - SeeAlso: RFC 3986, 2.1, "Percent-Encoding".
    package var removingPercentEncoding: String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
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
    /// The percent-decoded names and values of a form or of a URL's query; a plus sign means a blank.
    package var formFields: [(name: String, value: String)] {
        encodedFormFields.map { ($0.name.percentDecoded, $0.value.percentDecoded) }
    }

    /// The names and values of a form or of a URL's query, with a blank in place of each plus sign.
    ///
    /// The text is divided at bytes, as by other programs, for which a delimiter before a combining mark is a delimiter.
    private var encodedFormFields: [(name: Substring, value: Substring)] {
        guard !isEmpty else { return [] }
        let text = String(decoding: utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        return text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (Substring(pair[..<end]), Substring(pair[end...].dropFirst()))
        }
    }

    /// The percent-encoded text for a URL query.
    package var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }

    /// Whether the text is not empty and contains only visible ASCII characters.
    package var isVisibleASCII: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// Whether the text contains U+FFFD, which replaces bytes that are not UTF-8.
    package var hasReplacement: Bool {
        // Almost every URL is ASCII, so a fast check of the bytes usually suffices.
        utf8.contains { $0 >= 0x80 } && unicodeScalars.contains("\u{FFFD}")
    }

    /// The percent-decoded names and values of a URL's query; a plus sign means a blank.
    ///
    /// `nil` if a name or value is malformed or is not UTF-8.
    package var strictFormFields: [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in encodedFormFields {
            guard let name = pair.name.removingPercentEncoding, let value = pair.value.removingPercentEncoding else {
                return nil
            }
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
