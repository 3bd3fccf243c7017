/// Bytes of arguments that are not UTF-8, as names of files may be, kept in text so that the file can be opened.
///
/// Each byte stands as a character of its own at the end of Unicode, where nobody has any; where an argument itself has
/// such a character its bytes are kept in the same way, so that nothing is mistaken for another.
enum ForeignBytes {
    private static let base: UInt32 = 0x10FF00
    private static let scalars: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The arguments of the process, to the byte.
    static var arguments: [String] {
        (0..<Int(CommandLine.argc)).map { index in
            CommandLine.unsafeArgv[index].map { text(UnsafeBufferPointer(start: $0, count: length(of: $0))) } ?? ""
        }
    }

    private static func length(of text: UnsafePointer<CChar>) -> Int {
        var end = 0
        while text[end] != 0 { end += 1 }
        return end
    }

    private static func text(_ characters: UnsafeBufferPointer<CChar>) -> String {
        text(characters.map(UInt8.init(bitPattern:)))
    }

    /// Text for bytes, of which some may be no UTF-8.
    static func text(_ bytes: [UInt8]) -> String {
        var result = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if scalars.contains(scalar.value) {
                    result.append(contentsOf: encoded.compactMap(kept))
                } else {
                    result.append(scalar)
                }
                position += encoded.count
            case .error(let length):
                result.append(contentsOf: bytes[position..<min(position + length, bytes.count)].compactMap(kept))
                position += length
            case .emptyInput: return String(result)
            }
        }
    }

    /// The bytes that a text was made for.
    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let byte = byte(scalar) { bytes.append(byte) } else { bytes.append(contentsOf: scalar.utf8) }
        }
        return bytes
    }

    /// Whether a text stands for bytes that are no UTF-8.
    static func areIn(_ text: String) -> Bool { text.unicodeScalars.contains { byte($0) != nil } }

    /// Whether a character stands for a byte.
    static func isOne(_ scalar: Unicode.Scalar) -> Bool { byte(scalar) != nil }

    /// Calls the system with the bytes of a text, ended by a zero.
    static func withCString<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard areIn(text) else { return text.withCString(body) }
        let characters = bytes(text).map(CChar.init(bitPattern:)) + [0]
        // An array that is not empty has a first element to point at.
        return characters.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map(body) ?? text.withCString(body)
        }
    }

    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        scalars.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    private static func kept(_ byte: UInt8) -> Unicode.Scalar? { Unicode.Scalar(base + UInt32(byte)) }
}
