import Foundation
import Synchronization
import Testing

/// The real program, run as a shell would run it.
enum Program {
    struct Result {
        var status: Int32
        var output: String
        /// The whole of standard error.
        let allErrors: String

        init(status: Int32, output: String, errors: String) {
            self.status = status
            self.output = output
            allErrors = errors
        }

        /// Standard error without the notes about the root in `storekeeper.yaml`, which have a test of their own; the
        /// folders of most tests have such a root.
        var errors: String {
            allErrors.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("storekeeper: note: the trusted root ") }.joined(separator: "\n")
        }

        var outputLines: [String] { output.split(separator: "\n").map(String.init) }
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// The binary that was built with the tests.
    static let executable: URL? = {
        var candidates: [URL] = []
        // With every test runner, the test bundle is in the folder of the built programs.
        let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
        let images = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
        for start in bundles + images {
            var folder = start
            for _ in 0..<4 {
                candidates.append(folder.appendingPathComponent("storekeeper"))
                folder = folder.deletingLastPathComponent()
            }
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        candidates.append(package.appendingPathComponent(".build/debug/storekeeper"))
        return candidates.first { candidate in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder)
                && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: candidate.path)
        }
    }()

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - folder: The working directory.
    ///   - environment: All of the environment but `PATH`.
    ///   - runner: The path of another program that is run instead, such as a shell; `nil` to run `storekeeper`.
    static func run(
        _ arguments: [String], in folder: Folder, input: [UInt8] = [], environment: [String: String] = [:],
        as runner: String? = nil
    ) throws -> Result {
        let executable = try #require(executable, "the program was not built with the tests")
        let process = Process()
        process.executableURL = runner.map { URL(fileURLWithPath: $0) } ?? executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
        // The streams are files, because a pipe would have to be read while the program runs.
        let names = ["input", "output", "errors"].map { name in
            folder.url.appendingPathComponent(".\(name)-\(UUID().uuidString)")
        }
        try Data(input).write(to: names[0])
        for name in names.dropFirst() { _ = FileManager.default.createFile(atPath: name.path, contents: nil) }
        let handles = (
            try FileHandle(forReadingFrom: names[0]), try FileHandle(forWritingTo: names[1]),
            try FileHandle(forWritingTo: names[2])
        )
        process.standardInput = handles.0
        process.standardOutput = handles.1
        process.standardError = handles.2
        try process.run()
        process.waitForEnd()
        return Result(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: try String(contentsOf: names[1], encoding: .utf8),
            errors: try String(contentsOf: names[2], encoding: .utf8))
    }
}

extension Process {
    /// Waits for the end of the process.
    ///
    /// A program that has not ended after two minutes is killed, so that a hang is a failure.
    func waitForEnd() {
        let id = processIdentifier
        let limit = DispatchWorkItem { kill(id, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: limit)
        waitUntilExit()
        limit.cancel()
    }
}

/// A folder that is removed after the test.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
