extension String {
    /// The text of a JSON document with all characters outside of ASCII escaped.
    var asciiJSON: String {
        utf16.reduce(into: "") { line, unit in
            if unit < 0x7F {
                line.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
