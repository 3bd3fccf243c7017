import Storekeeper

extension VaultLawCheck {
    static var refundChecks: [VaultCheck<Tested>] {
        [
            VaultCheck("refunds give the right balance in any order of arrival") { try await $0.refundOrders() },
            VaultCheck("refunds in one batch have the same result as one by one") { try await $0.refundsAtOnce() },
            VaultCheck("under debt a refund takes back spent units") { try await $0.debt() },
            VaultCheck("under floorAtZero spent units are forgiven permanently") { try await $0.floorAtZero() },
            VaultCheck("under freeze a debt freezes every balance") { try await $0.freeze() },
        ]
    }

    /// Returns signed copies of a purchase, each with the expected sum of the purchase's ledger entries.
    private static func copies(_ id: Transaction.ID) -> [(draft: TransactionDraft, target: Int64)] {
        let purchase = VaultShop.coins(id, quantity: 3)
        return [
            (purchase, 1_500),
            (purchase.revoked(at: .day(2), percentage: 25_000), 1_125),
            (purchase.revoked(at: .day(3), percentage: 33_333), 1_000),
            (purchase.reversed(signedAt: .day(4)), 1_500),
            (purchase.revoked(at: .day(5)), 0),
        ]
    }

    private static func orders(_ count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return orders(count - 1).flatMap { shorter in
            (0..<count).map { place in
                var order = shorter
                order.insert(count - 1, at: place)
                return order
            }
        }
    }

    func refundOrders() async throws {
        // Most orders omit the last copy, so that each copy is the newest known copy in some order.
        for (number, order) in Self.orders(4).enumerated() {
            let copies = Self.copies(Transaction.ID(rawValue: "\(number)"))
            var newest = 0
            for position in order {
                newest = max(newest, position)
                try await learn([copies[position].draft], at: .day(position))
                expect(
                    try await amount(), is: copies[newest].target,
                    "the balance after copy \(position) of \(order)")
            }
            let entries = try await vault.entries(after: .start, of: "anna", limit: .max)
            try await learn(copies.dropLast().map(\.draft))
            expect(
                try await vault.entries(after: .start, of: "anna", limit: .max).count, is: entries.count,
                "the number of entries after redelivering \(order)")
            try await learn([copies[4].draft])
            expect(try await amount(), is: 0, "the balance after the second refund after \(order)")
        }
    }

    func refundsAtOnce() async throws {
        let copies = Self.copies("1")
        for (number, order) in [[4, 2, 0, 1, 3], [3, 1], [2, 0], [1, 0, 1]].enumerated() {
            let customer = CustomerID(rawValue: "customer \(number)")
            let drafts = order.map { position in
                var draft = copies[position].draft
                draft.id = Transaction.ID(rawValue: "\(number)")
                draft.originalID = draft.id
                return draft
            }
            let receipt = try await learn(drafts, for: customer)
            let target = copies[order.max() ?? 0].target
            expect(try await amount(of: customer), is: target, "the balance after the batch \(order)")
            expect(receipt.entries.map(\.change).reduce(0, +), is: target, "the sum of the entries of \(order)")
            expect(receipt.entries.first?.change, is: 1_500, "the credit of \(order)")
        }
    }

    func debt() async throws {
        let purchase = VaultShop.coins("1")
        try await learn([purchase])
        try await spend(400)
        let refund = try await learn([purchase.revoked(at: .day(3))])
        expect(refund.entries.map(\.kind), is: [.clawBack], "the entries of a refund")
        expect(refund.entries.map(\.change), is: [-500], "the change of a refund")
        expect(
            refund.balances, is: [Balance(id: "coins", credited: 500, spent: 400, clawedBack: 500)],
            "the balance in debt")
        let result = try await move(.spend(1, of: "coins", by: "anna", key: "more", at: .day(4)))
        expect(result, is: .failure(.insufficient(balance: -400)), "the answer to a spend in debt")
        let reversal = try await learn([purchase.reversed(signedAt: .day(5))])
        expect(reversal.entries.map(\.kind), is: [.restore], "the entries of a reversal")
        expect(try await amount(), is: 100, "the balance after the reversal")
    }

    func floorAtZero() async throws {
        let purchase = VaultShop.coins("1")
        let rule = VaultShop.rule(.floorAtZero)
        try await learn([purchase], rule: rule)
        try await spend(400)
        let refund = purchase.revoked(at: .day(3))
        expect(try await learn([refund], rule: rule).entries.map(\.change), is: [-100], "the change of a refund")
        expect(try await amount(), is: 0, "the balance after a refund of what was spent")
        try await grant(50)
        try await learn([refund, purchase], rule: rule)
        try await learn([refund.signed(at: .day(4))], rule: rule)
        expect(try await amount(), is: 50, "a later gift after the refund was delivered again")
        try await learn([purchase.reversed(signedAt: .day(5))], rule: rule)
        expect(try await amount(), is: 150, "the balance after the reversal, which restores the refunded units,")
        try await learn([purchase.revoked(at: .day(6))], rule: rule)
        expect(try await amount(), is: 0, "the balance after the second refund, which takes the rest,")
    }

    func freeze() async throws {
        let purchase = VaultShop.coins("1")
        let rule = VaultShop.rule(.freeze)
        try await learn([purchase], rule: rule)
        try await grant(10, of: "gems")
        try await spend(400)
        try await learn([purchase.revoked(at: .day(3))], rule: rule)
        expect(try await amount(), is: -400, "the balance after a refund of what was spent")
        var request = LedgerRequest.spend(3, of: "gems", by: "anna", key: "gem", at: .day(4))
        expect(
            try await move(request, policy: .freeze), is: .failure(.frozen(balance: "coins")),
            "the answer to a spend of another balance")
        expect(try await amount("gems"), is: 10, "the frozen balance")
        try await learn([VaultShop.coins("2")], rule: rule)
        // The refused request is not carried out later.
        expect(
            try await move(request, policy: .freeze), is: .failure(.insufficient(balance: 10)),
            "the answer to the same spend once the debt is paid")
        request.key = "another gem"
        guard case .success = try await move(request, policy: .freeze) else {
            throw ConformanceFailure("a spend was refused although the debt is paid")
        }
        expect(try await amount("gems"), is: 7, "the balance once the debt is paid")
    }
}
