import Storekeeper

/// A buffered output: standard output, standard error, or a test's memory.
final class TextOutput {
    private let sink: ([UInt8]) throws(SystemFile.Failure) -> Void
    private var buffer: [UInt8] = []
    /// The reason why a write failed; `nil` if no write failed.
    ///
    /// After a failure, further output is dropped.
    private(set) var failure: SystemFile.Failure?

    private static let bufferSize = 1 << 16

    init(sink: @escaping ([UInt8]) throws(SystemFile.Failure) -> Void) { self.sink = sink }

    convenience init(descriptor: Int32) {
        self.init { bytes throws(SystemFile.Failure) in try SystemFile.write(bytes, to: descriptor) }
    }

    /// Writes a line.
    func line(_ text: some StringProtocol) {
        buffer.append(contentsOf: text.utf8)
        endLine()
    }

    /// Writes a text unchanged.
    func text(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferSize { flush() }
    }

    /// Writes complete lines.
    func bytes(_ lines: [UInt8]) {
        buffer.append(contentsOf: lines)
        if buffer.count >= Self.bufferSize { flush() }
    }

    /// Writes a JSON text and a line feed.
    func json(_ text: JSONText, _ layout: JSONText.Layout = .compact) {
        text.write(layout, to: &buffer)
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
