import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests that the output of vault commands fits the width of the terminal, and is not shortened for a pipe.
@Suite(.system, .timeLimit(.minutes(20)))
struct VaultWidthTests {
    private static let long = "com.example.game.bundles.of.coins.for.the.long.winter.season.2026.with.a.gift"
    private static let commands: [(arguments: [String], heading: String)] = [
        (["balance", "--customer", "anna"], "BALANCE"), (["history", "--customer", "anna"], "TIME"),
        (["parked"], "PURCHASE"), (["verify"], "FAULT"),
    ]

    private let workspace: VaultWorkspace

    init() throws {
        let purchase = TransactionDraft.purchase(
            of: Product.ID(Self.long), type: .consumable, at: .day(1), id: "2000000123456789")
        workspace = try VaultWorkspace([purchase])
        try workspace.folder.write(
            "{\"products\":[{\"id\":\"\(Self.long)\",\"type\":\"consumable\"}]}", to: "catalog.json")
        try workspace.take()
        #expect(try workspace.run("vault", "import", "--customer", "bert", "customer.jws").status == 1)
        try workspace.tamper("UPDATE ledger SET change = 7, after = 7")
    }

    private func print(_ arguments: [String], _ columns: Int?) throws -> [String] {
        let environment = columns.map { ["COLUMNS": "\($0)"] } ?? [:]
        return try Program.run(["vault"] + arguments, in: workspace.folder, environment: environment).outputLines
    }

    @Test("No line of a table is wider than the terminal", arguments: commands, [60, 80])
    func fits(_ command: (arguments: [String], heading: String), _ columns: Int) throws {
        let lines = try print(command.arguments, columns)
        let table = lines.drop { !$0.hasPrefix(command.heading) }
        #expect(table.count > 1, "\(lines)")
        for line in table { #expect(line.columns <= columns, "\(line)") }
    }

    @Test("Output to a pipe is not shortened", arguments: commands)
    func pipe(_ command: (arguments: [String], heading: String)) throws {
        let lines = try print(command.arguments, nil)
        #expect(!lines.contains { $0.contains("…") }, "\(lines)")
        #expect(lines.contains { $0.columns > 80 }, "\(lines)")
    }

    @Test("In a narrow list of parked evidence the id and the reason are complete")
    func parked() throws {
        let row = try #require(try print(["parked"], 60).last)
        #expect(row.hasPrefix("2000000123456789  com.example"))
        #expect(row.hasSuffix("another's  bert"))
    }
}

/// Tests of the summary that `vault verify` prints.
@Suite(.system) struct VaultVerifyReportTests {
    @Test("The summary is wrapped at spaces, and coloured as a whole")
    func summary() {
        let report = AuditReport(signatures: 30_000, sums: 30_000, bindings: 30_000, links: 1_000_000, head: nil)
        let style = TerminalStyle(isColored: false)
        let wide = "Checked 30000 signatures, 30000 sums, 30000 bindings and 1000000 links: all good."
        #expect(VaultVerifyCommand.lines(report, style, width: nil) == [wide])
        #expect(
            VaultVerifyCommand.lines(report, style, width: 80) == [String(wide.dropLast(6)), "good."])
    }
}
