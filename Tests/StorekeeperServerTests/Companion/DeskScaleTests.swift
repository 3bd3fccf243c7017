import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages
@testable import StorekeeperSQLite

/// Tests that the cost of the desk's views does not grow with the size of the vault.
struct DeskScaleTests {
    private static let transactionsEach = 10
    private static let views = [
        "/desk", "/desk?search={customer}", "/desk?search={transaction}", "/desk?search={original}",
        "/desk?search={token}", "/desk?search=customer-", "/desk?search=nothing", "/desk?search=MW12ABC3DE",
        "/desk?customer={customer}", "/desk?customer={customer}&lang=de&why=gold.monthly",
        "/desk?customer={customer}&at=2025-03-01", "/desk?customer={customer}&asKnownAt=2025-03-01",
        "/desk?customer={customer}&before=1740000000000_1_1", "/desk?customer={customer}&claim={original}",
        "/desk?customer={customer}&at=2025-03-01&span=2025-02-01..2025-04-01", "/desk/ticket.txt?customer={customer}",
        "/desk/webhooks",
    ]

    /// A vault of many customers, in a file.
    private final class Shop: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-desk-\(UUID().uuidString)")
        let vault: SQLiteVault

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "vault.sqlite").path
            var options = SQLiteVault.Options()
            options.accountTokens = .opaque
            vault = try SQLiteVault(path: path, options: options)
        }

        deinit {
            try? vault.close()
            try? FileManager.default.removeItem(at: folder)
        }

        static func customer(_ number: Int) -> CustomerID {
            CustomerID(rawValue: "customer-" + String(String(1_000_000 + number).dropFirst()))
        }
        static func token(_ number: Int) -> String {
            let digits = String(String(1_000_000 + number).dropFirst())
            return "00000000-0000-4000-8000-000000\(digits)"
        }
        static func id(_ number: Int, _ index: Int) -> Transaction.ID {
            Transaction.ID("\(2_000_000_000 + number * 100 + index)")
        }

        /// Returns the evidence of a customer: renewals of a subscription, with an account token.
        static func facts(_ number: Int) throws -> [VerifiedFact] {
            try (0..<transactionsEach).map { index in
                let at = Instant(clamped: 1_735_689_600_000).adding(days: index * 30)
                var draft = TransactionDraft(
                    id: id(number, index), originalID: index == 0 ? nil : id(number, 0),
                    productID: TestShop.gold.id, type: .autoRenewable, purchasedAt: at)
                draft.expiresAt = at.adding(days: 30)
                draft.subscriptionGroupID = "membership"
                draft.reason = index == 0 ? .purchase : .renewal
                draft.appAccountToken = token(number)
                return try draft.verifiedFact()
            }
        }

        func fill(_ count: Int) async throws {
            let vault = vault
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    if number >= 64 { _ = try await group.next() }
                    group.addTask {
                        let facts = try Shop.facts(number)
                        _ = try await vault.commit(
                            CommitBatch(
                                customer: Shop.customer(number), at: Instant(clamped: 1_767_225_600_000), facts: facts,
                                events: [
                                    StoreEvent.Change(
                                        at: Instant(clamped: 1_767_225_600_000), subject: .product(TestShop.gold.id),
                                        before: StoreEvent.Answer(word: "never", reason: "noPurchase"),
                                        after: StoreEvent.Answer(word: "lapsed", reason: "expired"))
                                ]))
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Sends a request to a new service, which has no stores in memory.
        func ask(_ path: String) async throws -> (status: Int, rows: Int) {
            let clock = VirtualClock(Instant(clamped: 1_767_300_000_000))
            let made = try AccessKey.make(name: "lea", scope: .admin)
            let pool = StorePool(
                configuration: .init(store: StoreConfiguration(catalog: TestShop.catalog), readsHistories: false),
                vault: vault, verifier: DraftVerifier(), clock: clock)
            let belief = JWSVerifier.Configuration(roots: [], bundleID: "com.example.game")
            var configuration = CompanionService.Configuration()
            configuration.hasDesk = true
            let service = CompanionService(
                pool: pool, receiver: NotificationReceiver(verifier: JWSVerifier(belief), pool: pool),
                keys: try AccessKeys([made.key], clock: clock), bundleID: "com.example.game",
                configuration: configuration, clock: clock)
            let router = Router()
            service.addRoutes(to: router)
            return try await Application(router: router).test(.router) { client in
                try await client.execute(
                    uri: path, method: .get, headers: [.authorization: "Bearer \(made.text)"]
                ) { response in
                    (response.status.code, String(buffer: response.body).split(separator: "<tr>").count)
                }
            }
        }

        func path(_ view: String, customer number: Int) -> String {
            view.replacing("{customer}", with: Shop.customer(number).rawValue)
                .replacing("{transaction}", with: Shop.id(number, 5).rawValue)
                .replacing("{original}", with: Shop.id(number, 0).rawValue)
                .replacing("{token}", with: Shop.token(number))
        }
    }

    @Test("No view scans a table, and none reads more rows of a vault that is ten times as large") func rows()
        async throws
    {
        let small = try Shop()
        try await small.fill(60)
        let large = try Shop()
        try await large.fill(600)
        for view in Self.views {
            var costs: [StatementWork] = []
            for (shop, number) in [(small, 41), (large, 41)] {
                let before = try shop.vault.readers.work()
                let answer = try await shop.ask(shop.path(view, customer: number))
                #expect(answer.status == 200 || answer.status == 303, "\(view): \(answer.status)")
                #expect(answer.rows <= 300, "\(view)")
                let after = try shop.vault.readers.work()
                costs.append(
                    StatementWork(
                        scanned: after.scanned - before.scanned, operations: after.operations - before.operations))
            }
            #expect(costs[1].scanned == 0, "\(view): \(costs[1])")
            // The number of operations may grow slightly with the depth of an index, but not with the number of rows. The
            // start page finds the end of the feed by a binary search.
            let growth = costs[0].operations / (view == "/desk" ? 2 : 5) + 20
            #expect(costs[1].operations <= costs[0].operations + growth, "\(view): \(costs)")
        }
    }
}
