import Foundation
import Storekeeper
import StorekeeperCompanion
import StorekeeperJWS
import StorekeeperLocalStore
import StorekeeperPages
import StorekeeperSimulator
import Synchronization

/// The files in which a local App Store is kept: a scenario that grows by what happens, and the keys that sign beside it.
struct LocalStateFile {
    /// The scenario.
    let path: String
    private var keysPath: String { path + ".keys" }

    init(path: String) { self.path = path }

    /// Whether something is kept already.
    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// What is kept, up to the last step that is whole; `nil` where nothing is.
    func scenario() throws(CommandError) -> Result<Scenario, ScenarioFolder.Fault>? {
        guard isThere else { return nil }
        return ScenarioFolder.read(Self.joined(try text()), path: path)
    }

    /// How many jumps become one: a step may pass only so many instants at which something happens.
    private static let mostJumpsInAStep = 20_000

    /// The text without its notes, and with one jump in the place of those between which something was noted: a journal
    /// has a line for each instant of a jump at which something was sent, more of them than a scenario may have steps.
    static func joined(_ text: String) -> String {
        let jump = "  - advance to: "
        var lines: [Substring] = []
        var (wasNote, jumps) = (false, 0)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard !line.hasPrefix("# sent ") else {
                wasNote = true
                continue
            }
            let joins = wasNote && jumps < mostJumpsInAStep && line.hasPrefix(jump)
            if joins, lines.last?.hasPrefix(jump) == true {
                lines.removeLast()
                jumps += 1
            } else {
                jumps = 0
            }
            lines.append(line)
            wasNote = false
        }
        return lines.joined(separator: "\n")
    }

    /// What was sent.
    func attempts() throws(CommandError) -> [NotedAttempt] {
        guard isThere else { return [] }
        return try text().split(separator: "\n").compactMap { NotedAttempt(line: $0) }
    }

    /// The text up to its last line feed: a line behind it was cut off, and nobody was told of it.
    private func text() throws(CommandError) -> String {
        let bytes = try InputFile.contents(of: path, limit: 256 << 20)
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
        guard let text = String(validating: whole, as: UTF8.self) else {
            throw CommandError(.malformedInput, "what is kept is not UTF-8", at: path, "remove it and begin anew")
        }
        return text
    }

    /// The authority that signed; `nil` where nothing is kept.
    func authority(name: String, ocspResponder: String?) throws(CommandError) -> LocalAuthority? {
        guard isThere else { return nil }
        let pem = String(decoding: try InputFile.contents(of: keysPath, limit: 64 << 10), as: UTF8.self)
        do { return try LocalAuthority(keyed: pem, name: name, ocspResponder: ocspResponder) } catch {
            throw CommandError(
                .malformedInput, "these are not the keys of a local App Store", at: keysPath,
                "remove \(path) and this file, and begin anew")
        }
    }

    /// Keeps what has happened so far.
    func begin(
        _ runner: ScenarioRunner, authority: LocalAuthority, scenarioPath: String
    ) throws(CommandError) {
        let catalogs = runner.scenario.catalogs.map { names in
            names.map { ScenarioFolder.moved($0, from: scenarioPath, to: path) }
        }
        var scenario = Scenario(
            calls: runner.store.calls, story: runner.scenario.story, apps: runner.scenario.apps, catalogs: catalogs,
            environment: runner.scenario.environment, start: runner.scenario.start, seed: runner.report.seed)
        scenario.about = runner.scenario.about
        scenario.policy = runner.scenario.policy
        let keys: String
        do { keys = try authority.keyedPEM } catch {
            throw CommandError(.bug, "the keys cannot be written: \(error)", at: keysPath, "report it")
        }
        try OutputFile.writePrivate(Array(keys.utf8), to: keysPath, replaces: true)
        try ScenarioFolder.write(scenario.text, to: path)
    }

    /// Opens the scenario for what is to come.
    func openJournal() throws(CommandError) -> any LocalJournal {
        let handle = try Self.handle(path)
        do {
            // A line that was cut off would become one with the next.
            try handle.truncate(atOffset: UInt64(try text().utf8.count))
            try handle.seekToEnd()
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.unwritableFile, "the file cannot be written: \(error)", at: path, "make room")
        }
        return Journal(handle, path: path)
    }

    private static func handle(_ path: String) throws(CommandError) -> FileHandle {
        guard let handle = FileHandle(forUpdatingAtPath: path) else {
            throw CommandError(.unwritableFile, "the file cannot be written", at: path, "check its permissions")
        }
        return handle
    }

    private final class Journal: LocalJournal {
        private let path: String
        private let handle: Mutex<FileHandle>

        init(_ handle: FileHandle, path: String) {
            self.path = path
            self.handle = Mutex(handle)
        }

        func append(_ text: String) throws { try handle.withLock { try $0.write(contentsOf: Data(text.utf8)) } }

        /// Writes the scenario, and beside it the catalogs that it names, which may lie nowhere else.
        func begin(_ scenario: Scenario) throws {
            var scenario = scenario
            let name = path.split(separator: "/").last.map(String.init) ?? path
            var files: [String: (name: String, bytes: [UInt8])] = [:]
            for known in Set(scenario.catalogs.flatMap(\.self)).sorted() {
                guard let file = scenario.catalogFiles[known] else { continue }
                files[known] = ("\(name).catalog-\(files.count + 1)", file.bytes)
            }
            scenario.catalogs = scenario.catalogs.map { $0.map { files[$0]?.name ?? $0 } }
            let folder = path.hasSuffix(name) ? String(path.dropLast(name.count)) : ""
            for file in files.values {
                try Data(file.bytes).write(to: URL(fileURLWithPath: folder + file.name), options: .atomic)
            }
            try Data(scenario.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            let opened = try LocalStateFile.handle(path)
            try opened.seekToEnd()
            handle.withLock { $0 = opened }
        }
    }
}
