import Foundation

/// A node of a fleet in its own process, which runs the `FleetNode` program next to the tests.
final class NodeProcess {
    private let process: ChildProcess
    let journal: NodeJournal

    /// Starts a node.
    ///
    /// - Parameters:
    ///   - words: The command, without the database and the journal.
    ///   - journal: The file in which the node records its actions.
    init(_ words: [String], on database: String, journal: NodeJournal) throws {
        self.journal = journal
        process = try ChildProcess(
            [try Self.executable()] + words.prefix(1) + [database, journal.file.path] + words.dropFirst(),
            output: journal.words)
    }

    deinit { kill() }

    var isRunning: Bool { process.isRunning }

    /// The exit status; 0 means success.
    var status: Int32? { process.status }

    /// The text that the node printed, such as the reason for its end.
    var words: String { (try? String(contentsOf: journal.words, encoding: .utf8)) ?? "" }

    func kill() { process.kill() }

    /// Finds the program in the folder of the built tests, with every test runner.
    private static func executable() throws -> String {
        let starts =
            CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
            + [Bundle.main.bundleURL]
        let folders = starts.flatMap { start in sequence(first: start) { $0.deletingLastPathComponent() }.prefix(4) }
        let found = folders.lazy.map { $0.appendingPathComponent("FleetNode") }.first { url in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
                && FileManager.default.isExecutableFile(atPath: url.path)
        }
        guard let found else {
            throw ServerFailure("FleetNode is not next to the tests; build them with swift build")
        }
        return found.path
    }
}

/// The file in which a node records its actions.
final class NodeJournal: Sendable {
    let file: URL
    /// The file that receives the printed output of the node.
    var words: URL { file.appendingPathExtension("words") }

    init() throws {
        file = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
        try Data().write(to: file)
    }

    deinit { for file in [file, words] { try? FileManager.default.removeItem(at: file) } }

    /// Returns the complete lines so far.
    func lines() throws -> [Substring] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let end = text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        return text[..<end].split(separator: "\n")
    }

    /// The size in bytes.
    var size: Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    /// Returns the number of acknowledged calls.
    func acknowledged() throws -> Int { try lines().count { $0.hasPrefix("ack ") } }
}
