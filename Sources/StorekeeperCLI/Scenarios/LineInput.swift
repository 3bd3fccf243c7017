/// Where somebody's lines come from: an editor with a history where a person sits at a terminal, else standard input.
struct LineInput {
    private let file: InputFile
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    private let editor: LineEditor?
    /// What is remembered from run to run, where a line can be edited and nowhere else.
    private let history: LineHistory?
    private let console: Console

    /// The longest line.
    static let limit = 1 << 16

    init(_ console: Console) throws(CommandError) {
        file = try InputFile(InputFile.standardInputName)
        self.console = console
        let isTerminal = console.isOutputTerminal && SystemFile.isTerminal(SystemFile.standardInput)
        editor = isTerminal && console.environment["TERM"] != "dumb" ? LineEditor() : nil
        history = editor == nil ? nil : LineHistory(environment: console.environment)
        for line in history?.lines() ?? [] { editor?.remember(line) }
    }

    /// The next line without its end; `nil` after the last.
    ///
    /// - Parameters:
    ///   - prompt: What a person reads before they type.
    ///   - completion: What the tab key completes.
    mutating func next(prompt: String, completion: LineCompletion) throws(CommandError) -> String? {
        if let editor {
            console.output.flush()
            let line = editor.line(prompt: prompt, completion: completion)
            if let line, !line.trimmed.isEmpty { history?.append(line) }
            return line
        }
        if console.isOutputTerminal { console.output.text(console.style.dim(prompt)) }
        console.output.flush()
        return try plainLine()
    }

    private mutating func plainLine() throws(CommandError) -> String? {
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
