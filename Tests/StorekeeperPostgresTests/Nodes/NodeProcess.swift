import Foundation

/// A node of a fleet as a process of its own: the program that stands beside the tests.
final class NodeProcess {
    private let process: ChildProcess
    let journal: Journaled

    /// Starts one.
    ///
    /// - Parameters:
    ///   - words: What it is to do, without the database and the journal.
    ///   - journal: The file to which it says what it does.
    init(_ words: [String], on database: String, journal: Journaled) throws {
        self.journal = journal
        process = try ChildProcess(
            [try Self.executable()] + words.prefix(1) + [database, journal.file.path] + words.dropFirst(),
            output: journal.words)
    }

    deinit { kill() }

    var isRunning: Bool { process.isRunning }

    /// How it has ended: 0 is well.
    var status: Int32? { process.status }

    /// What it has said that is not for the journal: why it has ended, for instance.
    var words: String { (try? String(contentsOf: journal.words, encoding: .utf8)) ?? "" }

    func kill() { process.kill() }

    /// The program stands beside the tests, whichever runner has loaded them.
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
            throw ServerFailure("FleetNode is not beside the tests; build them with swift build")
        }
        return found.path
    }
}

/// The file in which a node says what it does.
final class Journaled: Sendable {
    let file: URL
    /// The file that takes what the node prints.
    var words: URL { file.appendingPathExtension("words") }

    init() throws {
        file = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
        try Data().write(to: file)
    }

    deinit { for file in [file, words] { try? FileManager.default.removeItem(at: file) } }

    /// The lines so far, but for one that is not whole.
    func lines() throws -> [Substring] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let end = text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        return text[..<end].split(separator: "\n")
    }

    /// How much there is, in bytes.
    var size: Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    /// How many calls were acknowledged.
    func acknowledged() throws -> Int { try lines().count { $0.hasPrefix("ack ") } }
}
