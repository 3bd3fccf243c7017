import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of an import of a purchase that would overflow its balance.
@Suite(.system, .timeLimit(.minutes(20)))
struct VaultOverflowTests {
    private static let error =
        "storekeeper: error: transaction 4000 would overflow its balance (com.example.game): it is stored without a "
        + "credit; check 'grants' in the catalog"

    private let workspace: VaultWorkspace

    init() throws {
        let hoard = with(TransactionDraft.purchase(of: "hoard", type: .consumable, at: .day(1), id: "4000")) {
            $0.quantity = 10_000_000
        }
        let ads = TransactionDraft.purchase(of: "remove.ads", type: .nonConsumable, at: .day(2), id: "4001")
        workspace = try VaultWorkspace([hoard, ads])
        try grant(1_000_000_000_000)
    }

    private func grant(_ coins: Int64) throws {
        try workspace.folder.write(
            """
            {"products":[{"id":"hoard","type":"consumable","grants":{"coins":\(coins)}},
              {"id":"remove.ads","type":"nonConsumable"}]}
            """, to: "catalog.json")
    }

    /// Returns the number of facts in an export.
    private func facts() throws -> Int {
        try workspace.done("vault", "export").outputLines.count { $0.contains("\"jws\"") }
    }

    @Test("An overflow is reported, and the purchase is stored, but neither credited nor finished")
    func uncredited() throws {
        let result = try workspace.run("vault", "import", "--customer", "anna", "customer.jws", "--format", "json")
        #expect(result.status == 1)
        #expect(result.errorLines.filter { $0.contains("error") } == [Self.error])
        let report = try result.object()
        #expect(report["items"] as? Int == 2)
        #expect(report["new"] as? Int == 2)
        #expect(try workspace.balance() == 0)
        #expect(try workspace.history().filter { !$0.hasPrefix("binding") } == ["fact 4000", "fact 4001"])
        #expect(try facts() == 2)
        #expect(try workspace.run("check", "remove.ads", "--customer", "anna").status == 0)
        #expect(try workspace.numbers("SELECT count(*) FROM finish WHERE transaction_id = '4000'") == [0])
        try workspace.done("vault", "verify")
    }

    @Test("A repeated import reports the overflow again, and a catalog with smaller grants credits the purchase once")
    func later() throws {
        for known in [0, 2] {
            let result = try workspace.run("vault", "import", "--customer", "anna", "customer.jws", "--format", "json")
            #expect(result.status == 1)
            #expect(result.errorLines.filter { $0.contains("error") } == [Self.error])
            #expect(try result.object()["known"] as? Int == known)
        }
        try grant(7)
        for _ in 0..<2 {
            try workspace.take()
            #expect(try workspace.balance() == 70_000_000)
        }
        #expect(try workspace.history().filter { $0.hasPrefix("credit") } == ["credit coins 70000000 70000000 4000"])
        try workspace.done("vault", "verify")
    }
}
