import Storekeeper

/// Reads a file line by line; the length of a line is limited.
struct FileLines {
    private let file: InputFile
    private let limit: Int
    private let pieceSize: Int
    private var buffer: [UInt8] = []
    /// The index in the buffer where the next line begins.
    private var start = 0
    private var isAtEnd = false
    /// The number of lines read.
    private(set) var count = 0

    /// - Parameters:
    ///   - limit: The maximum number of bytes of a line.
    ///   - pieceSize: The number of bytes per read.
    init(of file: InputFile, limit: Int, pieceSize: Int = 1 << 18) {
        self.file = file
        self.limit = limit
        self.pieceSize = pieceSize
    }

    /// Returns the next line without its line feed; `nil` after the last line.
    ///
    /// - Parameter tooLong: Returns the error for a line that exceeds the limit; the argument is the number of earlier
    ///   lines.
    mutating func next(orThrow tooLong: (Int) -> CommandError) throws(CommandError) -> [UInt8]? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) { return line(to: end) }
            if isAtEnd { return start < buffer.count ? line(to: buffer.count) : nil }
            guard buffer.count - start <= limit else { throw tooLong(count) }
            buffer.removeSubrange(..<start)
            start = 0
            let bytes = try file.read(upTo: pieceSize)
            isAtEnd = bytes.isEmpty
            buffer += bytes
        }
    }

    /// Returns the bytes from the current position up to a line feed, and advances past the line feed.
    private mutating func line(to end: Int) -> [UInt8] {
        defer {
            start = min(end + 1, buffer.count)
            count += 1
        }
        return Array(buffer[start..<end])
    }
}
