import Foundation

/// The programs of a PostgreSQL server, which never run as root.
///
/// If the tests run as root, the programs run as the user `postgres`.
enum ServerPrograms {
    /// The folder of the programs; `nil` if they are not installed, so that tests that start servers are skipped.
    static let folder: String? = {
        let named = ProcessInfo.processInfo.environment["POSTGRES_BIN"]
        guard let folder = named ?? (try? run(["pg_config", "--bindir"])) else { return nil }
        return FileManager.default.isExecutableFile(atPath: folder + "/postgres") ? folder : nil
    }()

    static var areInstalled: Bool { folder != nil }

    /// Runs one of the programs to its end, and returns its output.
    ///
    /// This call blocks the thread. See ``offThread(_:)``.
    @discardableResult
    static func run(server program: String, _ arguments: [String], wrappedIn wrapper: [String] = []) throws -> String {
        guard let folder else { throw ServerFailure("no server's programs are installed") }
        var words = wrapper
        if geteuid() == 0 { words += ["runuser", "-u", "postgres", "--"] }
        words += ["\(folder)/\(program)"] + arguments
        return try run(words)
    }

    /// Runs a program to its end, without waiting for its background processes, such as a server.
    @discardableResult
    static func run(_ words: [String]) throws -> String {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let status = try ChildProcess(words, output: output).wait()
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        let said = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard status == 0 else { throw ServerFailure("\(words.joined(separator: " ")): status \(status): \(said)") }
        return said
    }
}

/// A failure of a server of the tests.
struct ServerFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs blocking work on a separate thread, so that it does not occupy the threads of tasks.
func offThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try work() }) }
        thread.start()
    }
}
