import Foundation
import StorekeeperTesting
import Testing

/// Tests of `vault verify`, which must detect tampering.
@Suite(.system) struct VaultVerifyTests {
    private let workspace: VaultWorkspace

    init() throws {
        workspace = try VaultWorkspace(VaultWorkspace.coins)
        try workspace.take()
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "120", "--key", "order-1")
    }

    @Test("A valid vault is reported with the numbers of checks")
    func good() throws {
        let text = try workspace.done("vault", "verify")
        let head = try head()
        #expect(head.count == 64)
        #expect(text.output == "Checked 2 signatures, 1 sum, 2 bindings and 7 links: all good.\nHead: \(head)\n")
        expectText(
            try workspace.done("vault", "verify", "--format", "json").output,
            equals: """
                {
                  "bindings": 2,
                  "faults": [],
                  "head": "\(head)",
                  "links": 7,
                  "signatures": 2,
                  "sums": 1
                }

                """)
    }

    private func head() throws -> String {
        try #require(try workspace.run("vault", "verify", "--format", "json").object()["head"] as? String)
    }

    @Test("A stored head reveals that the vault was truncated or replaced")
    func contains() throws {
        let kept = try head()
        let copy = try workspace.done("vault", "backup", "copy.sqlite", "--format", "json").object()
        #expect(Set(copy.keys) == ["file", "head", "pages"])
        #expect(copy["head"] as? String == kept)
        try workspace.done("vault", "spend", "--customer", "anna", "coins", "7", "--key", "order-2")
        let newer = try head()
        for head in [kept, newer] { try workspace.done("vault", "verify", "--contains", head) }
        // The copy was made before the newer head. In place of the vault, it counts as a truncated vault.
        let result = try workspace.run("vault", "verify", "--contains", newer, "--vault", "copy.sqlite")
        #expect(result.status == 1)
        #expect(result.output.contains("truncated or replaced"))
        let json = try workspace.run(
            "vault", "verify", "--contains", newer, "--vault", "copy.sqlite", "--format", "json"
        ).object()
        #expect((json["faults"] as? [[String: String]])?.map { $0["kind"] } == ["link"])
        for wrong in ["", "1234", String(repeating: "x", count: 64)] {
            #expect(try workspace.run("vault", "verify", "--contains", wrong).status == 64)
        }
    }

    static let attacks: [(name: String, statement: String, kind: String)] = [
        (
            "a byte of a stored JWS",
            "UPDATE fact SET payload = CAST(substr(CAST(payload AS BLOB), 1, 40) || x'41' "
                + "|| substr(CAST(payload AS BLOB), 42) AS BLOB) WHERE sequence = (SELECT min(sequence) FROM fact)",
            "signature|storage"
        ),
        (
            "a byte of a signature",
            "UPDATE fact SET signature = zeroblob(64) WHERE sequence = (SELECT min(sequence) FROM fact)", "signature"
        ),
        ("a spending made smaller", "UPDATE ledger SET change = change + 20 WHERE key = 'order-1'", "link"),
        ("a time", "UPDATE ledger SET at = at - 1 WHERE key = 'order-1'", "link"),
        ("an entry removed", "DELETE FROM ledger WHERE key = 'order-1'", "link"),
        (
            "an entry put in",
            "INSERT INTO ledger SELECT (SELECT sequence FROM meta) + 1, \(columns) FROM ledger WHERE key = 'order-1'",
            "link"
        ),
        ("a balance", "UPDATE balance SET credited = credited + 1000", "sum"),
        ("a fact removed", "DELETE FROM fact WHERE sequence = (SELECT min(sequence) FROM fact)", "entry"),
        ("the last fact removed", "DELETE FROM fact WHERE sequence = (SELECT max(sequence) FROM fact)", "link"),
        (
            "a purchase moved",
            "INSERT INTO customer(name, version, salt) VALUES('eve', 1, x'00'); "
                + "UPDATE chain SET customer = (SELECT id FROM customer WHERE name = 'eve')", "link"
        ),
        ("the count of rows at its end", "UPDATE meta SET sequence = 9223372036854775807", "storage"),
        ("a trigger", "CREATE TRIGGER t AFTER INSERT ON ledger BEGIN SELECT 1; END", "storage"),
    ]

    /// The columns of the ledger for a copied row, without the sequence and with another key.
    private static let columns =
        "customer, number, at, kind, balance, change, after, bundle, environment, transaction_id, product, feature, "
        + "target, 'forged', revoked_key, reason, recorded_by, erasure, previous, hash"

    @Test("Tampering is detected", arguments: attacks)
    func attack(attack: (name: String, statement: String, kind: String)) throws {
        try workspace.tamper(attack.statement)
        let result = try workspace.run("vault", "verify", "--format", "json")
        #expect(result.status == 1, "\(attack.name): \(result.output)\(result.errors)")
        let faults = try #require(result.object()["faults"] as? [[String: String]])
        let kinds = attack.kind.split(separator: "|").map(String.init)
        #expect(faults.contains { kinds.contains($0["kind"] ?? "") }, "\(attack.name): \(faults)")
        #expect(faults.allSatisfy { $0["subject"] != nil && $0["message"] != nil })
        let text = try workspace.run("vault", "verify")
        #expect(text.status == 1)
        #expect(text.output.contains("FAULT"))
    }

    @Test("A damaged file is a fault, not a crash")
    func damaged() throws {
        let file = workspace.folder.url.appendingPathComponent("game.sqlite")
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        let result = try workspace.run("vault", "verify")
        #expect(result.status == 1)
        #expect(result.output.contains("storage"))
        let balance = try workspace.run("vault", "balance", "--customer", "anna")
        #expect(balance.status == 65)
        #expect(balance.errorLines.count == 1)
    }

    @Test("Signatures of another authority are faults, and a missing root is wrong usage")
    func roots() throws {
        try workspace.folder.write(Evidence().rootPEM, to: "other.pem")
        #expect(try workspace.run("vault", "verify", "--root", "other.pem").status == 1)
        try workspace.folder.write("vault: game.sqlite\n", to: "storekeeper.yaml")
        let result = try workspace.run("vault", "verify")
        #expect(result.status == 64)
        #expect(
            result.errors == "storekeeper: error: no trusted root certificate is given (--root): name one with --root "
                + "FILE, STOREKEEPER_ROOT or storekeeper.yaml; the App Store's is Apple Root CA - G3, from "
                + "https://www.apple.com/certificateauthority/\n")
    }
}
