/// The blocks of a PEM text, even if its line breaks were lost or written as `\n`.
///
/// - SeeAlso: RFC 7468.
package struct PEMText: Sendable {
    /// A block such as `-----BEGIN PRIVATE KEY-----` … `-----END PRIVATE KEY-----`.
    struct Block: Sendable {
        /// The label without spaces and in upper case, such as `PRIVATEKEY`.
        var label: String
        /// The content; `nil` if the block is cut off or is not base64.
        var der: [UInt8]?
    }

    private(set) var blocks: [Block] = []
    /// Whether every block has the line breaks that RFC 7468 requires.
    private(set) var isIntact = true

    /// - Parameter text: The text; the initializer returns `nil` if no block begins in it.
    init?(_ text: [UInt8]) {
        var rest = Self.withLineBreaks(text)
        let (begin, end, dashes) = ("-----BEGIN", "-----END", "-----")
        while let start = Self.range(of: begin, in: rest) {
            rest = rest[start.upperBound...]
            guard let close = Self.range(of: dashes, in: rest) else { break }
            let label = rest[..<close.lowerBound]
            rest = rest[close.upperBound...]
            guard label.count < 64 else { continue }
            let stop = Self.range(of: end, in: rest)
            let body = rest[..<(stop?.lowerBound ?? rest.endIndex)]
            let name = String(decoding: label.filter { $0 != UInt8(ascii: " ") && $0 > 0x20 }, as: UTF8.self)
            let readings = LenientBase64.readings(of: body)
            let der = readings.first { DERForm($0.bytes) != nil } ?? readings.first
            blocks.append(Block(label: name.uppercased(), der: stop == nil ? nil : der?.bytes))
            if !Self.isIntact(body) { isIntact = false }
            rest = rest[(stop?.upperBound ?? rest.endIndex)...]
        }
        if blocks.isEmpty { return nil }
        if text.contains(UInt8(ascii: "\\")) { isIntact = false }
    }

    /// Returns a PEM text with one block and lines of 64 characters.
    package static func text(_ label: String, _ der: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN \(label)-----\n".utf8)
        var rest = Array(StandardBase64.encode(der).utf8)[...]
        while !rest.isEmpty {
            text += rest.prefix(64)
            text.append(UInt8(ascii: "\n"))
            rest = rest.dropFirst(64)
        }
        return text + Array("-----END \(label)-----\n".utf8)
    }

    /// Returns whether a block's body begins and ends with a line break and has lines of usual length.
    private static func isIntact(_ body: ArraySlice<UInt8>) -> Bool {
        let feed = UInt8(ascii: "\n")
        return [0x0A, 0x0D].contains(body.first ?? 0) && body.last == feed
            && body.split(separator: feed).allSatisfy { $0.count <= 77 }
    }

    /// Returns a text in which the escapes `\n` and `\r`, as in JSON and in variables, are line breaks.
    private static func withLineBreaks(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let backslash = UInt8(ascii: "\\")
        guard text.contains(backslash) else { return text[...] }
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == backslash, let next = rest.first else {
                result.append(byte)
                continue
            }
            rest = rest.dropFirst()
            switch next {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            default: result += [byte, next]
            }
        }
        return result[...]
    }

    private static func range(of word: String, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let word = Array(word.utf8)
        guard let first = word.first else { return nil }
        var start = text.startIndex
        while let place = text[start...].firstIndex(of: first) {
            if text[place...].starts(with: word) { return place..<place + word.count }
            start = place + 1
        }
        return nil
    }
}
