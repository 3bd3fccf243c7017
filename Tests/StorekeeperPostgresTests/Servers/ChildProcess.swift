import Foundation
import Synchronization

/// A program that a test has started.
///
/// Foundation's `Process` reports the end of a program only after all of its children have ended. For a program that
/// starts a server, this would be only after the server has ended.
final class ChildProcess: Sendable {
    let id: pid_t
    private let ending = Mutex<Int32?>(nil)

    /// Starts a program that does not inherit the open files of this process.
    ///
    /// - Parameters:
    ///   - words: The program, found on the path, and its arguments.
    ///   - output: The file to which the program's output is appended; `nil` discards it.
    init(_ words: [String], output: URL? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output?.path ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Closes inherited files, because other tests may wait until all writers of a pipe have closed it.
        let closing = "for file in /proc/self/fd/*; do file=${file##*/}; ((file < 3)) || eval \"exec $file>&-\"; done"
        let words = ["bash", "-c", closing + #"; exec "$@""#, "bash"] + words
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let error = posix_spawnp(&process, "bash", &actions, nil, arguments, environ)
        guard error == 0 else { throw ServerFailure("no process can be started: \(error)") }
        id = process
    }

    /// The status as a shell reports it: the exit status, or 128 plus the signal's number; `nil` while it runs.
    var status: Int32? { look(WNOHANG) }

    var isRunning: Bool { status == nil }

    /// Blocks until the program has ended.
    @discardableResult
    func wait() -> Int32 { look(0) ?? -1 }

    /// Kills the program, and waits until it has ended.
    func kill() {
        if isRunning { Foundation.kill(id, SIGKILL) }
        wait()
    }

    private func look(_ options: Int32) -> Int32? {
        ending.withLock { ending in
            if let ending { return ending }
            var word: Int32 = 0
            var found: pid_t
            repeat { found = waitpid(id, &word, options) } while found < 0 && errno == EINTR
            guard found != 0 else { return nil }
            ending = found < 0 ? -1 : word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + word & 0x7F
            return ending
        }
    }
}
