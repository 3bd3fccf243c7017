import Storekeeper

/// A buffered output: standard output, standard error, or a test's memory.
final class TextOutput {
    private let isTerminal: Bool
    private let sink: ([UInt8]) throws(SystemFile.Failure) -> Void
    private var buffer: [UInt8] = []
    /// The reason why a write failed; `nil` if no write failed.
    ///
    /// After a failure, further output is dropped.
    private(set) var failure: SystemFile.Failure?

    private static let bufferSize = 1 << 16

    /// - Parameter isTerminal: Whether a terminal shows the output. JSON then has escapes for scalars that a terminal
    ///   would obey; the document stays the same.
    init(isTerminal: Bool = false, sink: @escaping ([UInt8]) throws(SystemFile.Failure) -> Void) {
        self.isTerminal = isTerminal
        self.sink = sink
    }

    convenience init(descriptor: Int32) {
        self.init(isTerminal: SystemFile.isTerminal(descriptor)) { bytes throws(SystemFile.Failure) in
            try SystemFile.write(bytes, to: descriptor)
        }
    }

    /// Writes a line, or several, without scalars that would control a terminal, except those for styles.
    func line(_ text: some StringProtocol) {
        buffer.append(contentsOf: TerminalText.withoutControls(text).utf8)
        endLine()
    }

    /// Writes a text unchanged.
    func text(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferSize { flush() }
    }

    /// Writes complete lines of JSON.
    func bytes(_ lines: [UInt8]) {
        buffer.append(contentsOf: isTerminal ? TerminalText.escaped(json: lines) : lines)
        if buffer.count >= Self.bufferSize { flush() }
    }

    /// Writes a JSON text and a line feed.
    func json(_ text: JSONText, _ layout: JSONText.Layout = .compact) {
        if isTerminal {
            buffer.append(contentsOf: TerminalText.escaped(json: text.bytes(layout)))
        } else {
            text.write(layout, to: &buffer)
        }
        endLine()
    }

    private func endLine() {
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferSize { flush() }
    }

    /// Flushes the buffer.
    func flush() {
        guard !buffer.isEmpty else { return }
        if failure == nil {
            do { try sink(buffer) } catch { failure = error }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
