import Foundation
import Storekeeper
import StorekeeperCompanion
import StorekeeperDurable
import StorekeeperJWS
import StorekeeperLocalStore
import StorekeeperPages
import StorekeeperSimulator
import Synchronization

/// The state files of a local App Store: a scenario to which events are appended, and the signing keys next to it.
struct LocalStateFile {
    /// The path of the scenario.
    let path: String
    private var keysPath: String { path + ".keys" }

    init(path: String) { self.path = path }

    /// Whether the scenario's file exists.
    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns the stored scenario, up to the last complete step; `nil` if no state file exists.
    func scenario() throws(CommandError) -> Result<Scenario, ScenarioFolder.Fault>? {
        guard exists else { return nil }
        return ScenarioFolder.read(Self.joined(try text()), path: path)
    }

    /// The maximum number of consecutive `advance to` steps that are joined into one step.
    ///
    /// The number is limited, because a step may cause only a limited number of events.
    private static let maximumJumpsInAStep = 20_000

    /// Returns the text without its comments, and with consecutive `advance to` steps joined into one step.
    ///
    /// When time advances, the journal receives a line for each instant at which a notification was sent. The journal
    /// may therefore have more lines than a scenario may have steps.
    ///
    /// Comments are removed, because they would count against the limits of the length and the depth of a scenario.
    static func joined(_ text: String) -> String {
        let jump = "  - advance to: "
        var lines: [Substring] = []
        var (wasNote, isOtherStep, jumps) = (false, false, 0)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard !line.hasPrefix("#") else {
                if line.hasPrefix("# sent ") { wasNote = true } else { isOtherStep = true }
                continue
            }
            let joins = wasNote && !isOtherStep && jumps < maximumJumpsInAStep && line.hasPrefix(jump)
            if joins, lines.last?.hasPrefix(jump) == true {
                lines.removeLast()
                jumps += 1
            } else {
                jumps = 0
            }
            lines.append(line)
            (wasNote, isOtherStep) = (false, false)
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the recorded attempts to send notifications.
    func attempts() throws(CommandError) -> [AttemptRecord] {
        guard exists else { return [] }
        return try text().split(separator: "\n").compactMap { AttemptRecord(line: $0) }
    }

    /// Returns the recorded changes of retention messages.
    func messaging() throws(CommandError) -> [MessagingRecord] {
        guard exists else { return [] }
        return try text().split(separator: "\n").compactMap { MessagingRecord(line: $0) }
    }

    /// Returns the story of the stored scenario: the steps as they were requested, and the branches that were left by
    /// undo; `nil` if the file contains no story.
    ///
    /// - Parameters:
    ///   - scenario: The stored scenario.
    ///   - store: The store after the steps of the scenario.
    func story(of scenario: Scenario, in store: SimulatedAppStore) throws(CommandError) -> StoryArchive? {
        guard exists else { return nil }
        let text = try text()
        guard StoryArchive.isPresent(in: text) else { return nil }
        let archive = StoryArchive(text, scenario: scenario, store: store) { name in
            let file = ScenarioFolder.resolved(name, beside: path)
            return CatalogFile(name: name, bytes: try InputFile.contents(of: file, limit: CatalogFile.maximumSize))
        }
        guard let archive else {
            throw CommandError(
                .malformedInput, "the branches in the comments of the file cannot be read", at: path,
                "restore the file, or remove the line that begins with '# story' to lose them")
        }
        return archive
    }

    /// Returns the text up to its last line feed.
    ///
    /// A last line without a line feed was written incompletely, and its step was never acknowledged.
    private func text() throws(CommandError) -> String {
        let bytes = try InputFile.contents(of: path, limit: 256 << 20)
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
        guard let text = String(validating: whole, as: UTF8.self) else {
            throw CommandError(.malformedInput, "the file is not UTF-8", at: path, "remove it and start again")
        }
        return text
    }

    /// Returns the stored signing authority; `nil` if no state file exists.
    func authority(name: String, ocspResponder: String?) throws(CommandError) -> LocalAuthority? {
        guard exists else { return nil }
        let pem = String(decoding: try InputFile.contents(of: keysPath, limit: 64 << 10), as: UTF8.self)
        do { return try LocalAuthority(keyed: pem, name: name, ocspResponder: ocspResponder) } catch {
            throw CommandError(
                .malformedInput, "these are not the keys of a local App Store", at: keysPath,
                "remove \(path) and this file, and start again")
        }
    }

    /// Creates the state files with the events that have happened so far.
    func begin(
        _ runner: ScenarioRunner, authority: LocalAuthority, scenarioPath: String
    ) throws(CommandError) {
        let catalogs = ScenarioFolder.moved(runner.scenario, from: scenarioPath, to: path).catalogs
        var scenario = Scenario(
            calls: runner.store.calls, story: runner.scenario.story, apps: runner.scenario.apps, catalogs: catalogs,
            environment: runner.scenario.environment, start: runner.scenario.start, seed: runner.report.seed)
        scenario.about = runner.scenario.about
        scenario.policy = runner.scenario.policy
        scenario.catalogFiles = runner.scenario.catalogFiles
        scenario.embeddedCatalogs = runner.scenario.embeddedCatalogs
        let keys: String
        do { keys = try authority.keyedPEM } catch {
            throw CommandError(.bug, "the keys cannot be written: \(error)", at: keysPath, "report it")
        }
        try OutputFile.writePrivate(Array(keys.utf8), to: keysPath, replaces: true)
        try OutputFile.writePrivate(Array(scenario.text.utf8), to: path, replaces: true)
    }

    /// Opens the scenario for appending.
    ///
    /// - Parameters:
    ///   - scenario: The scenario with which the store was started.
    ///   - scenarioPath: The path to which the catalogs of the scenario are relative; `nil` means the path of this
    ///     file.
    func openJournal(_ scenario: Scenario, scenarioPath: String?) throws(CommandError) -> any LocalJournal {
        SecretFile.restrict(path)
        let handle = try Self.handle(path)
        do {
            // An incomplete line is removed, because the next line would be appended to it.
            try handle.truncate(atOffset: UInt64(try text().utf8.count))
            try handle.seekToEnd()
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.unwritableFile, "the file cannot be written: \(error)", at: path, "make room")
        }
        var names: [[UInt8]: String] = [:]
        for (name, file) in scenario.catalogFiles where !scenario.embeddedCatalogs.contains(name) {
            names[file.bytes] = scenarioPath.map { ScenarioFolder.moved(name, from: $0, to: path) } ?? name
        }
        return Journal(handle, path: path, catalogs: names)
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

        /// The name of each stored catalog file, by the bytes of the catalog.
        private let catalogs: Mutex<[[UInt8]: String]>

        init(_ handle: FileHandle, path: String, catalogs: [[UInt8]: String]) {
            self.path = path
            self.handle = Mutex(handle)
            self.catalogs = Mutex(catalogs)
        }

        func append(_ text: String) throws { try handle.withLock { try $0.write(contentsOf: Data(text.utf8)) } }

        func replace(with text: String) throws {
            try handle.withLock { handle in
                try OutputFile.writePrivate(Array(text.utf8), to: path, replaces: true)
                handle = try LocalStateFile.handle(path)
                try handle.seekToEnd()
            }
        }

        /// Writes a catalog next to the scenario, unless the scenario names a file with the same content.
        func store(_ catalog: CatalogFile) throws -> String {
            try catalogs.withLock { catalogs in
                if let name = catalogs[catalog.bytes] { return name }
                let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
                let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
                let (folder, own) = (String(path[..<start]), path[start...])
                var number = 1
                while true {
                    let name = "\(own).catalog-\(number)"
                    // A file of this name may already exist with a different catalog, because another branch uses it.
                    let known = FileManager.default.contents(atPath: folder + name)
                    if known == nil || known == Data(catalog.bytes) {
                        // A StoreKit configuration may contain a private key.
                        if known == nil {
                            try OutputFile.writePrivate(catalog.bytes, to: folder + name, replaces: false)
                        }
                        catalogs[catalog.bytes] = name
                        return name
                    }
                    number += 1
                }
            }
        }
    }
}
