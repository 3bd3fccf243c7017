import Storekeeper
import StorekeeperTesting

/// Many customers with a few purchases: half a year of a subscription, coins twice, a non-consumable.
enum SamplePlayers {
    /// The initial number of facts of a player.
    static let facts = 10

    static func customer(_ player: Int) -> CustomerID { CustomerID(rawValue: "player-\(player)") }

    /// The initial transactions of a player.
    static func beginning(of player: Int) -> TransactionUpdate {
        var draft = subscription(of: player)
        var texts: [String] = []
        for _ in 0..<6 {
            texts.append(draft.fakeJWS)
            draft = .renewal(of: draft)
        }
        texts.append(RenewalInfoDraft(for: draft).fakeJWS)
        for (place, product) in [SampleShop.coins[0], SampleShop.coins[1], SampleShop.extras[0]].enumerated() {
            let id = Transaction.ID(rawValue: "\(3 + place)\(digits(of: player))")
            texts.append(TransactionDraft.purchase(of: product, at: .day(10 * place), id: id).fakeJWS)
        }
        return TransactionUpdate(.evidence(texts), customer: customer(player))
    }

    /// A renewal info, newer the higher its number.
    static func update(of player: Int, number: Int) -> TransactionUpdate {
        let draft = subscription(of: player)
        let end = Instant.day(180)
        var info = RenewalInfoDraft(for: draft).grace(until: end.adding(days: 1 + number % 16))
        info.signedAt = end.adding(milliseconds: Int64(number))
        return TransactionUpdate(.evidence([info.fakeJWS]), customer: customer(player))
    }

    private static func subscription(of player: Int) -> TransactionDraft {
        .purchase(
            of: SampleShop.subscriptions[player % 4], at: .day(player % 30),
            id: Transaction.ID(rawValue: "2\(digits(of: player))0000"))
    }

    private static func digits(of player: Int) -> String { String(String(1_000_000_000 + player).dropFirst()) }
}
