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

    private func run(_ arguments: String..., by starter: [String] = []) throws -> ChildProcess {
        let words = starter + [tool] + arguments
        return try ChildProcess.run(words[0], Array(words.dropFirst()), outputPath: folder.file("output"))
    }

    private func verify(by starter: [String] = []) throws -> ChildProcess {
        let process = try run(
            "verify", "--summary", "--root", root, "--bundle-id", "com.example.game", evidence, by: starter)
        guard process.exitStatus == 0, process.output.contains("\"verified\":\(Self.items)") else {
            throw BenchmarkError("storekeeper verify --summary did not verify all items")
        }
        return process
    }

    /// Whether the program has the command.
    var hasVerify: Bool { (try? run("verify", "--help").exitStatus) == 0 }

    private func version() throws -> ChildProcess {
        let process = try run("--version")
        guard process.exitStatus == 0 else { throw BenchmarkError("storekeeper --version failed") }
        return process
    }

    /// Verification of a file, from the start of the process to its end.
    func verification() -> BenchmarkGroup {
        let rawName = "raw P-256, hashing included"
        let oneCoreName = "the whole process, one core (wall)"
        var cases: [BenchmarkCase] = [.serial(rawName, operations: raw.count) { try raw.run() }]
        if let pinner = Self.pinner {
            // The process cannot be faster than the verifier in it, whose target is 0.75. A profile shows 0.82 of the
            // time in cryptography, and the medians of single runs vary between 0.78 and 0.93.
            cases.append(
                .timed(oneCoreName, operations: Self.items, targets: [.speed(of: rawName, atLeast: 0.75)]) {
                    try verify(by: [pinner, "--cpu-list", "0"]).wallSeconds
                })
        }
        cases.append(
            .timed(
                "the whole process, all cores (wall)", operations: Self.items,
                targets: Self.pinner == nil
                    ? [.comparedSpeed(of: rawName)] : [.speed(of: oneCoreName, atLeast: 1.85)]
            ) { try verify().wallSeconds })
        cases.append(
            .timed(
                "the whole process, all cores (processor time)", operations: Self.items,
                targets: [.comparedSpeed(of: rawName)]
            ) { try verify().processorSeconds })
        return BenchmarkGroup(
            title: "storekeeper verify --summary, a file of 20,000 transactions (per transaction)", cases: cases,
            rounds: 7)
    }

    /// The command that runs a program on one core; `nil` if the system has none.
    private static let pinner = ["/usr/bin/taskset", "/bin/taskset"].first { ChildProcess.exists($0) }

    /// The start of the process.
    func start() -> BenchmarkGroup {
        let plainName = "start of true"
        return BenchmarkGroup(
            title: "Start of storekeeper --version",
            cases: [
                .timed(plainName, operations: 1) {
                    try ChildProcess.run("/usr/bin/env", ["true"], outputPath: folder.file("output")).processorSeconds
                },
                .timed("time on the wall", operations: 1) { try version().wallSeconds },
                // Most of it is the dynamic linker's work for Swift's libraries. The medians of single runs of one program
                // vary between 8.3 and 10.9.
                .timed("processor time", operations: 1, targets: [.time(of: plainName, atMost: 12)]) {
                    try version().processorSeconds
                },
            ])
    }
}
