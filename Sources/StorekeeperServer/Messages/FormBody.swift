import Storekeeper

/// The fields and files of a submitted form.
struct FormBody: Sendable {
    /// An uploaded file.
    struct File: Sendable {
        /// The name of the field.
        let field: String
        /// The file's name on the sender's machine.
        let name: String
        let bytes: [UInt8]
    }

    /// The fields in order.
    private(set) var fields: [(name: String, value: String)] = []
    /// The uploaded files.
    private(set) var files: [File] = []

    /// Parses a body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: The media type: `application/x-www-form-urlencoded`, or `multipart/form-data` with a boundary.
    /// - Throws: ``APIError/badRequest(_:)`` for another type or a malformed body.
    init(_ bytes: [UInt8], contentType: String?) throws(APIError) {
        let type = contentType ?? ""
        let name = type.prefix { $0 != ";" }.lowercased()
        switch name.filter({ !$0.isWhitespace }) {
        case "application/x-www-form-urlencoded":
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .badRequest("the form is not UTF-8")
            }
            fields = text.formFields
        case "multipart/form-data":
            guard let boundary = Self.parameter("boundary", of: type), !boundary.isEmpty else {
                throw .badRequest("the form names no boundary")
            }
            try readParts(of: bytes, boundary: Array("--\(boundary)".utf8))
        default: throw .badRequest("a form is application/x-www-form-urlencoded or multipart/form-data")
        }
    }

    /// Returns the first value of a field that is not empty.
    func value(_ name: String) -> String? { fields.first { $0.name == name && !$0.value.isEmpty }?.value }

    // MARK: Parts

    /// The maximum number of parts of a form.
    private static let maximumParts = 256

    /// - SeeAlso: RFC 7578, "Returning Values from Forms: multipart/form-data".
    private mutating func readParts(of bytes: [UInt8], boundary: [UInt8]) throws(APIError) {
        let lineEnd = Array("\r\n".utf8)
        guard bytes.starts(with: boundary) else { throw .badRequest("the form does not begin with its boundary") }
        var rest = bytes[boundary.count...]
        for _ in 0..<Self.maximumParts {
            if rest.starts(with: Array("--".utf8)) { return }
            guard rest.starts(with: lineEnd), let end = rest.firstRange(of: lineEnd + boundary) else {
                throw .badRequest("a part of the form has no end")
            }
            let part = rest[(rest.startIndex + lineEnd.count)..<max(end.lowerBound, rest.startIndex + lineEnd.count)]
            try read(part: part)
            rest = rest[end.upperBound...]
        }
        throw .badRequest("the form has more than \(Self.maximumParts) parts")
    }

    private mutating func read(part: ArraySlice<UInt8>) throws(APIError) {
        guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw .badRequest("a part of the form has no content")
        }
        let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
        let content = Array(part[blank.upperBound...])
        let disposition = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
        guard let disposition, let field = Self.parameter("name", of: String(disposition)) else {
            throw .badRequest("a part of the form has no name")
        }
        if let name = Self.parameter("filename", of: String(disposition)) {
            // If no file was chosen, browsers send one without name and content.
            if !name.isEmpty || !content.isEmpty { files.append(File(field: field, name: name, bytes: content)) }
        } else {
            guard let value = String(validating: content, as: UTF8.self) else {
                throw .badRequest("the form is not UTF-8")
            }
            fields.append((field, value))
        }
    }

    /// Returns a parameter of a header, without its quotes.
    private static func parameter(_ name: String, of header: String) -> String? {
        var rest = header[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " }
            guard rest.lowercased().hasPrefix("\(name)=") else { continue }
            rest = rest.dropFirst(name.count + 1)
            guard rest.first == "\"" else { return String(rest.prefix { $0 != ";" && $0 != " " }) }
            return String(rest.dropFirst().prefix { $0 != "\"" })
        }
        return nil
    }
}

extension String {
    /// The percent-decoded names and values of a form or a URL query; a plus sign is decoded as a space.
    var formFields: [(name: String, value: String)] {
        guard !isEmpty else { return [] }
        return replacing("+", with: " ").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts.first?.percentDecoded ?? "", parts.count > 1 ? parts[1].percentDecoded : "")
        }
    }

    /// The text, percent-encoded for the query of a URL.
    var percentEncoded: String {
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
}
