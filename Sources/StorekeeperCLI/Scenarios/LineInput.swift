/// The lines that the user types, or that another program sends, on standard input.
struct LineInput {
    private var lines: FileLines
    private let console: Console

    /// The maximum number of bytes of a line.
    static let limit = 1 << 16

    init(_ console: Console) throws(CommandError) {
        lines = FileLines(of: try InputFile(InputFile.standardInputName), limit: Self.limit, pieceSize: 1 << 12)
        self.console = console
    }

    /// Returns the next line without its line feed; `nil` after the last line.
    ///
    /// - Parameter prompt: The prompt, which is written only to a terminal.
    mutating func next(prompt: String) throws(CommandError) -> String? {
        if console.isOutputTerminal { console.output.text(console.style.dim(prompt)) }
        console.output.flush()
        let line = try lines.next { _ in
            CommandError(.malformedInput, "a line has more than 64 KiB", at: "standard input", "shorten it")
        }
        return line.map { String(decoding: $0, as: UTF8.self) }
    }
}
