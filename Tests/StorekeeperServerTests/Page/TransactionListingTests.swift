import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the rows of the table: of folding, of searching and of pages.
@Suite struct TransactionListingTests {
    private func rows(_ served: ServedStore, _ change: (inout TransactionQuery) -> Void = { _ in }) -> [String] {
        var query = TransactionQuery()
        change(&query)
        return served.store.listing(query).rows.map { row in
            "\(row.newest.transaction.person) \(row.newest.transaction.productID) \(row.periods)"
        }
    }

    @Test(
        "The automatic renewals of a purchase are one row with it",
        arguments: [
            (["buy silver.monthly by anna"], ["anna silver.monthly 1"]),
            (["buy silver.monthly by anna", "advance 13 months"], ["anna silver.monthly 14"]),
            (["buy coins.100 by anna", "buy coins.100 by anna"], ["anna coins.100 1", "anna coins.100 1"]),
            (
                ["buy silver.monthly by anna", "buy silver.monthly by bert", "advance 1 month"],
                ["bert silver.monthly 2", "anna silver.monthly 2"]
            ),
            // A product is bought again after its end, and after a refund.
            (
                [
                    "buy silver.monthly by anna", "advance 2 months", "cancel silver.monthly by anna",
                    "advance 2 months", "buy silver.monthly by anna", "advance 1 month",
                ], ["anna silver.monthly 2", "anna silver.monthly 3"]
            ),
            (
                ["buy silver.monthly by anna", "refund silver.monthly by anna", "buy silver.monthly by anna"],
                ["anna silver.monthly 1", "anna silver.monthly 1"]
            ),
            // The customer changes to another product of the group, immediately or at the next renewal.
            (
                [
                    "buy silver.monthly by anna", "advance 1 month", "change plan gold.yearly by anna",
                    "advance 1 year",
                ], ["anna gold.yearly 2", "anna silver.monthly 2"]
            ),
            (
                [
                    "buy silver.monthly by anna", "change plan bronze.monthly by anna", "advance 2 months",
                ], ["anna bronze.monthly 2", "anna silver.monthly 1"]
            ),
            // A payment that succeeds during billing retry continues the same purchase.
            (
                [
                    "buy silver.monthly by anna", "fail billing anna", "advance 32 days", "fix billing anna",
                    "retry billing silver.monthly by anna",
                ], ["anna silver.monthly 2"]
            ),
            // A deleted period is not counted.
            (
                ["buy silver.monthly by anna", "advance 3 months", "delete silver.monthly by anna"],
                ["anna silver.monthly 3"]
            ),
        ] as [([String], [String])])
    func folding(_ steps: [String], _ expected: [String]) async throws {
        let served = try await ServedStore()
        for step in steps { try await served.step(step) }
        #expect(rows(served) == expected)
        let unfolded = rows(served) { $0.folds = false }
        #expect(unfolded.count == served.store.transactions.count)
        #expect(unfolded.allSatisfy { $0.hasSuffix(" 1") })
    }

    @Test("A family's copies are rows of their own, folded like the purchaser's")
    func families() async throws {
        let served = try await ServedStore()
        for step in [
            "new family anna", "join family bert of anna", "buy gold.yearly by anna", "advance 3 years",
        ] { try await served.step(step) }
        let rows = rows(served).sorted()
        #expect(rows == ["anna gold.yearly 4", "bert gold.yearly 4"])
    }

    private func shop() async throws -> ServedStore {
        let served = try await ServedStore(people: ["anna", "bert", "Zoë"])
        for step in [
            "buy silver.monthly by anna", "buy coins.100 by bert", "buy remove.ads by Zoë", "advance 3 months",
            "buy coins.500 by anna", "refund coins.500 by anna",
        ] { try await served.step(step) }
        return served
    }

    @Test(
        "Words are found in any part of products, customers, states, dates and ids, and all must match",
        arguments: [
            ("coins", ["anna coins.500 1", "bert coins.100 1"]), ("COINS.1", ["bert coins.100 1"]),
            // The word is a part of the name 'No Advertisements'.
            ("vertise", ["Zoë remove.ads 1"]), ("anna", ["anna coins.500 1", "anna silver.monthly 4"]),
            ("nn", ["anna coins.500 1", "anna silver.monthly 4"]), ("zo", ["Zoë remove.ads 1"]),
            ("zoë", ["Zoë remove.ads 1"]), ("anna coins", ["anna coins.500 1"]), ("refunded", ["anna coins.500 1"]),
            ("fund", ["anna coins.500 1"]), ("expired", ["anna silver.monthly 3"]), ("anna bert", []),
            ("nobody", []), ("2026-01", ["Zoë remove.ads 1", "bert coins.100 1", "anna silver.monthly 1"]),
            ("2026-04-01 coins", ["anna coins.500 1"]),
            ("2000000000000002", ["bert coins.100 1"]), ("000000002", ["bert coins.100 1"]),
            // The number is the id of the original transaction of a chain.
            ("2000000000000001", ["anna silver.monthly 4"]), ("msim000001", ["bert coins.100 1"]),
            ("MSIM", ["anna coins.500 1", "anna silver.monthly 4", "Zoë remove.ads 1", "bert coins.100 1"]),
            ("2000000000000099", []), ("%", []),
            ("", ["anna coins.500 1", "anna silver.monthly 4", "Zoë remove.ads 1", "bert coins.100 1"]),
        ] as [(String, [String])])
    func searching(_ text: String, _ expected: [String]) async throws {
        let served = try await shop()
        let words = text.split(separator: " ").map(String.init)
        #expect(rows(served) { $0.words = words } == expected)
    }

    @Test("A list in pages has the same rows", arguments: [1, 2, 3, 100])
    func pages(_ size: Int) async throws {
        let served = try await ServedStore(people: (1...7).map { CustomerID(rawValue: "p\($0)") })
        for number in 1...7 { try await served.step("buy silver.monthly by p\(number)") }
        try await served.step("advance 4 months")
        for number in [3, 5] { try await served.step("buy coins.100 by p\(number)") }
        for state in [nil, TransactionSummary.State.expired, .purchased] {
            var query = TransactionQuery()
            query.state = state
            query.order = .id
            let whole = served.store.listing(query)
            query.pageSize = size
            var ids: [Transaction.ID] = []
            for number in 1...(whole.counts.rows + size - 1) / size {
                query.page = number
                let page = served.store.listing(query)
                #expect(page.page == number && page.rows.count <= size && page.counts == whole.counts)
                ids += page.rows.map(\.newest.transaction.id)
            }
            #expect(ids == whole.rows.map(\.newest.transaction.id))
            #expect(whole.counts.rows == ids.count)
        }
    }

    @Test("The pages of a list of happenings have all of them", arguments: [true, false])
    func happenings(_ isOfNotifications: Bool) async throws {
        let served = try await shop()
        var query = HappeningQuery()
        query.isOfNotifications = isOfNotifications
        let whole = served.store.listing(query)
        query.pageSize = 2
        let ids = (1...(whole.count + 1) / 2).flatMap { number in
            query.page = number
            return served.store.listing(query).happenings.map(\.id)
        }
        #expect(ids == whole.happenings.map(\.id) && whole.count == ids.count)
    }
}
