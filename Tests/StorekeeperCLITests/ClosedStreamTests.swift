import Foundation
import StorekeeperTesting
import Testing

/// Tests with standard streams that the parent process has closed, as some launchers of background programs do.
@Suite(.system) struct ClosedStreamTests {
    /// Runs the program from a shell that closes streams.
    private func run(_ words: String, closing streams: String) throws -> Program.Result {
        let customer = try Customer([Customer.gold])
        try customer.folder.write("root: root.pem\ncatalogs: [catalog.json]\n", to: "storekeeper.yaml")
        let program = try #require(Program.executable).path
        return try Program.run(
            ["-c", "\"$0\" \(words) --at 2026-01-10 \(streams)", program], in: customer.folder, as: "/bin/sh")
    }

    @Test("Closed standard input is an error, not empty evidence")
    func input() throws {
        let result = try run("check gold.monthly -", closing: "<&-")
        #expect(result.output == "")
        #expect(
            result.errors == "storekeeper: error: the file cannot be read: bad file descriptor (standard input): check "
                + "the path and its permissions\n")
        #expect(result.status == 66)
        #expect(try run("check gold.monthly customer.jws", closing: "<&-").status == 0)
    }

    @Test(
        "Closed standard output is a write error", arguments: [">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func output(streams: String) throws {
        let result = try run("entitlements customer.jws", closing: streams)
        #expect(result.status == 73)
        guard !streams.contains("2") else { return }
        #expect(
            result.errorLines.last == "storekeeper: error: the result cannot be written: Bad file descriptor (standard "
                + "output): make room or choose another place")
    }

    @Test("A new key is stored only if it was shown, and is one document in JSON")
    func newKey() throws {
        let folder = try Folder()
        let keys = folder.url.appendingPathComponent("storekeeper.keys")
        let program = try #require(Program.executable).path
        for format in ["text", "json"] {
            let unseen = try Program.run(
                ["-c", "\"$0\" serve --new-key z --scope check --format \(format) >&-", program], in: folder,
                as: "/bin/sh")
            #expect(unseen.status == 73)
            #expect(
                unseen.errorLines.count == 1 && unseen.errors.contains("the result cannot be written"),
                "\(unseen.errors)")
            #expect(!FileManager.default.fileExists(atPath: keys.path))
        }
        let seen = try Program.run(
            ["serve", "--new-key", "z", "--scope", "check", "--format", "json"], in: folder)
        #expect(seen.status == 0, "\(seen.errors)")
        let document = try seen.object()
        #expect(document.keys.sorted() == ["key", "name", "scope"])
        #expect((document["key"] as? String)?.hasPrefix("sk_") == true)
        #expect(document["name"] as? String == "z" && document["scope"] as? String == "check")
        let stored = try String(contentsOf: keys, encoding: .utf8)
        #expect(stored.hasPrefix("z check "))
        let unseen = try Program.run(
            ["-c", "\"$0\" serve --new-key y --scope check >&-", program], in: folder, as: "/bin/sh")
        #expect(unseen.status == 73)
        #expect(try String(contentsOf: keys, encoding: .utf8) == stored)
        let second = try Program.run(["serve", "--new-key", "other", "--scope", "check"], in: folder)
        #expect(second.status == 0)
        let both = try String(contentsOf: keys, encoding: .utf8)
        #expect(both.hasPrefix(stored + "other check ") && both.split(separator: "\n").count == 2)
    }

    @Test("A new key that cannot be stored is not printed")
    func unstoredKey() throws {
        let result = try Program.run(
            ["serve", "--new-key", "z", "--scope", "check"], in: try Folder(),
            environment: ["STOREKEEPER_SERVE_KEYS": "gone/storekeeper.keys"])
        #expect(result.status == 73 && result.output.isEmpty, "\(result.output)")
        #expect(result.errorLines.count == 1 && result.errors.contains("there is no new key"), "\(result.errors)")
    }
}
