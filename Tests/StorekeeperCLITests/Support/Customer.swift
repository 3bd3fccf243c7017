import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// A folder with a root certificate, a catalog and the evidence of one customer.
///
/// The tests pass an instant to every command, so that answers do not depend on the clock of the machine.
struct Customer {
    let folder: Folder
    let evidence: Evidence

    /// A catalog with two levels of a subscription, a non-consumable, a pass, coins, and two features.
    static let catalog = """
        {"products":[{"id":"remove.ads","type":"nonConsumable"},
          {"id":"season.pass","type":"nonRenewable","accessDuration":"P90D"},
          {"id":"coins.100","type":"consumable","grants":{"coins":100}}],
         "subscriptions":[{"group":"membership","products":["gold.monthly","silver.monthly"]}],
         "features":{"ad-free":["gold.monthly","silver.monthly","remove.ads"],"pro":["gold.monthly"]}}
        """

    /// A first month of silver, from 2026-01-01 to 2026-02-01.
    static let silver = TransactionDraft.purchase(
        of: "silver.monthly", type: .autoRenewable, at: .day(0), expires: .month(1), group: "21")
    /// A first month of gold, from 2026-01-01 to 2026-02-01.
    static let gold = with(silver) { $0.productID = "gold.monthly" }

    /// The transactions of a subscriber to silver who upgraded to gold on 10 February, and whose next renewal is to
    /// silver.
    ///
    /// The customer also bought the removal of ads, which was refunded, and coins, some of which were refunded.
    static let upgrades: [TransactionDraft] = {
        let renewal = TransactionDraft.renewal(of: silver, expires: .month(2))
        let coins = with(TransactionDraft.purchase(of: "coins.100", type: .consumable, at: .day(3), id: "3001")) {
            $0.quantity = 3
        }
        return [
            silver, renewal.upgraded(signedAt: .day(40)),
            .change(of: renewal, to: "gold.monthly", at: .day(40), expires: .day(68)),
            TransactionDraft.purchase(of: "remove.ads", at: .day(5), id: "2000").revoked(at: .day(20)),
            .purchase(of: "coins.100", type: .consumable, at: .day(1), id: "3000"),
            coins.revoked(at: .day(9), percentage: 33_333),
        ]
    }()
    static let upgraderInfo = with(RenewalInfoDraft(for: upgrades[2], signedAt: .day(45))) {
        $0.autoRenewProductID = "silver.monthly"
    }

    /// Returns the customer with ``upgrades``.
    static func upgrader() throws -> Customer { try Customer(upgrades, [upgraderInfo]) }

    init(_ transactions: [TransactionDraft] = [], _ renewalInfos: [RenewalInfoDraft] = []) throws {
        folder = try Folder()
        evidence = try Evidence()
        try folder.write(evidence.rootPEM, to: "root.pem")
        try folder.write(Self.catalog, to: "catalog.json")
        try folder.write(lines(transactions, renewalInfos).map { $0 + "\n" }.joined(), to: "customer.jws")
    }

    /// Signs evidence, and returns one line for each item.
    func lines(_ transactions: [TransactionDraft], _ renewalInfos: [RenewalInfoDraft] = []) throws -> [String] {
        try (transactions.map(\.payload) + renewalInfos.map(\.payload)).map { try evidence.sign($0) }
    }

    /// Runs a command with the root, the app and the catalog named.
    func ask(_ arguments: String..., catalog: String? = "catalog.json") throws -> Program.Result {
        try ask(arguments, catalog: catalog)
    }

    /// Runs a command with the root, the app and the catalog named.
    func ask(_ arguments: [String], catalog: String? = "catalog.json") throws -> Program.Result {
        try Tool.run(
            arguments + ["--root", "root.pem", "--bundle-id", "com.example.game"]
                + (catalog.map { ["--catalog", $0] } ?? []), in: folder)
    }
}

/// Returns a changed copy of a value.
func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var copy = value
    change(&copy)
    return copy
}

extension Program.Result {
    /// Returns the JSON object on standard output.
    func object() throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }

    /// Returns the codes and subjects of the diagnostics on standard output.
    func diagnostics() throws -> [String] {
        try #require(object()["diagnostics"] as? [[String: Any]]).map { entry in
            "\(entry["code"] as? String ?? "?") \(entry["subject"] as? String ?? "-")"
        }
    }
}

/// Expects two texts to be equal, and shows the first lines that differ.
func expectText(
    _ text: String, equals expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    guard text != expected else { return }
    let lines = (text.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
    let common = zip(lines.0, lines.1).prefix { $0 == $1 }.count
    let found = lines.0.dropFirst(common).prefix(8).map { "+ \($0)" }
    let wanted = lines.1.dropFirst(common).prefix(8).map { "- \($0)" }
    Issue.record(
        "the texts differ from line \(common + 1) on:\n\((wanted + found).joined(separator: "\n"))",
        sourceLocation: sourceLocation)
}
