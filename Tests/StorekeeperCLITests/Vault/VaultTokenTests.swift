import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the owners of account tokens, which `accountTokens` in `storekeeper.yaml` determines.
@Suite(.system) struct VaultTokenTests {
    private static let token = "7e3fb204-94ac-4c5c-ae9b-1f0c2bd2a7d4"
    private static let other = "0b2f7a52-1d8c-4c4e-9f10-6a1f5b1a0c11"
    private static let named = with(VaultWorkspace.coins[0]) { $0.appAccountToken = token }

    private let workspace: VaultWorkspace

    init() throws { workspace = try VaultWorkspace([Self.named]) }

    private func use(_ rule: String) throws {
        try workspace.folder.write(
            "root: root.pem\nbundleID: com.example.game\ncatalogs: [catalog.json]\nvault: game.sqlite\n"
                + "accountTokens: \(rule)\n", to: "storekeeper.yaml")
    }

    @Test("If tokens are ids, the token of an unknown customer is parked for them")
    func ids() throws {
        let result = try workspace.run("vault", "import", "--customer", Self.other, "customer.jws", "--format", "json")
        #expect(result.status == 1)
        let conflicts = try result.object()["conflicts"] as? [[String: String]]
        #expect(conflicts == [["customer": Self.token, "originalTransactionID": "3000"]])
        #expect(try workspace.balance(Self.other) == 0)
        #expect(try workspace.done("vault", "parked").output.contains("3000"))
        // The owner of the parked purchase adopts it with the next import.
        try workspace.write([VaultWorkspace.coins[1]], to: "next.jws")
        try workspace.take("next.jws", for: Self.token.uppercased())
        #expect(try workspace.balance(Self.token) == 400)
        #expect(try workspace.done("vault", "parked").output == "Nothing is parked.\n")
        try workspace.done("vault", "verify")
    }

    @Test("If tokens are opaque, a token has no owner until a claim or the first import")
    func opaque() throws {
        try use("opaque")
        try workspace.take(for: Self.other)
        #expect(try workspace.balance(Self.other) == 100)
        let late = try workspace.run("vault", "import", "--customer", Self.token, "customer.jws")
        #expect(late.status == 1)
        try workspace.done("vault", "verify")
        // A binding does not change if the rule changes after it was created.
        try use("asIDs")
        try workspace.done("vault", "verify")
        #expect(try workspace.run("vault", "claim", "--customer", Self.token, "--token", Self.token).status == 1)
    }

    @Test("A claim is valid in both cases", arguments: ["asIDs", "opaque"])
    func claim(rule: String) throws {
        try use(rule)
        try workspace.done("vault", "init")
        try workspace.done("vault", "claim", "--customer", "anna", "--token", Self.token)
        #expect(try workspace.run("vault", "import", "--customer", Self.token, "customer.jws").status == 1)
        try workspace.take(for: "anna")
        #expect(try workspace.balance() == 100)
        try workspace.done("vault", "verify")
    }

    @Test("An unknown rule is refused in one line")
    func unknownRule() throws {
        try use("perhaps")
        let result = try workspace.run("vault", "import", "--customer", "anna", "customer.jws")
        #expect(result.status == 65)
        #expect(result.errors.contains("accountTokens must be asIDs or opaque"))
        #expect(result.errorLines.count == 1)
    }
}
