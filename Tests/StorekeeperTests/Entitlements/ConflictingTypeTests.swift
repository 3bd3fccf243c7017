import StorekeeperTesting
import Testing

@testable import Storekeeper
@testable import StorekeeperEngine

@Suite("Conflicting types in catalog and evidence") struct ConflictingTypeTests {
    /// Evidence of every type for one product of each other type.
    static let contradictions: [(id: Product.ID, type: Product.ProductType)] = [
        ("remove.ads", .consumable), ("remove.ads", .nonRenewable), ("remove.ads", .autoRenewable),
        ("season.pass", .nonConsumable), ("coins.500", .nonConsumable), ("coins.500", .autoRenewable),
        ("gold.monthly", .nonConsumable), ("gold.monthly", .consumable),
        ("remove.ads", Product.ProductType(rawValue: "Timed Consumable")),
    ]

    private static func draft(_ id: Product.ID, _ type: Product.ProductType, day: Int = 1) -> TransactionDraft {
        with(.purchase(of: id, type: type, at: .day(day), id: "900")) {
            guard type == .autoRenewable else { return }
            $0.expiresAt = .day(day + 31)
            $0.subscriptionGroupID = "membership"
        }
    }

    @Test("The product is unknown at every instant, with the catalog's type", arguments: contradictions)
    func unknown(id: Product.ID, type: Product.ProductType) throws {
        let resolution = try TestShop.resolution([Self.draft(id, type)])
        let product = try #require(resolution.product(id))
        #expect(product.type == TestShop.catalog.product(id)?.type)
        #expect(product.timeline.runs.count == 1)
        #expect(product.timeline.value(at: .distantPast) == .unknown(.conflictingType))
        #expect(resolution.products.contains { $0.id == id })
        #expect(!resolution.isConsumable(id))
        #expect(resolution.groups.allSatisfy { $0.statuses(at: .day(5)).isEmpty && $0.highest(at: .day(5)) == nil })
        #expect(resolution.balances.allSatisfy { $0.totals(at: .day(5)).credited == 0 })
        #expect(try LedgerRule(catalog: TestShop.catalog).credits(of: Self.draft(id, type).transaction()).isEmpty)
        let found = EvidenceDiagnostics(
            try TestShop.history([Self.draft(id, type)]), resolver: EntitlementResolver(catalog: TestShop.catalog)
        ).diagnostics(at: .day(5), now: .day(5)).filter { $0.code == .conflictingType }
        #expect(found.map(\.subject) == [id.rawValue])
        let message = try #require(found.first?.message)
        #expect(message.contains(type.word) && message.contains(product.type?.word ?? "?"))
    }

    @Test("One conflicting transaction suffices, even if other evidence agrees, is pending or is in doubt")
    func whatever() throws {
        let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "1")
        let mixed = try TestShop.resolution([coins, Self.draft("coins.500", .nonConsumable)])
        #expect(mixed.text("coins.500", at: .day(9)) == "unknown conflictingType")
        #expect(mixed.balance("coins")?.totals(at: .day(9)).credited == 0)
        var history = try TestShop.history([Self.draft("remove.ads", .nonRenewable)])
        history.markDoubtful("remove.ads")
        let waiting = PendingPurchase(
            productID: "remove.ads", reason: .askToBuy, startedAt: .day(0), endsAt: .day(9))
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(history, pending: [waiting])
        #expect(resolution.text("remove.ads", at: .day(2)) == "unknown conflictingType")
        #expect(resolution.feature("ad-free")?.timeline.value(at: .day(2)).answer == .unknown(.conflictingType))
    }

    @Test("Types do not conflict if the evidence does not count or the catalog names no type")
    func notCounted() throws {
        let elsewhere = try TestShop.resolution([Self.draft("remove.ads", .nonRenewable).made(in: .sandbox)])
        #expect(elsewhere.text("remove.ads", at: .day(5)) == "never noPurchase")
        let catalog = Catalog(products: [Product(id: "remove.ads", type: nil)], groups: [], features: [])
        let resolution = EntitlementResolver(catalog: catalog)
            .resolve(try TestShop.history([Self.draft("remove.ads", .nonRenewable)]))
        #expect(resolution.text("remove.ads", at: .day(5)) == "entitled owned 900")
    }

    @Test("A group has no status while the conflicting product is current in its chain; other statuses stay")
    func chain() throws {
        let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0), id: "1")
        let odd = with(TransactionDraft.change(of: silver, to: "remove.ads", at: .day(10), expires: .day(41), id: "2"))
        {
            $0.type = .autoRenewable
        }
        let back = TransactionDraft.change(of: odd, to: "silver.monthly", at: .day(20), expires: .day(51), id: "3")
        let drafts = [silver, odd, back]
        var live = LiveResolution(
            history: PurchaseHistory(), resolver: EntitlementResolver(catalog: TestShop.catalog))
        for draft in drafts { live.merge([.transaction(.verified(try draft.transaction()))]) }
        for resolution in [try TestShop.resolution(drafts), live.resolution] {
            #expect(
                [5, 15, 25].map { resolution.highestText("membership", at: .day($0)) } == [
                    "subscribed silver.monthly entitled", "none", "subscribed silver.monthly entitled",
                ])
        }
    }

    @Test("The explanation names both types")
    func explained() throws {
        #expect(
            try TestShop.steps("remove.ads", [Self.draft("remove.ads", .consumable)], at: .day(5)) == [
                "1: transaction 900: purchase of remove.ads, as consumable → it cannot be told | The catalog says that "
                    + "remove.ads is nonConsumable. Where the evidence says another type, neither can be relied on."
            ])
    }

    @Test("A vault credits nothing until the catalog is corrected, and claws nothing back")
    func ledger() async throws {
        let vault = InMemoryVault()
        let wrong = Catalog(
            products: [Product(id: "coins.500", type: .nonConsumable, grants: ["coins": 500])], groups: [], features: []
        )
        let fact = try TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "1").verifiedFact()
        for (catalog, amount) in [(wrong, nil), (TestShop.catalog, 500), (wrong, 500)] as [(Catalog, Int64?)] {
            let batch = CommitBatch(
                for: .customer("anna"), at: .day(1), facts: [fact], rule: LedgerRule(catalog: catalog))
            _ = try await vault.commit(batch)
            #expect(try await vault.balances(of: "anna").first?.amount == amount)
        }
    }
}
