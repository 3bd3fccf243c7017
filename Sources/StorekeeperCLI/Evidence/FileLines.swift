import Storekeeper

/// The lines of a file, one after another, none longer than a limit.
struct FileLines {
    private let file: InputFile
    private let limit: Int
    private let pieceSize: Int
    private var buffer: [UInt8] = []
    /// Where in the buffer the next line begins.
    private var start = 0
    private var isAtEnd = false
    /// How many lines were read.
    private(set) var count = 0

    /// - Parameters:
    ///   - limit: How many bytes a line may have.
    ///   - pieceSize: How many bytes are read at once.
    init(of file: InputFile, limit: Int, pieceSize: Int = 1 << 18) {
        self.file = file
        self.limit = limit
        self.pieceSize = pieceSize
    }

    /// The next line without its end; `nil` after the last.
    ///
    /// - Parameter tooLong: What to throw of a line that is longer than the limit, given how many stand before it.
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

    /// The bytes up to an end, which are then behind.
    private mutating func line(to end: Int) -> [UInt8] {
        defer {
            start = min(end + 1, buffer.count)
            count += 1
        }
        return Array(buffer[start..<end])
    }
}
