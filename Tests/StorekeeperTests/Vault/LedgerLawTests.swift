import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests that balances are the sums of their entries, and that no request key counts twice.
@Suite("Agreement of accounts and a naive model") struct LedgerLawTests {
    @Test("A vault and the model agree on any evidence and requests in any order", arguments: RefundPolicy.allCases)
    func agreement(_ policy: RefundPolicy) {
        checkProperty(
            "vault and model agree (\(policy.rawValue))", cases: 100,
            generate: { random in LedgerStory(&random) }, shrink: \.smaller,
            describe: { $0.steps.map(\.description).joined(separator: "\n") }
        ) { story in
            if let difference = try Self.difference(story, policy) { throw Disagreement(description: difference) }
            return true
        }
    }

    @Test("If debts are kept, the order of arrival does not affect the balances")
    func orderOfArrival() {
        checkProperty(
            "two orders of arrival give the same balances", cases: 60,
            generate: { random in LedgerStory(&random) }, shrink: \.smaller,
            describe: { $0.steps.map(\.description).joined(separator: "\n") }
        ) { story in
            let copies = story.steps.flatMap(\.copies)
            let ordered = try Self.vault(learning: copies)
            let reversed = try Self.vault(learning: copies.reversed())
            return try ordered.readNow { (tables) throws(VaultError) in try tables.balances(of: "anna").map(\.amount) }
                == reversed.readNow { (tables) throws(VaultError) in try tables.balances(of: "anna").map(\.amount) }
        }
    }

    struct Disagreement: Error, CustomStringConvertible { let description: String }

    private static func rule(_ policy: RefundPolicy) -> LedgerRule {
        LedgerRule(catalog: LedgerStory.catalog, policy: EntitlementPolicy(refundPolicy: policy))
    }

    private static func vault(learning copies: some Sequence<LedgerStory.Copy>) throws -> InMemoryVault {
        let vault = InMemoryVault()
        for copy in copies {
            let batch = CommitBatch(customer: "anna", at: .day(1), facts: [try copy.fact()], rule: rule(.debt))
            _ = try vault.writeNow { (tables) throws(VaultError) in try VaultRules.commit(batch, to: &tables) }
        }
        return vault
    }

    /// Returns the first difference between the vault and the model after a step, or `nil`.
    static func difference(_ story: LedgerStory, _ policy: RefundPolicy) throws -> String? {
        let vault = InMemoryVault()
        var model = LedgerModel(policy: policy)
        for (position, step) in story.steps.enumerated() {
            switch step {
            case .deliver(let copies):
                let batch = CommitBatch(
                    customer: "anna", at: .day(position), facts: try copies.map { try $0.fact() }, rule: rule(policy))
                _ = try vault.writeNow { (tables) throws(VaultError) in try VaultRules.commit(batch, to: &tables) }
                model.learn(copies)
            case .request(let request):
                let results = try vault.writeNow { (tables) throws(VaultError) in
                    try VaultRules.move([request], policy: policy, in: &tables)
                }
                let wanted = model.answer(request)
                let found = results.first.map { LedgerModel.text(of: $0) }
                if found != wanted { return "step \(position): vault: \(found ?? "nothing"), model: \(wanted)" }
            }
            if let difference = try compare(vault, model) { return "after step \(position): \(difference)" }
        }
        return nil
    }

    private static func compare(_ vault: InMemoryVault, _ model: LedgerModel) throws -> String? {
        let balances = try vault.readNow { (tables) throws(VaultError) in try tables.balances(of: "anna") }
        let entries = try vault.readNow { (tables) throws(VaultError) in
            try tables.entries(after: .start, of: "anna", limit: .max)
        }
        for balance in balances {
            let own = entries.filter { $0.balance == balance.id }
            let sum = own.reduce(0) { $0 + $1.change }
            if sum != balance.amount { return "\(balance.id) is \(balance.amount), the sum of its entries is \(sum)" }
            let parts = balance.credited - balance.spent - balance.clawedBack + balance.restored
            if parts != balance.amount { return "\(balance.id) is not the sum of its parts" }
            if own.last?.after != balance.amount { return "the last entry of \(balance.id) has another balance" }
            if model.policy == .floorAtZero, balance.amount < 0 { return "\(balance.id) is below zero" }
        }
        let found = balances.filter { $0.amount != 0 }.map { "\($0.id) \($0.amount)" }
        let wanted = model.amounts.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return found == wanted ? nil : "vault has \(found), model \(wanted)"
    }
}
