#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Another program that has run to its end.
struct ChildProcess {
    /// The exit status; `nil` if a signal ended it.
    let exitStatus: Int?
    /// The processor time of all its threads, including the kernel, in seconds.
    let processorSeconds: Double
    /// The wall-clock time from before its start to after its end, in seconds.
    let wallSeconds: Double
    /// Its standard output.
    let output: String

    /// Whether a path names a program.
    static func exists(_ program: String) -> Bool { access(program, X_OK) == 0 }

    /// Runs a program with empty standard input.
    ///
    /// - Parameter outputPath: The file for its standard output; standard error is discarded.
    static func run(_ program: String, _ arguments: [String], outputPath: String) throws -> ChildProcess {
        var actions = noFileActions()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }

        let start = Stopwatch.wallTime.seconds
        var process = pid_t()
        let fault = posix_spawn(&process, program, &actions, nil, &words, environ)
        guard fault == 0 else { throw BenchmarkError("cannot start \(program): \(String(cString: strerror(fault)))") }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) == -1 {
            guard errno == EINTR else { throw BenchmarkError("cannot wait for \(program)") }
        }
        let wallSeconds = Stopwatch.wallTime.seconds - start
        return ChildProcess(
            exitStatus: status & 0x7F == 0 ? Int(status >> 8 & 0xFF) : nil,
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), wallSeconds: wallSeconds,
            output: String(decoding: try TemporaryFolder.read(outputPath), as: UTF8.self))
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    #if canImport(Glibc)
        private static func noFileActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    #else
        private static func noFileActions() -> posix_spawn_file_actions_t? { nil }
    #endif
}
