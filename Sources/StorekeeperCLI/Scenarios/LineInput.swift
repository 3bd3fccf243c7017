/// Standard input, line by line, as it comes.
struct LineInput {
    private let file: InputFile
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    /// The longest line.
    static let limit = 1 << 16

    init() throws(CommandError) { file = try InputFile(InputFile.standardInputName) }

    /// The next line without its end; `nil` after the last.
    mutating func next() throws(CommandError) -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                return line
            }
            if isAtEnd {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
            }
            guard buffer.count <= Self.limit else {
                throw CommandError(.malformedInput, "a line has more than 64 KiB", at: "standard input", "shorten it")
            }
            let bytes = try file.read(upTo: 1 << 12)
            isAtEnd = bytes.isEmpty
            buffer += bytes
        }
    }
}
