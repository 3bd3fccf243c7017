import Foundation
import StorekeeperTesting
import Testing

/// Tests of the vault commands on a full file system of two megabytes.
@Suite(.system, .enabled(if: SmallDisk.canBeMade, "mounting a file system is not permitted"), .timeLimit(.minutes(20)))
struct VaultFullDiskTests {
    private static let diskFullError =
        "storekeeper: error: the disk is full (disk/game.sqlite): make room and try again"

    @Test("On a full disk committed data can be read, and with room again the vault can be written")
    func fullDisk() throws {
        let workspace = try VaultWorkspace(VaultWorkspace.coins)
        let result = try SmallDisk.run(
            """
            vault="--vault disk/game.sqlite"
            try "import" vault import --customer anna customer.jws $vault
            fill
            try "spend" vault spend --customer anna coins 5 --key a $vault
            try "erase" vault erase --customer anna --reason asked $vault
            try "import again" vault import --customer bert customer.jws $vault
            try "init" vault init --vault disk/other.sqlite
            try "balance" vault balance --customer anna coins $vault
            try "verify" vault verify $vault
            empty
            try "spend later" vault spend --customer anna coins 5 --key a $vault
            try "balance later" vault balance --customer anna coins $vault
            try "verify later" vault verify $vault
            ls disk
            """, in: workspace)
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.outputLines
        func step(_ name: String) -> [String] {
            guard let start = lines.firstIndex(where: { $0.hasPrefix("\(name): ") }) else { return [] }
            return lines[start...].prefix { $0 == lines[start] || $0.hasPrefix("  ") }
                .filter { !$0.hasPrefix("  storekeeper: note: the trusted root") }
        }
        #expect(step("import").first == "import: 0")
        for name in ["spend", "erase", "import again"] {
            #expect(step(name) == ["\(name): 73", "  \(Self.diskFullError)"])
        }
        #expect(
            step("init") == [
                "init: 73",
                "  storekeeper: error: the disk is full (disk/other.sqlite): make room and try again",
            ])
        #expect(step("balance") == ["balance: 0", "  400"])
        #expect(step("verify").first == "verify: 0", "\(step("verify"))")
        #expect(step("spend later").first == "spend later: 0")
        #expect(step("balance later") == ["balance later: 0", "  395"])
        #expect(step("verify later").first == "verify later: 0")
        #expect(lines.suffix(1) == ["game.sqlite"])
    }
}

/// A separate file system for a script.
///
/// It needs no root privileges, and exists until the script ends.
enum SmallDisk {
    private static let frame = """
        program="$0"
        mkdir -p disk && mount -t tmpfs -o size=2m none disk || exit 99
        try() {
          name="$1"; shift
          "$program" "$@" > said 2>&1; echo "$name: $?"; sed 's/^/  /' said
        }
        fill() { head -c 4000000 /dev/zero > disk/filler 2>&-; }
        empty() { rm disk/filler; }

        """

    static let canBeMade: Bool = {
        guard let workspace = try? VaultWorkspace() else { return false }
        return (try? run("fill; test -s disk/filler", in: workspace))?.status == 0
    }()

    static func run(_ script: String, in workspace: VaultWorkspace) throws -> Program.Result {
        let program = try #require(Program.executable, "the program is built with the tests")
        return try Program.run(
            ["--map-root-user", "--mount", "/bin/sh", "-c", frame + script, program.path], in: workspace.folder,
            as: "/usr/bin/unshare")
    }
}
