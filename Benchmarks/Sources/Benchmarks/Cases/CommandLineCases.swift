import Storekeeper
import StorekeeperJWS

/// The `storekeeper` program as a whole.
struct CommandLineCases {
    private static let items = 20_000
    private let tool: String
    private let folder: TemporaryFolder
    private let root: String
    private let evidence: String
    private let raw: RawChecks

    init(tool: String) throws {
        self.tool = tool
        folder = try TemporaryFolder()
        let signed = try SignedItems(count: Self.items)
        raw = try RawChecks(signed.texts.prefix(1_000))
        root = try folder.write(Array(signed.root.pem.utf8), to: "root.pem")
        var lines: [UInt8] = []
        for text in signed.texts {
            lines += text.utf8
            lines.append(UInt8(ascii: "\n"))
        }
        evidence = try folder.write(lines, to: "evidence.jws")
    }

    private func run(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess.run(tool, arguments, outputPath: folder.file("output"))
    }

    private func verify() throws -> ChildProcess {
        let process = try run("verify", "--summary", "--root", root, "--bundle-id", "com.example.game", evidence)
        guard process.exitStatus == 0, process.output.contains("\"verified\":\(Self.items)") else {
            throw BenchmarkError("storekeeper verify --summary did not verify all items")
        }
        return process
    }

    /// Whether the program has the command at all.
    var hasVerify: Bool { (try? run("verify", "--help").exitStatus) == 0 }

    private func version() throws -> ChildProcess {
        let process = try run("--version")
        guard process.exitStatus == 0 else { throw BenchmarkError("storekeeper --version failed") }
        return process
    }

    /// Verification of a file, by the processor time of the process from its start to its end.
    func verification() -> BenchmarkGroup {
        let rawName = "raw P-256, hashing included"
        return BenchmarkGroup(
            title: "storekeeper verify --summary, a file of 20,000 transactions (per transaction)",
            cases: [
                .serial(rawName, operations: raw.count) { try raw.run() },
                .timed(
                    "processor time of the whole process", operations: Self.items,
                    targets: [.speed(of: rawName, atLeast: 0.70)]
                ) { try verify().processorSeconds },
                .timed("time on the wall", operations: Self.items, targets: [.comparedSpeed(of: rawName)]) {
                    try verify().wallSeconds
                },
            ], rounds: 7)
    }

    /// The start of the process.
    func start() -> BenchmarkGroup {
        BenchmarkGroup(
            title: "Start of storekeeper --version",
            cases: [
                .timed("time on the wall", operations: 1, targets: [.seconds(atMost: 0.020)]) {
                    try version().wallSeconds
                },
                .timed("processor time", operations: 1) { try version().processorSeconds },
            ])
    }
}
