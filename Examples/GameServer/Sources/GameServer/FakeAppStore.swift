import Foundation
import Storekeeper
import StorekeeperJWS
import Synchronization

/// The game's products.
struct Shop: Sendable {
    let bundleID = "com.example.game"
    let catalog = Catalog(
        products: [
            Product(
                id: "gold.monthly", type: .autoRenewable,
                subscription: .init(subscriptionGroupID: "21", groupLevel: 1)),
            Product(id: "coins.100", type: .consumable, grants: ["coins": 100]),
        ],
        groups: [SubscriptionGroup(id: "21", productIDs: ["gold.monthly"])],
        features: [Feature(id: "double-experience", productIDs: ["gold.monthly"])])
}

/// An App Store that continuously sells products to all players and signs the transactions.
final class FakeAppStore: StoreBackend {
    let name = "pretend"
    let root: TrustedRoot
    private let signer: JWSSigner
    private let shop: Shop
    private let stream: AsyncStream<TransactionUpdate>
    private let sales: AsyncStream<TransactionUpdate>.Continuation
    private let count = Mutex(0)

    /// The number of purchases.
    var sold: Int { count.withLock { $0 } }

    init(shop: Shop) throws {
        let authority = try LocalAuthority()
        (root, signer, self.shop) = (authority.root, authority.makeSigner(), shop)
        (stream, sales) = AsyncStream.makeStream()
    }

    /// Makes about four hundred purchases a second until the task is cancelled.
    func sellToEverybody(_ players: [CustomerID]) async throws {
        while !Task.isCancelled {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let player = players[number * 7 % players.count]
            let transaction = try signer.sign(payload: payload(number))
            sales.yield(
                TransactionUpdate(
                    .evidence([transaction]), customer: player, cursor: UpdateCursor(rawValue: String(number))))
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Makes a purchase: every third is a month of gold, the others are coins.
    private func payload(_ number: Int) -> [UInt8] {
        let now = WallClock().now.millisecondsSince1970
        var members = [
            "\"transactionId\":\"\(number)\"", "\"originalTransactionId\":\"\(number)\"",
            "\"bundleId\":\"\(shop.bundleID)\"", "\"purchaseDate\":\(now)", "\"originalPurchaseDate\":\(now)",
            "\"quantity\":1", "\"inAppOwnershipType\":\"PURCHASED\"", "\"signedDate\":\(now)",
            "\"environment\":\"Production\"", "\"transactionReason\":\"PURCHASE\"",
        ]
        if number % 3 == 0 {
            members += [
                "\"productId\":\"gold.monthly\"", "\"type\":\"Auto-Renewable Subscription\"",
                "\"subscriptionGroupIdentifier\":\"21\"", "\"expiresDate\":\(now + 30 * 86_400_000)",
            ]
        } else {
            members += ["\"productId\":\"coins.100\"", "\"type\":\"Consumable\""]
        }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        EvidencePage(items: [])
    }

    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] { [] }

    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable { stream }

    func finish(_ grant: DurableGrant) async throws {}
}
