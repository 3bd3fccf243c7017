/// The source of typed lines: an editor with a history at a terminal, or standard input without a terminal.
struct LineInput {
    private var lines: FileLines
    private let editor: LineEditor?
    /// The history across runs; `nil` without an editor.
    private let history: LineHistory?
    private let console: Console

    /// The maximum number of bytes of a line.
    static let limit = 1 << 16

    init(_ console: Console) throws(CommandError) {
        lines = FileLines(of: try InputFile(InputFile.standardInputName), limit: Self.limit, pieceSize: 1 << 12)
        self.console = console
        let isTerminal = console.isOutputTerminal && SystemFile.isTerminal(SystemFile.standardInput)
        editor = isTerminal && console.environment["TERM"] != "dumb" ? LineEditor() : nil
        history = editor == nil ? nil : LineHistory(environment: console.environment)
        for line in history?.lines() ?? [] { editor?.remember(line) }
    }

    /// Returns the next line without its line feed; `nil` after the last line.
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - completion: The completion with the tab key.
    mutating func next(prompt: String, completion: LineCompletion) throws(CommandError) -> String? {
        if let editor {
            console.output.flush()
            let line = editor.line(prompt: prompt, completion: completion)
            if let line, !line.trimmed.isEmpty { history?.append(line) }
            return line
        }
        if console.isOutputTerminal { console.output.text(console.style.dim(prompt)) }
        console.output.flush()
        let line = try lines.next { _ in
            CommandError(.malformedInput, "a line has more than 64 KiB", at: "standard input", "shorten it")
        }
        return line.map { String(decoding: $0, as: UTF8.self) }
    }
}
