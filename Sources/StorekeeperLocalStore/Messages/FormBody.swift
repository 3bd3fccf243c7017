import Storekeeper
import StorekeeperPages

/// The body of a submitted form.
struct FormBody: Sendable {
    /// An uploaded file.
    struct File: Sendable {
        /// The name of the form field of the file.
        let field: String
        /// The name of the file.
        let name: String
        let bytes: [UInt8]
    }

    /// The fields in the order in which they were sent.
    private(set) var fields: [(name: String, value: String)] = []
    /// The uploaded files.
    private(set) var files: [File] = []

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: The type of the body: `application/x-www-form-urlencoded`, or `multipart/form-data` with a
    ///     boundary.
    /// - Throws: ``APIError/badRequest(_:)`` for another type, and for a malformed body.
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
                throw .badRequest("the form has no boundary")
            }
            try readParts(of: bytes, boundary: Array("--\(boundary)".utf8))
        default: throw .badRequest("a form is application/x-www-form-urlencoded or multipart/form-data")
        }
    }

    /// Returns the first non-empty value of a field.
    func value(_ name: String) -> String? { fields.first { $0.name == name && !$0.value.isEmpty }?.value }

    // MARK: Parts

    /// The maximum number of parts in a form.
    private static let maximumParts = 256

    /// Reads the parts of a `multipart/form-data` body.
    ///
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
            // If no file was chosen, browsers send a part without a file name and content.
            if !name.isEmpty || !content.isEmpty { files.append(File(field: field, name: name, bytes: content)) }
        } else {
            guard let value = String(validating: content, as: UTF8.self) else {
                throw .badRequest("the form is not UTF-8")
            }
            fields.append((field, value))
        }
    }

    /// Returns a parameter of a header, without quotes.
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
