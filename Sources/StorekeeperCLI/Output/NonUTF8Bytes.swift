/// Encodes bytes that are not UTF-8 in text, so that files whose names contain such bytes can be opened.
///
/// Each such byte becomes a private-use character at the end of Unicode's range. If an argument itself contains such a
/// character, the bytes of the character are encoded in the same way, so that the encoding is unambiguous.
enum NonUTF8Bytes {
    private static let base: UInt32 = 0x10FF00
    private static let scalars: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The arguments of the process, in which bytes that are not UTF-8 are encoded.
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

    /// Returns the text for bytes; bytes that are not UTF-8 are encoded.
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
                    result.append(contentsOf: encoded.compactMap(privateUseScalar))
                } else {
                    result.append(scalar)
                }
                position += encoded.count
            case .error(let length):
                result.append(
                    contentsOf: bytes[position..<min(position + length, bytes.count)].compactMap(privateUseScalar))
                position += length
            case .emptyInput: return String(result)
            }
        }
    }

    /// Returns the bytes that a text encodes.
    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let byte = byte(scalar) { bytes.append(byte) } else { bytes.append(contentsOf: scalar.utf8) }
        }
        return bytes
    }

    /// Returns whether a text encodes bytes that are not UTF-8.
    static func containsEncoded(_ text: String) -> Bool { text.unicodeScalars.contains { byte($0) != nil } }

    /// Returns whether a character encodes a byte.
    static func isEncoded(_ scalar: Unicode.Scalar) -> Bool { byte(scalar) != nil }

    /// Calls a closure with the bytes of a text as a C string.
    static func withCString<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard containsEncoded(text) else { return text.withCString(body) }
        let characters = bytes(text).map(CChar.init(bitPattern:)) + [0]
        // The array is not empty, so its base address exists.
        return characters.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map(body) ?? text.withCString(body)
        }
    }

    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        scalars.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    private static func privateUseScalar(_ byte: UInt8) -> Unicode.Scalar? { Unicode.Scalar(base + UInt32(byte)) }
}
