import Foundation
import Storekeeper
import Synchronization

@testable import StorekeeperCLI

/// The program's commands, run in the process of the tests.
///
/// Use it in tests of arguments, files, output and exit status. Tests of vaults, signals, standard input, limits or the
/// layout of help use ``Program``, which starts a process. Vaults need a process because they work on threads of their
/// own, which have another working directory.
enum Tool {
    /// Runs a command to its end.
    ///
    /// If a container forbids threads with their own working directory, it runs the command in a process.
    ///
    /// - Parameters:
    ///   - folder: The working directory.
    ///   - environment: All of the environment but `PATH`.
    static func run(
        _ arguments: [String], in folder: Folder, environment: [String: String] = [:]
    ) throws -> Program.Result {
        let variables = environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
        let result = WorkingThread.run(in: folder.url.path) {
            var (output, errors): ([UInt8], [UInt8]) = ([], [])
            let console = Console(
                output: TextOutput { output += $0 }, errors: TextOutput { errors += $0 }, environment: variables,
                now: Instant(Date()))
            let status = await CommandLineTool(console: console).run(arguments)
            return Program.Result(
                status: status.rawValue, output: String(decoding: output, as: UTF8.self),
                errors: String(decoding: errors, as: UTF8.self))
        }
        return try result ?? Program.run(arguments, in: folder, environment: environment)
    }
}

/// A thread with its own working directory, on which a task runs.
private final class WorkingThread: TaskExecutor {
    /// Linux's `unshare`, which Swift's module of the C library omits, and its flag for the working directory.
    private static let unshare = dlsym(nil, "unshare").map {
        unsafeBitCast($0, to: (@convention(c) (CInt) -> CInt).self)
    }
    private static let fileSystem: CInt = 0x200

    private let jobs = Mutex<[UnownedJob]>([])
    private let hasJob = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        hasJob.signal()
    }

    /// Runs a task on a new thread, and waits for it.
    ///
    /// The tasks of its task groups also run on this thread, because other tests may block all threads of Swift's
    /// thread pool.
    ///
    /// - Returns: The result of the task; `nil` if the thread cannot have its own working directory.
    static func run<Outcome: Sendable>(
        in folder: String, _ body: @escaping @Sendable () async -> Outcome
    ) -> Outcome? {
        let box = Box<Outcome>()
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { hasEnded.signal() }
            // From now on a change of the working directory affects this thread only.
            guard unshare?(fileSystem) == 0, chdir(folder) == 0 else { return }
            let thread = WorkingThread()
            Task(executorPreference: thread) { box.put(await body()) }
            while box.outcome == nil {
                thread.hasJob.wait()
                if let job = thread.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    job.runSynchronously(on: thread.asUnownedTaskExecutor())
                }
            }
        }
        hasEnded.wait()
        return box.outcome
    }

    private final class Box<Outcome: Sendable>: Sendable {
        private let value = Mutex<Outcome?>(nil)
        var outcome: Outcome? { value.withLock { $0 } }
        func put(_ outcome: Outcome) { value.withLock { $0 = outcome } }
    }
}
