import Foundation
import Storekeeper
import Synchronization

/// An append-only file of lines; an appended line is on disk.
final class Journal: Sendable {
    private struct Position {
        let file: FileHandle
        /// The end of the last complete line.
        var end: UInt64
    }

    private let position: Mutex<Position>

    private init(_ file: sending FileHandle, end: UInt64) { position = Mutex(Position(file: file, end: end)) }

    /// Opens a file, or creates it.
    ///
    /// - Returns: The journal and its lines. A line that a crash cut short was never acknowledged: it is removed.
    static func open(_ url: URL) throws -> (journal: Journal, lines: [CallLine]) {
        let content: Data
        do {
            if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
            content = try Data(contentsOf: url)
        } catch {
            throw VaultError(.io, "the file of the vault cannot be read", cause: error)
        }
        let end = content.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let lines: [CallLine]
        do {
            lines = try content[..<end].split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(CallLine.self, from: $0)
            }
        } catch {
            throw VaultError(.corrupt, "the file was not written by this vault", cause: error)
        }
        do {
            let file = try FileHandle(forUpdating: url)
            try file.truncate(atOffset: UInt64(end))
            try file.synchronize()
            return (Journal(file, end: UInt64(end)), lines)
        } catch {
            throw VaultError(.io, "the file of the vault cannot be written", cause: error)
        }
    }

    /// Appends a line and waits until it is on disk.
    ///
    /// - Throws: `VaultError` with `io`; then the line was not appended.
    func append(_ line: CallLine) throws(VaultError) {
        try position.withLock { position throws(VaultError) in
            do {
                let bytes = try JSONEncoder().encode(line) + Data("\n".utf8)
                try position.file.seek(toOffset: position.end)
                try position.file.write(contentsOf: bytes)
                try position.file.synchronize()
                position.end += UInt64(bytes.count)
            } catch {
                try? position.file.truncate(atOffset: position.end)
                throw VaultError(.io, "the file of the vault cannot be written; nothing has changed", cause: error)
            }
        }
    }
}
