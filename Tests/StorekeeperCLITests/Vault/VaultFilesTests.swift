import CLibsqlite3
import Foundation
import StorekeeperTesting
import Testing

/// Tests of the vault commands with unusual paths, permissions and limits, and with other processes that have the file
/// open.
@Suite(.system, .timeLimit(.minutes(20)))
struct VaultFilesTests {
    private let workspace: VaultWorkspace

    init() throws {
        workspace = try VaultWorkspace(VaultWorkspace.coins)
        try workspace.take()
    }

    private var path: String { workspace.folder.url.appendingPathComponent("game.sqlite").path }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder.url.path).filter { !$0.hasPrefix(".") }
            .sorted()
    }

    static let reading: [[String]] = [
        ["vault", "balance", "--customer", "anna"], ["vault", "history", "--customer", "anna"],
        ["vault", "verify"], ["vault", "export"], ["vault", "parked"], ["entitlements", "--customer", "anna"],
        ["check", "gold.monthly", "--customer", "anna"],
    ]

    @Test("Commands that read do not change the folder and the file", arguments: reading)
    func leaveNothing(_ command: [String]) throws {
        let (before, file) = (try names(), try Data(contentsOf: URL(fileURLWithPath: path)))
        let result = try Program.run(command + ["--vault", "game.sqlite"], in: workspace.folder)
        #expect(result.status < 2, "\(result.errors)")
        #expect(try names() == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == file)
    }

    @Test(
        "A read-only vault is read by any permitted user, and leaves nothing behind",
        .enabled(if: OrdinaryUser.canRun, "other users cannot run the program in this folder"))
    func readOnly() throws {
        let files = FileManager.default
        let kept = workspace.folder.url.appendingPathComponent("kept")
        try files.createDirectory(at: kept, withIntermediateDirectories: false)
        try workspace.done("vault", "backup", "kept/copy.sqlite")
        try files.copyItem(atPath: path, toPath: kept.appendingPathComponent("game.sqlite").path)
        // The folder belongs to another user, its files are readable by all, and the program runs as a third user.
        let names = ["copy.sqlite", "game.sqlite"]
        for name in names {
            try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: kept.appendingPathComponent(name).path)
        }
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: kept.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: kept.path) }
        for vault in names.map({ "kept/\($0)" }) {
            for command in Self.reading {
                let result = try OrdinaryUser.run(command + ["--vault", vault], in: workspace.folder)
                #expect(result.status < 2, "\(command) \(vault): \(result.errors)")
                #expect(!result.output.isEmpty)
            }
            let spent = try OrdinaryUser.run(
                ["vault", "spend", "--customer", "anna", "coins", "5", "--key", "a", "--vault", vault],
                in: workspace.folder)
            #expect(spent.status == 73, "\(spent.errors)")
            #expect(spent.errorLines.count == 1, "\(spent.errors)")
        }
        #expect(try files.contentsOfDirectory(atPath: kept.path).sorted() == names)
    }

    static let odd: [(name: String, status: Int32)] = [("pipe", 65), ("folder", 65), ("link", 65)]

    @Test("A path that is not a file is refused at once", arguments: odd)
    func noFile(_ name: String, status: Int32) throws {
        let path = workspace.folder.url.appendingPathComponent(name).path
        switch name {
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "gone")
        }
        for command in [
            ["vault", "balance", "--customer", "anna"], ["vault", "verify"],
            ["vault", "spend", "--customer", "anna", "coins", "1", "--key", "k"], ["vault", "init", "--if-missing"],
            ["vault", "import", "--customer", "anna", "customer.jws"],
        ] {
            let result = try Program.run(command + ["--vault", name], in: workspace.folder)
            #expect(result.status == status, "\(command): \(result.errors)")
            #expect(result.errorLines.last?.hasPrefix("storekeeper: error: the file is not a vault (\(name))") == true)
        }
        #expect(try workspace.run("vault", "init", "--vault", name).status == 73)
    }

    @Test(
        "A path that looks like a URI or a special name of SQLite is a file",
        arguments: ["file:other.sqlite", ":memory:"])
    func uri(_ name: String) throws {
        try workspace.folder.write("nothing of ours", to: "other.sqlite")
        try workspace.done("vault", "init", "--vault", name)
        #expect(try names().contains(name))
        #expect(
            try String(contentsOf: workspace.folder.url.appendingPathComponent("other.sqlite"), encoding: .utf8)
                == "nothing of ours")
    }

    @Test("A file that may not grow is a write error, and existing data is not lost")
    func sizeLimit() throws {
        let before = try workspace.history()
        // The shell counts in blocks of 512 or 1024 bytes. One block of either size is less than the write-ahead log
        // needs.
        let program = try #require(Program.executable, "the program is built with the tests")
        let script = "ulimit -f 1; exec \"$0\" vault spend --customer anna coins 5 --key a"
        let result = try Program.run(["-c", script, program.path], in: workspace.folder, as: "/bin/sh")
        #expect(result.status == 73, "\(result.status): \(result.errors)")
        #expect(result.errorLines.count == 1)
        #expect(try workspace.history() == before)
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "5", "--key", "a")
        try workspace.done("vault", "verify")
    }

    @Test("An erasure reports that another process still reads the erased data")
    func erasedBytes() throws {
        var connection: OpaquePointer?
        #expect(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { sqlite3_close_v2(connection) }
        #expect(sqlite3_exec(connection, "BEGIN; SELECT count(*) FROM ledger", nil, nil, nil) == SQLITE_OK)
        let held = try workspace.done("vault", "erase", "--customer", "anna", "--reason", "request 17")
        #expect(held.errorLines.count == 1)
        #expect(held.errors.contains("another process is reading an older state of the vault (game.sqlite)"))
        #expect(sqlite3_exec(connection, "COMMIT", nil, nil, nil) == SQLITE_OK)
        try workspace.take(for: "bert")
        let free = try workspace.done("vault", "erase", "--customer", "bert", "--reason", "request 18")
        #expect(free.errors == "")
    }

    @Test("Without the secret of erasures the history reports that erasures are unknown")
    func lostSecret() throws {
        try workspace.done("vault", "erase", "--customer", "anna", "--reason", "request 17")
        try workspace.take(for: "bert")
        #expect(try workspace.done("vault", "history", "--customer", "anna").errors == "")
        #expect(try workspace.history() == ["erasure request 17 request 17"])
        #expect(try names().filter { $0.hasPrefix("game") } == ["game.sqlite", "game.sqlite-secret"])
        try FileManager.default.removeItem(atPath: path + "-secret")
        let blind = try workspace.done("vault", "history", "--customer", "anna")
        #expect(blind.errorLines.count == 1)
        #expect(
            blind.errors.hasPrefix(
                "storekeeper: note: it is unknown whether this customer was erased (game.sqlite-secret): "))
        #expect(try workspace.history() == [])
        try Data("other".utf8).write(to: URL(fileURLWithPath: path + "-secret"))
        let refused = try workspace.run("vault", "erase", "--customer", "bert", "--reason", "request 18")
        #expect(refused.status == 73)
        #expect(
            refused.errors.hasPrefix(
                "storekeeper: error: the erasure secret of the vault is damaged (game.sqlite): restore game.sqlite-secret"
            ), "\(refused.errors)")
    }

    @Test("Sixteen concurrent spenders succeed while another process reads")
    func manySpenders() async throws {
        var connection: OpaquePointer?
        #expect(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        defer { sqlite3_close_v2(connection) }
        #expect(sqlite3_exec(connection, "BEGIN; SELECT count(*) FROM ledger", nil, nil, nil) == SQLITE_OK)
        let folder = workspace.folder
        let statuses = await withTaskGroup(of: Int32?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try? Program.run(
                        ["vault", "spend", "--customer", "anna", "coins", "1", "--key", "\(number)"], in: folder
                    ).status
                }
            }
            return await group.reduce(into: [Int32?]()) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 0, count: 16))
        #expect(try workspace.balance() == 400 - 16)
    }
}

/// The program, run as an ordinary user.
enum OrdinaryUser {
    /// Whether another user can run the program in its folder.
    static let canRun: Bool = {
        guard let folder = try? Folder() else { return false }
        return (try? run(["--version"], in: folder))?.status == 0
    }()

    static func run(_ arguments: [String], in folder: Folder) throws -> Program.Result {
        guard geteuid() == 0 else { return try Program.run(arguments, in: folder) }
        let program = try #require(Program.executable, "the program is built with the tests")
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return try Program.run(user + [program.path] + arguments, in: folder, as: "/usr/bin/setpriv")
    }
}
