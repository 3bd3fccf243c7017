import Foundation

/// A file to which each line is written in one system call, so that it is complete when the program is killed.
final class Journal: Sendable {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw NodeError("the journal cannot be opened") }
    }

    func line(_ text: String) throws {
        let bytes = Array((text + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw NodeError("the journal cannot be written")
        }
    }
}
