import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@Suite("The article A first test") struct AFirstTestTests {
    struct Game {
        let store: Store

        var mayEdit: Bool { store.hasFeature("editor") }

        func takeHint(_ number: Int) async throws {
            try await store.spend(10, of: "gems", key: "hint-\(number)")
        }
    }

    @Test("The article's test shows a purchase, a refund and Ask to Buy")
    func story() async throws {
        let catalog = Catalog(
            products: [
                Product(id: "lifetime", type: .nonConsumable),
                Product(id: "gems.50", type: .consumable, grants: ["gems": 50]),
            ], groups: [], features: [Feature(id: "editor", productIDs: ["lifetime"])])
        let session = try SimulatedSession(catalog: catalog)
        let app = try await session.openStore()
        let game = Game(store: app.store)

        try await session.buyProduct(identifier: "gems.50")
        try await app.store.sync()
        expectBalance(50, of: "gems", in: app.store)
        try await game.takeHint(1)
        expectBalance(40, of: "gems", in: app.store)

        let lifetime = try await session.buyProduct(identifier: "lifetime")
        try await app.store.sync()
        #expect(game.mayEdit)

        try session.refundTransaction(identifier: lifetime.id)
        try await app.store.sync()
        #expect(!game.mayEdit)
        await expectAnswer(.lapsed(.refunded), about: "lifetime", in: app.store)

        session.askToBuyEnabled = true
        _ = try await app.purchase(productID: "lifetime")
        await expectAnswer(.pending(.askToBuy), about: "lifetime", in: app.store)

        let waiting = try #require(session.allTransactions().first { $0.pendingAskToBuyConfirmation })
        try session.approveAskToBuyTransaction(identifier: waiting.identifier)
        try await app.store.sync()
        await expectEntitled("lifetime", in: app.store)
        #expect(game.mayEdit)
    }

    @Test("The article's failing expectation prints the quoted message")
    func failing() async throws {
        let lifetime = Product(id: "lifetime", type: .nonConsumable)
        let session = try SimulatedSession(catalog: Catalog(products: [lifetime], groups: [], features: []))
        let app = try await session.openStore()
        try await session.buyProduct(identifier: "lifetime")
        try await app.store.sync()
        let folder = try #require(ExampleStory.repository()).appending(path: "Sources/StorekeeperSimulator")
        let article = try String(
            contentsOf: folder.appending(path: "Documentation.docc/AFirstTest.md"), encoding: .utf8)
        await withKnownIssue {
            await expectAnswer(.lapsed(.refunded), about: "lifetime", in: app.store)
        } matching: { issue in
            article.contains("```\n\(issue.comments.map(\.rawValue).joined())\n```")
        }
    }
}
