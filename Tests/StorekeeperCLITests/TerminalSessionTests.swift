import Foundation
import Synchronization
import Testing

@testable import StorekeeperCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests of `storekeeper simulate --interactive` at a terminal.
@Suite(.timeLimit(.minutes(20))) struct TerminalSessionTests {
    private static func folder() throws -> Folder {
        let folder = try Folder()
        try folder.write(
            String(contentsOfFile: "\(SimulateCommandTests.configuration)/Store.storekit", encoding: .utf8),
            to: "Store.storekit")
        return folder
    }

    /// Types at a pseudo-terminal.
    ///
    /// - Returns: The terminal's output, including the echo.
    private static func type(_ keys: String, folder: Folder, environment: [String: String] = [:]) throws -> String {
        let executable = try #require(Program.executable)
        let (master, slave) = try #require(pair())
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        let process = Process()
        process.executableURL = executable
        process.arguments = ["simulate", "--interactive", "Store.storekit"]
        process.currentDirectoryURL = folder.url
        process.environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"].merging(environment) { $1 }
        let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        (process.standardInput, process.standardOutput, process.standardError) = (terminal, terminal, terminal)
        let shown = Mutex<[UInt8]>([])
        let reader = Thread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(master, &bytes, bytes.count)
                guard count > 0 else { return }
                shown.withLock { $0 += bytes.prefix(count) }
            }
        }
        reader.start()
        try process.run()
        func text() -> String { shown.withLock { String(decoding: $0, as: UTF8.self) } }
        for line in keys.split(separator: "\n", omittingEmptySubsequences: false) {
            // Waits for the prompt before each line, as a person does.
            for _ in 0..<500 where process.isRunning && !text().hasSuffix(" > ") { usleep(20_000) }
            let bytes = Array((line + "\r").utf8)
            _ = write(master, bytes, bytes.count)
            for _ in 0..<50 where process.isRunning && text().hasSuffix(" > ") { usleep(20_000) }
        }
        process.waitForEnd()
        close(slave)
        close(master)
        return text()
    }

    /// Returns the two ends of a pseudo-terminal.
    private static func pair() -> (master: Int32, slave: Int32)? {
        #if os(Linux)
            // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
            var (locked, number) = (Int32(0), UInt32(0))
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
                return nil
            }
            let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        #else
            let master = posix_openpt(O_RDWR | O_NOCTTY)
            guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
                return nil
            }
            let slave = open(name, O_RDWR | O_NOCTTY)
        #endif
        return slave >= 0 ? (master, slave) : nil
    }

    private static let hasEditor: Bool =
        dlopen("libedit.so.2", RTLD_NOW) != nil || dlopen("libedit.so.0", RTLD_NOW) != nil

    @Test("At a terminal a line can be edited, and the arrow key recalls the previous one", .enabled(if: hasEditor))
    func editing() throws {
        let folder = try Self.folder()
        // The keys remove a typing mistake with the backspace key, and then repeat the line with the arrow key.
        let shown = try Self.type("buy coins.1001\u{7F}\n\u{1B}[A\nexpect balance coins.100 2\nquit", folder: folder)
        #expect(shown.contains("✓ balance coins.100 2"), "\(shown)")
        #expect(!shown.contains("there is no step"))
    }

    @Test("A dumb terminal gets plain lines")
    func plain() throws {
        let folder = try Self.folder()
        let shown = try Self.type(
            "buy coins.100\nexpect balance coins.100 1\nquit", folder: folder, environment: ["TERM": "dumb"])
        #expect(shown.contains("✓ balance coins.100 1"), "\(shown)")
        #expect(!shown.contains("\u{1B}["))
    }

    @Test("The tab key completes commands, products and keys", .enabled(if: hasEditor))
    func completing() throws {
        let folder = try Self.folder()
        let shown = try Self.type("bu\t coins.10\t\nexpec\tbalance coins.100 1\nquit", folder: folder)
        #expect(shown.contains("✓ balance coins.100 1"), "\(shown)")
        #expect(!shown.contains("there is no step"))
    }

    @Test(
        "The lines of one run are available in the next, in a file that only the owner can read",
        .enabled(if: hasEditor))
    func remembering() throws {
        let folder = try Self.folder()
        let state = ["XDG_STATE_HOME": folder.url.path + "/state"]
        _ = try Self.type("buy coins.100\nquit", folder: folder, environment: state)
        let path = folder.url.path + "/state/storekeeper"
        #expect(try String(contentsOfFile: "\(path)/simulate-history", encoding: .utf8) == "buy coins.100\nquit\n")
        for (name, mode) in [(path, 0o700), ("\(path)/simulate-history", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        // The arrow key is pressed twice, to go back past 'quit' to the line before it.
        let shown = try Self.type(
            "\u{1B}[A\u{1B}[A\nexpect balance coins.100 1\nquit", folder: folder, environment: state)
        #expect(shown.contains("✓ balance coins.100 1"), "\(shown)")
    }

    @Test("Input from a pipe is not stored in the history")
    func pipe() throws {
        let folder = try Self.folder()
        let result = try Program.run(
            ["simulate", "--interactive", "Store.storekit"], in: folder, input: Array("buy coins.100\nquit\n".utf8),
            environment: ["XDG_STATE_HOME": folder.url.path + "/state", "HOME": folder.url.path])
        #expect(result.status == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/state"))
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/.local"))
    }
}

struct LineCompletionTests {
    private let completion = LineCompletion(commands: [
        .init(name: "buy", followers: ["gold.monthly", "gold.yearly", "by", "ask to buy"]),
        .init(name: "buy outside app", followers: ["gold.monthly"]), .init(name: "fail billing", followers: ["anna"]),
        .init(name: "quit", followers: []),
    ])

    @Test(
        "The last word is completed in its context",
        arguments: [
            ("", ["buy", "fail", "quit"]), ("b", ["buy"]), ("buy", ["buy"]),
            ("buy ", ["buy ask to buy", "buy by", "buy gold.monthly", "buy gold.yearly", "buy outside"]),
            ("buy gold.m", ["buy gold.monthly"]), ("buy outside a", ["buy outside app", "buy outside ask to buy"]),
            ("fail ", ["fail billing"]), ("fail billing a", ["fail billing anna"]), ("quit ", []), ("sell ", []),
        ])
    func lines(line: String, expected: [String]) { #expect(completion.lines(continuing: line) == expected) }

    @Test(
        "The longest common prefix of completions is found",
        arguments: [([], ""), (["buy"], "buy"), (["gold.m", "gold.y"], "gold."), (["a", "b"], "")])
    func shared(texts: [String], expected: String) { #expect(LineCompletion.sharedBeginning(of: texts) == expected) }
}

struct LineHistoryTests {
    private let folder: Folder
    private let history: LineHistory

    init() throws {
        folder = try Folder()
        history = try #require(LineHistory(environment: ["XDG_STATE_HOME": folder.url.path]))
    }

    @Test("The history is in the user's state directory")
    func place() {
        #expect(
            LineHistory(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"])?.path == "/s/storekeeper/simulate-history")
        for state in ["", "relative"] {
            let path = LineHistory(environment: ["XDG_STATE_HOME": state, "HOME": "/h"])?.path
            #expect(path == "/h/.local/state/storekeeper/simulate-history")
        }
        #expect(LineHistory(environment: [:]) == nil)
    }

    @Test("The history keeps the newest lines, and omits those with control characters")
    func newest() throws {
        #expect(history.lines() == [])
        for number in 1...(2 * LineHistory.length + 1) { history.append("line \(number)") }
        history.append("a\u{1B}[2Jb")
        let lines = history.lines()
        #expect(lines.count == LineHistory.length)
        #expect(lines.last == "line \(2 * LineHistory.length + 1)")
        let kept = try String(contentsOfFile: history.path, encoding: .utf8)
        #expect(kept.split(separator: "\n").count == LineHistory.length)
    }

    @Test("A history that is a link, a folder or too long is not read, and a link is not written through")
    func strange() throws {
        try folder.write("mine\n", to: "other")
        try folder.write("x\n", to: "storekeeper/x")
        try FileManager.default.createSymbolicLink(
            atPath: history.path, withDestinationPath: folder.url.path + "/other")
        history.append("buy")
        #expect(history.lines() == [])
        #expect(try String(contentsOfFile: folder.url.path + "/other", encoding: .utf8) == "mine\n")
        try FileManager.default.removeItem(atPath: history.path)
        try folder.write(String(repeating: "x", count: LineHistory.limit + 1), to: "storekeeper/simulate-history")
        #expect(history.lines() == [])
        history.append("buy")
        #expect(history.lines() == ["buy"])
    }
}
