import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that access starts and ends at exact milliseconds.
@Suite("Access") struct EntitlementLawTests {
    private func check(
        _ name: String, cases: Int = 150, sourceLocation: SourceLocation = #_sourceLocation,
        holds: (GeneratedEvidence) throws -> Bool
    ) {
        checkProperty(
            name, cases: cases, sourceLocation: sourceLocation, generate: HistoryGenerator().generate,
            shrink: \.smaller, holds: holds)
    }

    @Test("A revoked transaction gives no access from its revocation date on")
    func revoked() {
        check("a revoked transaction entitles at no instant from its revocation on") { evidence in
            let resolution = try evidence.resolution()
            let instants = evidence.instantsOfInterest
            return resolution.products.allSatisfy { product in
                instants.allSatisfy { instant in
                    let answer = product.timeline.value(at: instant)
                    // The period of a customer who moved to a bundle continues until the purchase in the bundle is known.
                    guard answer.isEntitled, let transaction = answer.basis?.transaction,
                        transaction.revocationReason != .upgradedToBundle, let revokedAt = transaction.revokedAt
                    else { return true }
                    return instant < revokedAt
                }
            }
        }
    }

    @Test("Access returns when newer evidence reverses the revocation")
    func reversed() {
        check("a reversal restores what an unrevoked purchase gives") { evidence in
            var history = PurchaseHistory(items: try evidence.items())
            for draft in evidence.transactions {
                history.take(.transaction(try draft.reversed(signedAt: .month(600)).transaction()))
            }
            let resolution = EntitlementResolver(catalog: evidence.catalog).resolve(history)
            return resolution.products.allSatisfy { product in
                product.timeline.runs.allSatisfy { run in
                    if case .lapsed(let reason, _) = run.value {
                        return ![.refunded, .familySharingEnded, .assignmentEnded].contains(reason)
                    }
                    return true
                }
            }
        }
    }

    @Test("Access in a grace period lasts to its end, or until the App Store reports that the customer gave up")
    func grace() {
        struct Input {
            var transaction: TransactionDraft
            var info: RenewalInfoDraft
        }
        checkProperty(
            "grace gives access exactly from the expiry to the effective end", cases: 400,
            generate: { random in
                let transaction = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
                var info = RenewalInfoDraft(
                    for: transaction, signedAt: .day(random.number(in: 20...50)))
                info.gracePeriodExpiresAt = Instant.month(1).adding(days: random.number(in: -3...20))
                info.isInBillingRetry = random.pick(true, false, nil)
                info.autoRenewStatus = random.pick(.on, .off, nil)
                info.expirationReason = random.pick(.autoRenewDisabled, .billingError, nil)
                return Input(transaction: transaction, info: info)
            },
            holds: { input in
                let timeline = try #require(
                    try TestShop.resolution([input.transaction], [input.info]).product("gold.monthly")?.timeline)
                let expiry = Instant.month(1)
                let promised = try #require(input.info.gracePeriodExpiresAt)
                // A renewal info that was signed before the App Store's first attempt to renew, a day before the
                // expiry, does not start a grace period.
                let isKnown = input.info.signedAt >= expiry.adding(days: -1)
                let retries = input.info.isInBillingRetry ?? (input.info.expirationReason != .autoRenewDisabled)
                // The first renewal info of a failed renewal holds from the expiry.
                let gaveUp = !retries && input.info.autoRenewStatus == .off
                let end = isKnown && !gaveUp ? max(expiry, promised) : expiry
                let isGrace = { (instant: Instant) in
                    if case .entitled(.gracePeriod, _) = timeline.value(at: instant) { true } else { false }
                }
                let isActiveBefore = timeline.value(at: expiry.adding(milliseconds: -1)).isEntitled
                let isOverAfter = !timeline.value(at: end).isEntitled
                guard end > expiry else { return isActiveBefore && isOverAfter && !isGrace(expiry) }
                return isActiveBefore && isGrace(expiry) && isGrace(end.adding(milliseconds: -1)) && isOverAfter
            })
    }

    @Test("The highest status of a group gives at least the access of every other status")
    func highest() {
        check("no entitled status has a higher service level than the highest") { evidence in
            let resolution = try evidence.resolution()
            return evidence.instantsOfInterest.allSatisfy { instant in
                resolution.groups.allSatisfy { group in
                    let entitled = group.statuses(at: instant).filter(\.isEntitled)
                    guard let highest = group.highest(at: instant) else { return entitled.isEmpty }
                    guard let best = entitled.map({ $0.groupLevel ?? .max }).min() else { return !highest.isEntitled }
                    return highest.isEntitled && (highest.groupLevel ?? .max) == best
                }
            }
        }
    }

    @Test("An upgrade moves access from one product to its successor without gap or overlap")
    func upgrade() {
        struct Input {
            var upgradeDay: Int
            var isMarked: Bool
            var signedDay: Int
        }
        checkProperty(
            "at each instant exactly one of the two products is entitled", cases: 300,
            generate: { random in
                Input(
                    upgradeDay: random.number(in: 0...30), isMarked: random.chance(50),
                    signedDay: random.number(in: 0...60))
            },
            holds: { input in
                let old = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
                let new = TransactionDraft.change(
                    of: old, to: "gold.monthly", at: .day(input.upgradeDay), expires: .day(input.upgradeDay + 31))
                let known = input.isMarked ? old.upgraded(signedAt: .day(input.signedDay)) : old
                let resolution = try TestShop.resolution([known, new])
                let isEntitled = { (id: Product.ID, instant: Instant) in
                    resolution.product(id)?.timeline.value(at: instant).isEntitled == true
                }
                return (0..<input.upgradeDay + 31).flatMap {
                    [Instant.day($0), Instant.day($0 + 1).adding(milliseconds: -1)]
                }
                .allSatisfy { instant in
                    let isAfter = instant >= .day(input.upgradeDay)
                    return isEntitled("silver.monthly", instant) == !isAfter
                        && isEntitled("gold.monthly", instant) == isAfter
                }
            })
    }

    @Test("Shared access and own purchases do not affect each other")
    func family() {
        check("losing shared evidence leaves own purchases as they are, and the reverse") { evidence in
            let full = try evidence.resolution()
            let instants = evidence.instantsOfInterest
            for ownership in [OwnershipType.familyShared, .purchased] {
                var rest = evidence
                // Whole chains are removed, because a chain is either shared or owned.
                let lost = Set(evidence.transactions.filter { $0.ownership == ownership }.map(\.originalID))
                rest.transactions.removeAll { lost.contains($0.originalID) }
                let remaining = try rest.resolution()
                for product in full.products {
                    for instant in instants {
                        let answer = product.timeline.value(at: instant)
                        guard answer.isEntitled, let basis = answer.basis,
                            !lost.contains(basis.transaction.originalID)
                        else { continue }
                        guard remaining.product(product.id)?.timeline.value(at: instant) == answer else { return false }
                    }
                }
            }
            return true
        }
    }
}
