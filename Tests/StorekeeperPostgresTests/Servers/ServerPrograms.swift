import Foundation

/// The programs of a PostgreSQL server, which never run as root: for root they run as the user `postgres`.
enum ServerPrograms {
    /// Where they are; `nil`: none are installed, and tests that start servers of their own are left out.
    static let folder: String? = {
        let named = ProcessInfo.processInfo.environment["POSTGRES_BIN"]
        guard let folder = named ?? (try? run(["pg_config", "--bindir"])) else { return nil }
        return FileManager.default.isExecutableFile(atPath: folder + "/postgres") ? folder : nil
    }()

    static var areInstalled: Bool { folder != nil }

    /// Runs one of them to its end, and gives back what it has printed.
    ///
    /// It blocks: see ``offThread(_:)``.
    @discardableResult
    static func run(server program: String, _ arguments: [String], wrappedIn wrapper: [String] = []) throws -> String {
        guard let folder else { throw ServerFailure("no server's programs are installed") }
        var words = wrapper
        if geteuid() == 0 { words += ["runuser", "-u", "postgres", "--"] }
        words += ["\(folder)/\(program)"] + arguments
        return try run(words)
    }

    /// Runs a program to its end; what goes on after it, as a server does that it has started, is not waited for.
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

/// What keeps a server of the tests from doing what it is to do.
struct ServerFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Does something that blocks on a thread of its own, so that the tasks' threads stay free.
func offThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try work() }) }
        thread.start()
    }
}
