import ArgumentParser
import Foundation
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of wrong usage: the program prints one line on standard error and nothing on standard output, and exits with
/// the documented status.
@Suite(.system) struct UsageTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write(Evidence().rootPEM, to: "root.pem")
        try folder.write("", to: "empty.jws")
        try folder.write("no certificate", to: "bad.pem")
        try folder.write("{", to: "bad.json")
        try folder.write("root: root.pem\ncolour: red\n", to: "unknown.yaml")
        try folder.write("policy: { grace: maybe }\n", to: "value.yaml")
        try folder.write("root: [\n", to: "broken.yaml")
        try folder.write("# one\npolicy: { grace: true, grace: false }\n", to: "twice.yaml")
        try folder.write("environments: [Prod]\n", to: "environment.yaml")
        try folder.write("- a\n", to: "list.yaml")
        try folder.write("serve: { webhooks: [a] }\n", to: "webhooks.yaml")
    }

    private static let verify = ["verify", "--root", "root.pem", "empty.jws"]
    private static let missing = "the file cannot be read: no such file or directory"
    private static let checkPath = "check the path and its permissions"

    static let calls: [(arguments: [String], status: Int32, line: String)] = [
        (["frobnicate"], 64, "there is no command 'frobnicate' (storekeeper): see 'storekeeper --help'"),
        (["entitlement", "a"], 64, "there is no command 'entitlement' (storekeeper): did you mean 'entitlements'?"),
        (["help", "nope"], 64, "there is no command 'nope' (storekeeper): see 'storekeeper --help'"),
        (["help", "timelin"], 64, "there is no command 'timelin' (storekeeper): did you mean 'timeline'?"),
        (["vault", "blance"], 64, "there is no command 'blance' (storekeeper vault): did you mean 'balance'?"),
        (
            ["help", "vault", "nothing"], 64,
            "there is no command 'nothing' (storekeeper vault): see 'storekeeper vault --help'"
        ),
        (
            ["verify"], 64,
            "Missing expected argument '<evidence> ...' (storekeeper verify): see 'storekeeper verify --help'"
        ),
        (
            ["verify", "--colour", "x"], 64,
            "Unknown option '--colour' (storekeeper verify): see 'storekeeper verify --help'"
        ),
        (["verify", "", "--root", "root.pem"], 66, "\(missing) (''): \(checkPath)"),
        (["check", "--nope", "x"], 64, "Unknown option '--nope' (storekeeper check): see 'storekeeper check --help'"),
        (["check", "--rot", "x"], 64, "Unknown option '--rot' (storekeeper check): did you mean '--root'?"),
        (
            ["products", "--format", "xml", "x"], 64,
            "The value 'xml' is invalid for '--format <text|json>'. Please provide one of 'text' and 'json' "
                + "(storekeeper products): see 'storekeeper products --help'"
        ),
        (
            ["verify", "empty.jws"], 64,
            "no trusted root certificate is given (--root): name one with --root FILE, STOREKEEPER_ROOT or "
                + "storekeeper.yaml; the App Store's is Apple Root CA - G3, from "
                + "https://www.apple.com/certificateauthority/"
        ),
        (
            verify + ["--environment", "production"], 64,
            "'production' is not an environment (--environment): use Production, Sandbox, Xcode or LocalTesting"
        ),
        (
            verify + ["--at", "2026-03-01T09:30"], 64,
            "'2026-03-01T09:30' is not a time (--at): write it like 2026-03-01T09:30:00Z, 2026-03-01 or milliseconds "
                + "since 1970"
        ),
        (
            verify + ["--as-known-at", "2026-03-01"], 64,
            "only a vault records what was known at an earlier time (--as-known-at): ask a vault with "
                + "--customer ID, or leave the option out"
        ),
        (
            verify + ["--renewal-leeway", "PT25H"], 64,
            "'PT25H' is not a duration of at most 24 hours (--renewal-leeway): write it like PT1H, PT30M, 90s, 5m or 1h"
        ),
        (
            verify + ["--app-apple-id", "x"], 64,
            "'x' is not an app id (--app-apple-id): give the number App Store Connect shows"
        ),
        (
            ["verify", "--root", "root.pem", "-", "-"], 64,
            "standard input can be read only once (standard input): name it once"
        ),
        (
            verify + ["--at", "-5"], 64,
            "'-5' is read as an option and not as a value (--at): write --at=-5 if you mean the negative number"
        ),
        (
            ["products", "-5"], 64,
            "'-5' is neither an option nor an argument (storekeeper products): see 'storekeeper products --help'"
        ),
        (
            ["local-app-store"], 64,
            "no catalog or scenario is given (storekeeper local-app-store): add a catalog, such as Store.storekit, or a "
                + "scenario, such as grace.yaml"
        ),
        (
            ["--format", "json", "check", "gold.monthly", "a file.jws"], 64,
            "an option stands before the command (--format): write storekeeper check --format json gold.monthly "
                + "'a file.jws'"
        ),
        (
            ["vault", "--customer", "anna", "balance"], 64,
            "an option stands before the command (--customer): write storekeeper vault balance --customer anna"
        ),
        (
            ["--colour", "x", "verify", "empty.jws"], 64,
            "an option stands before the command (--colour): write options after 'storekeeper verify'; see "
                + "'storekeeper verify --help'"
        ),
        (
            ["--vault=postgres://game:secret@db.example.com/game", "vault", "verify"], 64,
            "an option stands before the command (--vault): write options after 'storekeeper vault verify'; see "
                + "'storekeeper vault verify --help'"
        ),
        (["completions", "tcsh"], 64, "'tcsh' is not a supported shell (completions): use bash, zsh or fish"),
        (
            ["verify", "--root", "bad.pem", "empty.jws"], 65,
            "the trusted root is not a certificate (bad.pem): give an X.509 certificate in DER or PEM, such as Apple "
                + "Root CA - G3"
        ),
        (
            verify + ["--config", "unknown.yaml"], 65,
            "the key 'colour' is unknown (unknown.yaml): use root, bundleID, appAppleID, environments, catalogs, "
                + "vault, accountTokens, policy, serve"
        ),
        (
            verify + ["--config", "value.yaml"], 65,
            "policy.grace is neither true nor false (value.yaml): correct it; see 'storekeeper --help'"
        ),
        (verify + ["--config", "broken.yaml"], 65, "the configuration is not YAML (broken.yaml: line 2): correct it"),
        (
            verify + ["--config", "twice.yaml"], 65,
            "the key 'grace' is given twice (twice.yaml: line 2): keep one of them"
        ),
        (
            verify + ["--config", "environment.yaml"], 65,
            "'Prod' is not an environment (environment.yaml: environments): use Production, Sandbox, Xcode or LocalTesting"
        ),
        (
            verify + ["--config", "list.yaml"], 65,
            "the configuration is not a mapping of keys to values (list.yaml): correct it; see 'storekeeper --help'"
        ),
        (
            verify + ["--config", "webhooks.yaml"], 65,
            "serve.webhooks is not a mapping of keys to values (webhooks.yaml): correct it; see 'storekeeper serve "
                + "--help'"
        ),
        (["verify", "--root", "root.pem", "gone.jws"], 66, "\(missing) (gone.jws): \(checkPath)"),
        (["verify", "--root", "root.pem", "empty.jws", "gone.jws"], 66, "\(missing) (gone.jws): \(checkPath)"),
        (["verify", "--root", "gone.pem", "empty.jws"], 66, "\(missing) (gone.pem): \(checkPath)"),
        (verify + ["--catalog", "gone.plist"], 66, "\(missing) (gone.plist): \(checkPath)"),
        (verify + ["--config", "gone.yaml"], 66, "\(missing) (gone.yaml): \(checkPath)"),
        (["products", "gone.plist"], 66, "\(missing) (gone.plist): \(checkPath)"),
        (
            ["verify", "--root", ".", "empty.jws"], 66,
            "the file cannot be read: is a directory (.): name a file in it"
        ),
        (
            ["serve", "--new-lease-key", "root.pem"], 73,
            "the file already exists (root.pem): name another file, or remove it first"
        ),
        (
            ["serve", "--new-webhook-secret", "root.pem"], 73,
            "the file already exists (root.pem): name another file, or remove it first"
        ),
        (["products", "."], 66, "the file cannot be read: is a directory (.): name the files in it, such as ./*"),
    ]

    @Test("Wrong usage prints one line and ends with its status", arguments: calls)
    func wrongCall(call: (arguments: [String], status: Int32, line: String)) throws {
        let result = try Tool.run(call.arguments, in: folder)
        #expect(result.errors == "storekeeper: error: \(call.line)\n")
        #expect(result.output == "")
        #expect(result.status == call.status)
    }

    @Test("A malformed catalog ends with 65, in one line with the place")
    func malformedCatalog() throws {
        let result = try Tool.run(["products", "bad.json"], in: folder)
        #expect(result.status == 65)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("storekeeper: error: ") && result.errors.contains("(bad.json"))
    }

    @Test("Control characters in arguments do not reach the terminal")
    func controlCharacters() throws {
        let result = try Tool.run(["products", "a\u{1B}[2J\nb"], in: folder)
        #expect(result.errors == "storekeeper: error: \(Self.missing) (a [2J b): \(Self.checkPath)\n")
    }

    @Test("A full disk ends with 73")
    func fullDisk() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full"), let program = Program.executable else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "'\(program.path)' completions bash > /dev/full 2> full.txt"]
        process.currentDirectoryURL = folder.url
        try process.run()
        process.waitForEnd()
        let errors = try String(contentsOf: folder.url.appendingPathComponent("full.txt"), encoding: .utf8)
        #expect(process.terminationStatus == 73)
        #expect(
            errors == "storekeeper: error: the result cannot be written: No space left on device (standard output): "
                + "make room or choose another place\n")
    }

    @Test("A closed pipe ends the program silently")
    func brokenPipe() throws {
        let program = try #require(Program.executable)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "trap '' PIPE; '\(program.path)' completions bash 2> pipe.txt | true"]
        process.currentDirectoryURL = folder.url
        try process.run()
        process.waitForEnd()
        #expect(try String(contentsOf: folder.url.appendingPathComponent("pipe.txt"), encoding: .utf8) == "")
    }
}

@Suite(.system) struct HelpTests {
    /// The names of all commands.
    static let commands = words(of: StorekeeperCommand.self, after: [])

    private static func words(of command: any ParsableCommand.Type, after path: [String]) -> [[String]] {
        [path]
            + command.configuration.subcommands.flatMap { subcommand in
                words(of: subcommand, after: path + [subcommand.configuration.commandName ?? "?"])
            }
    }

    @Test("All commands are covered")
    func all() {
        #expect(Self.commands.contains(["local-app-store"]) && Self.commands.contains(["vault", "spend"]))
        #expect(Self.commands.count > 25 && !Self.commands.joined().contains("?"))
    }

    @Test(
        "Each command has help with examples, which ends with 0",
        arguments: [
            (["verify", "--help"], "storekeeper verify"), (["help", "verify"], "storekeeper verify"),
            (["products", "--help"], "storekeeper products"), (["help", "products"], "storekeeper products"),
            (["vault", "--help"], "storekeeper vault"), (["help", "vault", "import"], "storekeeper vault import"),
            (["simulate", "--help"], "storekeeper simulate"),
            (["completions", "-h"], "storekeeper completions"), (["--help"], "storekeeper products"),
            (["help"], "storekeeper verify"), ([], "storekeeper verify"),
        ])
    func help(arguments: [String], example: String) throws {
        let result = try Tool.run(arguments, in: Folder())
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output.contains("  \(example)"))
        #expect(result.output.contains("EXIT STATUS") || result.output.contains("EXAMPLES"))
    }

    @Test("No line of help is broken", arguments: HelpTests.commands)
    func layout(command: [String]) throws {
        let narrow = try Program.run(command + ["--help"], in: Folder(), environment: ["COLUMNS": "80"])
        let wide = try Program.run(command + ["--help"], in: Folder(), environment: ["COLUMNS": "200"])
        #expect(narrow.outputLines.allSatisfy { $0.count <= 80 })
        // Indented lines are the same at both widths.
        let indented = wide.outputLines.prefix { !$0.hasPrefix("USAGE") }.filter { $0.hasPrefix("  ") }
        for line in indented { #expect(narrow.outputLines.contains(line), "\(line)") }
    }

    @Test("Examples in help can be typed as shown in 80 columns", arguments: HelpTests.commands)
    func examples(command: [String]) throws {
        let folder = try Folder()
        let help = try Program.run(command + ["--help"], in: folder, environment: ["COLUMNS": "80"])
        let lines = help.outputLines.prefix { !$0.hasPrefix("USAGE") }
        var typed: [String] = []
        for line in lines where typed.last?.hasSuffix("\\") == true || line.contains(#/^ +(storekeeper|curl) \S/#) {
            // Redirections and pipes are removed, so that the command writes no file and no other program runs.
            typed.append(String(line.replacing(#/ [>|] .*/#, with: "")))
        }
        #expect(typed.contains { $0.contains("storekeeper ") } || command.last == "init", "there is an example")

        // A shell splits the words, as for a user.
        let splitMessage = try Program.type(
            """
            KEY=key
            cat() { echo head; }
            storekeeper() { printf '%s\n' "$@" '' >&2; }
            curl() { case "${@: -1}" in */*) ;; *) return 3 ;; esac; }
            \(typed.joined(separator: "\n"))
            """, in: folder)
        #expect(splitMessage.status == 0, "\(typed)")
        for call in splitMessage.errors.components(separatedBy: "\n\n") where !call.isEmpty {
            let words = call.split(separator: "\n").map(String.init)
            #expect(throws: Never.self, "\(words)") { _ = try StorekeeperCommand.parseAsRoot(words) }
        }
    }

    @Test("The help of each option is one sentence, and perhaps a default")
    func sentences() throws {
        let dump = try Tool.run(["--experimental-dump-help"], in: Folder())
        let texts = dump.output.matches(of: #/"abstract" : "((?:\\.|[^"\\])*)"/#).map { String($0.1) }
        #expect(texts.count > 300)
        for text in Set(texts) {
            let sentence = text.replacing(#/ ?Default: .*/#, with: "")
            #expect(sentence.matches(of: #/[.?](?= |$)/#).count == 1, "\(text)")
        }
    }

    @Test("The version is printed as a version number")
    func version() throws {
        let result = try Tool.run(["--version"], in: Folder())
        #expect(try #/\d+\.\d+\.\d+\n/#.wholeMatch(in: result.output) != nil)
        #expect(result.status == 0)
        #expect(StorekeeperCommand.describe("1.2.3", build: "") == "1.2.3")
        #expect(
            StorekeeperCommand.describe("1.2.3", build: "13479864a1b2 2026-11-25")
                == "1.2.3 (13479864a1b2, 2026-11-25)")
    }

    @Test("Both ways to print a completion script are equal", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let command = try Tool.run(["completions", shell], in: Folder())
        let option = try Tool.run(["--generate-completion-script", shell], in: Folder())
        #expect(command.output == option.output)
        #expect(command.output.contains("storekeeper"))
        #expect(command.status == 0 && option.status == 0)
    }
}
