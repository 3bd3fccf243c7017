import Storekeeper
import StorekeeperTesting
import Testing

/// The first and third law: what is known decides, not when or how often it came.
@Suite("Evidence in any order") struct HistoryLawTests {
    /// Evidence and a way to deliver it.
    struct Delivery: Sendable {
        var evidence: GeneratedEvidence
        var seed: UInt64

        static func generate(_ random: inout SplitMix64) -> Delivery {
            Delivery(evidence: HistoryGenerator().generate(&random), seed: random.next())
        }

        var smaller: [Delivery] { evidence.smaller.map { Delivery(evidence: $0, seed: seed) } }
    }

    @Test("gives equal histories and equal answers, shuffled and doubled")
    func anyOrder() {
        checkProperty(
            "merging is commutative and idempotent", cases: 150, generate: Delivery.generate, shrink: \.smaller,
            describe: \.evidence.description
        ) { delivery in
            var random = SplitMix64(seed: delivery.seed)
            let items = try delivery.evidence.items()
            let straight = PurchaseHistory(items: items)
            let shuffled = PurchaseHistory(items: (items + items).shuffled(using: &random))
            let resolver = EntitlementResolver(catalog: delivery.evidence.catalog)
            return straight == shuffled && resolver.resolve(straight) == resolver.resolve(shuffled)
        }
    }

    @Test("gives equal histories, merged in parts")
    func anyParts() {
        checkProperty(
            "merging is associative", cases: 150, generate: Delivery.generate, shrink: \.smaller,
            describe: \.evidence.description
        ) { delivery in
            var random = SplitMix64(seed: delivery.seed)
            let items = try delivery.evidence.items()
            let parts = (0..<3).map { _ in PurchaseHistory(items: items.filter { _ in random.chance(60) }) }
            func merged(_ left: PurchaseHistory, _ right: PurchaseHistory) -> PurchaseHistory {
                var left = left
                left.merge(right)
                return left
            }
            let leftFirst = merged(merged(parts[0], parts[1]), parts[2])
            return leftFirst == merged(parts[0], merged(parts[1], parts[2]))
                && leftFirst == merged(merged(parts[2], parts[1]), parts[0])
                && merged(leftFirst, leftFirst) == leftFirst
        }
    }

    @Test("changes nothing where it is older than what is known")
    func olderEvidence() {
        checkProperty(
            "an older copy changes nothing", cases: 150, generate: Delivery.generate, shrink: \.smaller,
            describe: \.evidence.description
        ) { delivery in
            var random = SplitMix64(seed: delivery.seed)
            var history = PurchaseHistory(items: try delivery.evidence.items())
            let before = history
            for draft in delivery.evidence.transactions {
                var older = draft.signed(at: draft.signedAt.adding(milliseconds: -1))
                older.revokedAt = random.chance(50) ? older.purchasedAt : nil
                older.isUpgraded = random.chance(50)
                older.expiresAt = older.expiresAt?.adding(days: random.number(in: -40...40))
                history.take(.transaction(try older.transaction()))
            }
            for draft in delivery.evidence.renewalInfos {
                var older = draft
                older.signedAt = draft.signedAt.adding(milliseconds: -1)
                older.isInBillingRetry = random.chance(50)
                older.gracePeriodExpiresAt = .month(random.number(in: 0...12))
                history.take(.renewalInfo(try older.renewalInfo()))
            }
            return history == before
        }
    }
}
