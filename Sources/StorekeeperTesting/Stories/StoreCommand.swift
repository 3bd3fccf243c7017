import Storekeeper

/// An operation or event of a store.
enum StoreCommand: Hashable, Sendable {
    /// Ingests pieces of evidence, given by their positions in ``evidence``.
    case ingest([Int])
    /// Another process ingests evidence.
    case ingestElsewhere([Int])
    /// Syncs a history that consists of the first pieces of ``evidence``; the value is the number of pieces.
    case sync(Int)
    case spend(Int64, key: Int)
    case spendElsewhere(Int64, key: Int)
    /// The process is killed and restarted.
    case restart
    case deliver
    /// The next write fails without writing, the next write fails after writing, or the next read fails.
    case failWrite, failAcknowledgement, failRead
    case refuseDelivery
    case moveClock(days: Int)
    case refresh
}

extension StoreCommand {
    /// The available evidence, which consists of purchases, renewals, refunds and reversals of refunds.
    static let evidence: [TransactionDraft] = {
        var evidence: [TransactionDraft] = []
        for number in 0..<3 {
            let id = Transaction.ID(rawValue: "\(2000 + number)")
            let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(number), id: id)
            let refund = coins.revoked(at: .day(10 + number), percentage: number == 1 ? 40_000 : nil)
            evidence += [coins, refund, refund.reversed(signedAt: .day(20 + number))]
        }
        var gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        gold.expiresAt = .day(10)
        let second = TransactionDraft.renewal(of: gold)
        let third = TransactionDraft.renewal(of: second)
        evidence += [gold, second, third, third.revoked(at: .day(25))]
        let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(5), id: "3000")
        evidence += [ads, ads.revoked(at: .day(15)), ads.reversed(signedAt: .day(16))]
        evidence.append(TransactionDraft.purchase(of: TestShop.seasonPass, at: .day(3), id: "4000"))
        return evidence
    }()

    static let texts = evidence.map(\.jws)
    static let verified = texts.map(TestVerifier().verify)
    static let numberByText = Dictionary(
        texts.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    static func make(with random: inout SplitMix64) -> StoreCommand {
        func numbers() -> [Int] {
            (0..<random.number(in: 1...4)).map { _ in random.number(in: 0...(evidence.count - 1)) }
        }
        switch random.number(in: 0...19) {
        case 0...4: return .ingest(numbers())
        case 5...6: return .ingestElsewhere(numbers())
        case 7: return .sync(random.number(in: 0...evidence.count))
        case 8...9: return .spend(Int64(random.number(in: 1...4)) * 100, key: random.number(in: 0...5))
        case 10: return .spendElsewhere(Int64(random.number(in: 1...4)) * 100, key: random.number(in: 0...5))
        case 11: return .restart
        case 12: return .deliver
        case 13: return .failWrite
        case 14: return .failAcknowledgement
        case 15: return .failRead
        case 16: return .refuseDelivery
        case 17...18: return .moveClock(days: random.number(in: -5...12))
        default: return .refresh
        }
    }
}
