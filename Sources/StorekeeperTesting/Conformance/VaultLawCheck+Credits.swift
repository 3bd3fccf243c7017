import Storekeeper

extension VaultLawCheck {
    static var creditChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("a consumable adds its quantity times its grants, once") { try await $0.credits() },
            VaultCheck("a purchase that gives no access adds nothing") { try await $0.noCredits() },
            VaultCheck("a new catalog does not change what was credited") { try await $0.catalogChange() },
            VaultCheck("a purchase that would overflow a balance is stored and reported, not credited") {
                try await $0.creditOverflow()
            },
        ]
    }

    func credits() async throws {
        var chest = TransactionDraft.purchase(of: VaultShop.chest, at: .day(0), id: "2")
        chest.quantity = 3
        let receipt = try await learn([VaultShop.coins("1", quantity: 2), chest])
        expect(
            receipt.balances, is: [Balance(id: "coins", credited: 1_300), Balance(id: "gems", credited: 15)],
            "the balances that were moved")
        expect(receipt.entries.map(\.change), is: [1_000, 300, 15], "the entries' changes")
        expect(receipt.entries.map(\.after), is: [1_000, 1_300, 15], "the balances after the entries")
        expect(receipt.entries.map(\.kind), is: [.credit, .credit, .credit], "the entries' kinds")
        guard case .transaction(let key, let product, let target)? = receipt.entries.first?.cause else {
            throw ConformanceFailure("a credit does not name its transaction")
        }
        expect(key.transactionID, is: "1", "the transaction of a credit")
        expect(product, is: "coins.500", "the product of a credit")
        expect(target, is: 1_000, "the target of a credit")
        try await learn([chest, VaultShop.coins("1", quantity: 2), chest.signed(at: .day(3))])
        expect(try await amount(), is: 1_300, "the balance after a redelivery")
        expect(
            try await vault.entries(after: .start, of: "anna", limit: 100), is: receipt.entries,
            "the account after a redelivery")
        // Each unit of a product that is not in the catalog adds 1 to a balance with the product's name.
        var unknown = VaultShop.coins("3", quantity: 4)
        unknown.productID = "mystery"
        try await learn([unknown])
        expect(try await amount("mystery"), is: 4, "the balance of a product that is in no catalog")
    }

    func noCredits() async throws {
        let receipt = try await learn([
            VaultShop.badge("1"), VaultShop.coins("2").made(in: .sandbox), VaultShop.gold("3").0,
        ])
        expect(receipt.newFacts.count, is: 3, "the number of facts")
        expect(receipt.entries.count, is: 0, "the number of entries")
        expect(try await vault.balances(of: "anna").count, is: 0, "the number of balances")
    }

    func catalogChange() async throws {
        let purchase = VaultShop.coins("1")
        try await learn([purchase])
        let richer = Product(id: VaultShop.coins.id, type: .consumable, grants: ["coins": 9_000, "gems": 7])
        let rule = VaultShop.rule(.debt, Catalog(products: [richer], groups: [], features: []))
        try await learn([purchase.signed(at: .day(2))], rule: rule)
        expect(try await vault.balances(of: "anna").map(\.amount), is: [500], "the balances under a richer catalog")
        try await learn([purchase.revoked(at: .day(3), percentage: 50_000)], rule: rule)
        expect(try await amount(), is: 250, "the balance after half of it was refunded under a richer catalog")
        try await learn([purchase.revoked(at: .day(4))], rule: VaultShop.rule(.debt, .empty))
        expect(try await vault.balances(of: "anna").map(\.amount), is: [0], "the balances when no catalog names it")
        try await learn([VaultShop.coins("2")], rule: rule)
        expect(try await amount(), is: 9_000, "the balance after a purchase under the richer catalog")
    }

    func creditOverflow() async throws {
        try await learn([VaultShop.coins("1")])
        // The purchases credit two balances. One balance has room for its units, and the other would exceed the
        // maximum.
        let huge = Product(id: "huge", type: .consumable, grants: ["coins": .max / 4, "gems": 5])
        let rule = VaultShop.rule(.debt, Catalog(products: [huge, VaultShop.coins], groups: [], features: []))
        for (id, quantity) in [("2", 1), ("3", 9)] as [(Transaction.ID, Int64)] {
            var draft = TransactionDraft.purchase(of: huge, at: .day(0), id: id)
            draft.quantity = quantity
            var batch = try Self.batch([draft, VaultShop.coins(Transaction.ID(rawValue: "\(id)0"))], rule: rule)
            batch.owesDelivery = true
            let receipt = try await commit(batch)
            expect(receipt.newFacts, is: [0, 1], "the facts that are kept")
            expect(
                receipt.uncredited.map(\.transactionID), is: [id], "the transactions that are reported as not credited")
            expect(receipt.entries.map(\.change), is: [500], "the entries of a purchase that would overflow a balance")
            expect(try await commit(batch).entries.count, is: 0, "the entries when it is presented again")
        }
        expect(try await vault.balances(of: "anna").map(\.id), is: ["coins"], "the balances that were moved")
        expect(try await amount(), is: 1_500, "the balance after the rest was committed")
        // The purchase is owed a delivery, so that it is not finished before it is credited.
        expect(try await vault.unfinished(of: "anna").count, is: 4, "the number of purchases that are owed a delivery")
        // The purchase is credited once the balance has room for its units.
        let small = Product(id: "huge", type: .consumable, grants: ["coins": 1])
        let fitting = VaultShop.rule(.debt, Catalog(products: [small, VaultShop.coins], groups: [], features: []))
        let draft = TransactionDraft.purchase(of: huge, at: .day(0), id: "2")
        let receipt = try await commit(Self.batch([draft], rule: fitting))
        expect(receipt.entries.map(\.change), is: [1], "the entries once there is room")
        expect(receipt.uncredited.count, is: 0, "the number of uncredited transactions once there is room")
    }
}
