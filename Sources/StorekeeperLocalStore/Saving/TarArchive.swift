/// An archive of a few small files that every `tar` program can unpack.
///
/// - SeeAlso: POSIX, "pax", section "ustar Interchange Format".
struct TarArchive: Sendable {
    /// The files that were added, without the blocks that end an archive.
    private var content: [UInt8] = []
    private let seconds: Int64

    private static let blockSize = 512

    /// Creates an empty archive.
    ///
    /// - Parameter seconds: The modification time of the files, in seconds since 1970.
    init(modifiedAt seconds: Int64) { self.seconds = max(0, seconds) }

    /// The whole archive.
    var bytes: [UInt8] { content + [UInt8](repeating: 0, count: 2 * Self.blockSize) }

    /// Adds a file.
    ///
    /// - Parameter path: A relative path in ASCII of at most 100 bytes; a longer path is truncated.
    mutating func append(_ file: [UInt8], at path: String) {
        var header = Self.field(path, 100) + Self.number(0o644, 8) + Self.number(0, 8) + Self.number(0, 8)
        header += Self.number(Int64(file.count), 12) + Self.number(seconds, 12)
        let rest = Self.field("0", 1) + Self.field("", 100) + Self.field("ustar", 6) + Self.field("00", 2)
        // While the checksum is computed, the checksum field contains blanks.
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 8)
        let sum = (header + blanks + rest).reduce(0) { $0 + Int64($1) }
        header += Self.number(sum, 7) + [UInt8(ascii: " ")] + rest
        content += Self.padded(header) + Self.padded(file)
    }

    /// Returns the bytes of a text, truncated or padded with zero bytes to a length.
    private static func field(_ text: String, _ length: Int) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(length))
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }

    /// Returns a field of a given length that contains a number in octal digits and a final zero byte.
    private static func number(_ number: Int64, _ length: Int) -> [UInt8] {
        let digits = String(number, radix: 8)
        return field(String(repeating: "0", count: max(0, length - 1 - digits.count)) + digits, length)
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let rest = bytes.count % blockSize
        return rest == 0 ? bytes : bytes + [UInt8](repeating: 0, count: blockSize - rest)
    }
}
