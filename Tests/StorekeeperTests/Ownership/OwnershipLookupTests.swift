import StorekeeperTesting
import Testing

@testable import Storekeeper

struct OwnershipLookupTests {
    private static func token(_ number: Int) -> String {
        "7a0d5b1e-0000-4000-8000-0000000000" + (number < 10 ? "0" : "") + "\(number)"
    }

    /// Returns purchases of many customers, each with several copies, renewal infos and account tokens.
    ///
    /// Some purchases have no owner.
    private static func mixture(_ count: Int) throws -> [VerifiedFact] {
        try (0..<count / 4).flatMap { number in
            var month = TransactionDraft.purchase(
                of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .day(31), group: "membership",
                id: Transaction.ID(rawValue: "\(number)"))
            if number % 3 == 0 { month.appAccountToken = token(number % 50) }
            let info = RenewalInfoDraft(for: month)
            return [
                try info.verifiedFact(), try month.verifiedFact(), try month.signed(at: .day(2)).verifiedFact(),
                try month.signed(at: .day(3)).verifiedFact(),
            ]
        }
    }

    private static let recipients: [EvidenceRecipient] = [
        .customer("anna"), .owner(primary: "anna"), .owner(primary: nil),
    ]

    @Test(
        "Each chain, token and purchase of an info is looked up once, however many facts there are",
        arguments: recipients)
    func looksUpOnce(_ recipient: EvidenceRecipient) throws {
        let facts = try Self.mixture(4_000)
        let counting = CountingTables(MemoryTables())
        _ = try Ownership(of: facts, for: recipient, in: counting)
        let lookups = counting.lookups
        let chains = Set(facts.compactMap { $0.transaction.map(ChainID.init) }).count
        #expect(lookups.filter { $0.key.hasPrefix("chain") }.count == chains)
        #expect(lookups.values.allSatisfy { $0 == 1 }, "a subject was looked up several times")
        #expect(lookups.count <= chains + 50 + chains)
    }
}
