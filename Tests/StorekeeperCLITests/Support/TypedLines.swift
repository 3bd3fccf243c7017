import Foundation
import Testing

extension Program {
    /// Runs lines in a shell, until a line fails.
    ///
    /// The shell's variable `program` contains the path of `storekeeper`. Output and errors are read after the shell
    /// has ended.
    static func type(_ lines: String, in folder: Folder) throws -> Result {
        let program: URL = try #require(executable)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-e", "-c", lines]
        process.currentDirectoryURL = folder.url
        process.environment = ["PATH": "/usr/bin:/bin", "NO_COLOR": "1", "program": program.path]
        let names = ["output", "errors"].map { folder.url.appending(path: ".\($0)") }
        for name in names { _ = FileManager.default.createFile(atPath: name.path, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: names[0])
        process.standardError = try FileHandle(forWritingTo: names[1])
        try process.run()
        process.waitForEnd()
        return Result(
            status: process.terminationStatus, output: try String(contentsOf: names[0], encoding: .utf8),
            errors: try String(contentsOf: names[1], encoding: .utf8))
    }
}
