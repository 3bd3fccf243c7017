import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that answers depend on the known evidence, and not on when or how often the evidence has arrived.
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

    @Test("Shuffled and repeated evidence gives equal histories and answers")
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

    @Test("Histories that are merged in parts are equal")
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

    @Test("Evidence that is older than the known evidence changes nothing")
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
            return history == before
        }
    }

    /// Tests that an older renewal info changes no answer at or after the signing of a newer one about the same
    /// transaction.
    ///
    /// It may change earlier answers, because an info holds from its signing until the next one is signed.
    @Test("An older renewal info changes nothing from the signing of a newer one of the same transaction on")
    func olderRenewalInfo() {
        struct Input: Sendable {
            var newest: RenewalInfoDraft
            var older: [RenewalInfoDraft]
        }
        let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let second = TransactionDraft.change(of: first, at: .day(45), expires: .day(75))
        checkProperty(
            "an older renewal info of a transaction changes nothing", cases: 300,
            generate: { random in
                var newest = RenewalInfoDraft(for: first, signedAt: .day(random.number(in: 20...44)))
                newest.isInBillingRetry = random.pick(true, false, nil)
                newest.gracePeriodExpiresAt = .day(random.number(in: 32...60))
                let older = (0..<random.number(in: 1...4)).map { _ in
                    var older = newest
                    older.signedAt = newest.signedAt.adding(
                        milliseconds: -Int64(random.pick(1, 86_400_000, 900_000_000)))
                    older.gracePeriodExpiresAt = random.pick(nil, .day(random.number(in: 20...60)))
                    older.isInBillingRetry = random.pick(true, false, nil)
                    older.autoRenewStatus = random.pick(.on, .off)
                    older.expirationReason = random.pick(nil, .autoRenewDisabled, .billingError)
                    return older
                }
                return Input(newest: newest, older: older)
            },
            holds: { input in
                for chain in [[first], [first, second]] {
                    let alone = try TestShop.resolution(chain, [input.newest])
                    let all = try TestShop.resolution(chain, input.older + [input.newest])
                    for day in 0..<200 where Instant.day(day) >= input.newest.signedAt {
                        guard all.text("gold.monthly", at: .day(day)) == alone.text("gold.monthly", at: .day(day))
                        else {
                            return false
                        }
                    }
                }
                return true
            })
    }

    @Test("An older renewal info changes answers only in gaps, never during a period")
    func renewalInfosAndPeriods() {
        checkProperty(
            "an older renewal info does not affect access during a period", cases: 150,
            generate: Delivery.generate, shrink: \.smaller, describe: \.evidence.description
        ) { delivery in
            var random = SplitMix64(seed: delivery.seed)
            var further = delivery.evidence
            for draft in delivery.evidence.renewalInfos {
                var older = draft
                older.signedAt = draft.signedAt.adding(milliseconds: -1)
                older.isInBillingRetry = random.chance(50)
                older.gracePeriodExpiresAt = .month(random.number(in: 0...12))
                further.renewalInfos.append(older)
            }
            let (before, after) = (try delivery.evidence.resolution(), try further.resolution())
            return before.products.allSatisfy { product in
                further.instantsOfInterest.allSatisfy { instant in
                    let (old, new) = (
                        product.timeline.value(at: instant),
                        after.product(product.id)?.timeline.value(at: instant)
                    )
                    // The answer stays `active` during a period. Another purchase may replace this answer only with an
                    // answer that also gives access.
                    return old.reasonWord != "active" || new?.isEntitled == true
                }
            }
        }
    }
}
