import Foundation
import StorekeeperTesting
import Testing

/// Tests of `vault recredit`, for packs of coins that were bought while no catalog contained `grants`.
@Suite(.system) struct VaultRecreditTests {
    private let workspace: VaultWorkspace
    private static let bare = #"{"products":[{"id":"coins.100","type":"consumable"}]}"#
    private static let granting = #"{"products":[{"id":"coins.100","type":"consumable","grants":{"coins":100}}]}"#

    init() throws {
        workspace = try VaultWorkspace(VaultWorkspace.coins)
        try workspace.folder.write(Self.bare, to: "catalog.json")
    }

    @Test("Packs without grants are named on import, and a later catalog corrects them once")
    func story() throws {
        let imported = try workspace.done("vault", "import", "--customer", "anna", "customer.jws", "--format", "json")
        let codes = try #require(imported.object()["diagnostics"] as? [[String: Any]]).compactMap {
            $0["code"] as? String
        }
        #expect(codes == ["noGrants"])
        #expect(imported.errors.contains("Products.json"))
        #expect(try workspace.balance(of: "coins.100") == 4)
        let answered = try workspace.done("entitlements", "customer.jws", "--format", "json")
        #expect(answered.output.contains("noGrants"))

        try workspace.folder.write(Self.granting, to: "catalog.json")
        let before = try Data(contentsOf: workspace.folder.url.appending(path: "game.sqlite"))
        let dry = try workspace.done("vault", "recredit", "--dry-run")
        #expect(dry.output == "anna: coins +400, coins.100 -4\n")
        #expect(try Data(contentsOf: workspace.folder.url.appending(path: "game.sqlite")) == before)
        let written = try workspace.done("vault", "recredit", "--format", "json")
        expectText(
            written.output.filter { !$0.isWhitespace },
            equals: #"{"customers":[{"changes":[{"change":400,"id":"coins"},{"change":-4,"id":"coins.100"}],"#
                + #""customer":"anna","kept":0,"purchases":2}],"dryRun":false}"#)
        #expect(try workspace.balance() == 400)
        #expect(try workspace.balance(of: "coins.100") == 0)
        let again = try workspace.done("vault", "recredit")
        #expect(again.output == "All credits match the catalogs.\n")
        #expect(try workspace.done("vault", "verify").status == 0)
        #expect(
            try workspace.history().filter { !$0.hasPrefix("fact") && !$0.hasPrefix("binding") } == [
                "credit coins.100 1 1 3000", "credit coins.100 3 4 3001", "clawBack coins.100 -1 3 3000",
                "credit coins 100 100 3000", "clawBack coins.100 -3 0 3001", "credit coins 300 400 3001",
            ])

        // A later refund changes the new balance, and so does its reversal.
        let refunded = VaultWorkspace.coins[0].revoked(at: .day(9))
        try workspace.write([refunded], to: "refund.jws")
        try workspace.take("refund.jws")
        #expect(try workspace.balance() == 300)
        #expect(try workspace.balance(of: "coins.100") == 0)
        try workspace.write([refunded.reversed(signedAt: .day(11))], to: "reversal.jws")
        try workspace.take("reversal.jws")
        #expect(try workspace.balance() == 400)
        #expect(try workspace.done("vault", "verify").status == 0)
        try workspace.done("vault", "export", "--customer", "anna")
        let exported = try workspace.done("vault", "export").output
        try workspace.folder.write(exported, to: "all.jsonl")
        try workspace.done("vault", "import", "all.jsonl", "--vault", "other.sqlite")
        #expect(try workspace.balance(in: "other.sqlite") == 400)
        #expect(
            try workspace.done("vault", "recredit", "--vault", "other.sqlite").output.hasPrefix("All credits match"))
    }

    @Test("Spends under the old name stay, and no balance becomes negative")
    func spent() throws {
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins.100", "2", "--key", "k")
        try workspace.folder.write(Self.granting, to: "catalog.json")
        let written = try workspace.done("vault", "recredit")
        #expect(written.output == "anna: coins +100, coins.100 -1; 1 kept, because their units were spent\n")
        #expect(try workspace.balance(of: "coins.100") == 1)
        #expect(
            try workspace.done("vault", "recredit").output == "anna: nothing; 1 kept, because their units were spent\n")
        #expect(try workspace.balance() == 100)
        #expect(try workspace.done("vault", "verify").status == 0)
    }

    @Test("The doctor names packs without grants, and the remedy")
    func doctor() throws {
        try workspace.take()
        let result = try workspace.run("doctor", "--format", "json")
        #expect(result.output.contains("noGrants") && result.output.contains("vault recredit"), "\(result.output)")
    }
}
