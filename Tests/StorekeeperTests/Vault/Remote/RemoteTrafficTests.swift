import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests of the number of round trips that each step of a remote vault makes to its storage.
@Suite("Round trips of a remote vault") struct RemoteTrafficTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Carries out steps before the measured step.
        var before: @Sendable (RemoteVault<DelayedStorage>) async throws -> Void = { _ in }
        let step: @Sendable (RemoteVault<DelayedStorage>) async throws -> Void
        let loads: Int
        let writes: Int

        init(
            _ name: String, loads: Int, writes: Int,
            after before: @escaping @Sendable (RemoteVault<DelayedStorage>) async throws -> Void = { _ in },
            _ step: @escaping @Sendable (RemoteVault<DelayedStorage>) async throws -> Void
        ) {
            testDescription = name
            (self.loads, self.writes) = (loads, writes)
            (self.before, self.step) = (before, step)
        }
    }

    private static let coins: @Sendable (RemoteVault<DelayedStorage>) async throws -> Void = { vault in
        _ = try await vault.commit(RemoteSteps.credit("1"))
    }
    private static let subscription: @Sendable (RemoteVault<DelayedStorage>) async throws -> Void = { vault in
        _ = try await vault.commit(RemoteSteps.subscription(for: .customer("anna")))
    }

    static let cases = [
        Case("the first credit of a customer", loads: 1, writes: 1, coins),
        Case("another credit", loads: 1, writes: 1, after: coins) { _ = try await $0.commit(RemoteSteps.credit("2")) },
        Case("a credit in a step with an id", loads: 1, writes: 1, after: coins) { vault in
            var batch = try RemoteSteps.credit("2")
            batch.step = RemoteSteps.name
            _ = try await vault.commit(batch)
            #expect(try await vault.wasWritten(RemoteSteps.name))
        },
        Case(
            "a credit in a step that was written before", loads: 1, writes: 0,
            after: { vault in
                var batch = try RemoteSteps.credit("1")
                batch.step = RemoteSteps.name
                _ = try await vault.commit(batch)
            }
        ) { vault in
            var batch = try RemoteSteps.credit("2")
            batch.step = RemoteSteps.name
            guard case .stale = try await vault.commit(batch) else {
                Issue.record("a step was written twice")
                return
            }
        },
        Case("a credit for the customer whose id is the token", loads: 1, writes: 1) { vault in
            var batch = try RemoteSteps.subscription(
                for: .owner(primary: CustomerID(rawValue: RemoteSteps.token)))
            batch.facts.removeLast()
            _ = try await vault.commit(batch)
        },
        Case("a spend", loads: 1, writes: 1, after: coins) { vault in
            _ = try await vault.move([RemoteSteps.spend(5, key: "sword")], policy: .debt)
        },
        Case("a spend with the policy that debts freeze the account", loads: 1, writes: 1, after: coins) { vault in
            _ = try await vault.move([RemoteSteps.spend(5, key: "sword")], policy: .freeze)
        },
        Case("a spend of more than the balance", loads: 1, writes: 0, after: coins) { vault in
            _ = try await vault.move([RemoteSteps.spend(501, key: "sword")], policy: .debt)
        },
        Case(
            "a spend that was made before", loads: 1, writes: 0,
            after: { vault in
                try await coins(vault)
                _ = try await vault.move([RemoteSteps.spend(5, key: "sword")], policy: .debt)
            }
        ) { vault in
            _ = try await vault.move([RemoteSteps.spend(5, key: "sword")], policy: .debt)
        },
        Case("a grant", loads: 1, writes: 1) { _ = try await $0.move([RemoteSteps.grant], policy: .debt) },
        Case("a first claim by evidence", loads: 1, writes: 1, subscription),
        Case(
            "a first claim by evidence with parked evidence", loads: 2, writes: 1,
            after: { _ = try await $0.commit(RemoteSteps.lateInfo()) }, subscription),
        Case("a claim by id", loads: 1, writes: 1) { vault in
            _ = try await vault.claim(
                .chain(ChainID(try RemoteSteps.month.transaction())), for: "anna", at: .day(1))
        },
        Case("a claim of another customer's chain", loads: 2, writes: 1, after: subscription) { vault in
            let chain = ChainID(try RemoteSteps.month.transaction())
            #expect(try await vault.claim(.chain(chain), for: "ben", at: .day(1)) == "anna")
        },
        Case("a refund", loads: 1, writes: 1, after: coins) { _ = try await $0.commit(RemoteSteps.refund("1")) },
        Case("a renewal", loads: 1, writes: 1, after: subscription) { vault in
            _ = try await vault.commit(RemoteSteps.renewal(for: .customer("anna")))
        },
        Case("a renewal for the owner of its chain", loads: 1, writes: 1, after: subscription) { vault in
            _ = try await vault.commit(RemoteSteps.renewal(for: .owner(primary: "anna")))
        },
        Case("a repeated delivery of coins", loads: 1, writes: 0, after: coins, coins),
        Case("a repeated delivery of a subscription", loads: 1, writes: 0, after: subscription, subscription),
        Case("evidence without an owner", loads: 1, writes: 1) { vault in
            _ = try await vault.commit(RemoteSteps.lateInfo())
        },
        Case("a finished delivery", loads: 1, writes: 1, after: coins) { vault in
            let key = TransactionKey(bundleID: "com.example.game", environment: .production, transactionID: "1")
            try await vault.markDelivery(of: key, as: .delivered)
        },
        Case("an erasure", loads: 2, writes: 1, after: subscription) { vault in
            _ = try await vault.erase("anna", reason: "asked for", at: .day(40))
        },
    ]

    @Test("A step makes the expected number of round trips", arguments: cases)
    func traffic(_ tried: Case) async throws {
        let storage = DelayedStorage()
        let vault = RemoteVault(storage)
        try await tried.before(vault)
        await storage.resetTraffic()
        try await tried.step(vault)
        let traffic = await storage.traffic
        print("\(tried.testDescription): \(traffic.loads) loads, \(traffic.writes) writes")
        #expect(traffic == DelayedStorage.Traffic(loads: tried.loads, writes: tried.writes))
        #expect(await storage.open == 0)
    }

    @Test("A step that only reads loads once") func reading() async throws {
        let storage = DelayedStorage()
        let vault = RemoteVault(storage)
        try await Self.coins(vault)
        try await Self.subscription(vault)
        await storage.resetTraffic()
        let record = try await vault.load("anna")
        #expect(record.facts.count == 3 && record.unfinished.count == 2)
        #expect(await storage.reads == 1)
        _ = try await vault.owners(of: record.facts.map(\.fact))
        #expect(await storage.reads == 2)
    }
}
