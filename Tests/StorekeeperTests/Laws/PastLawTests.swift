import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that evidence that is signed later changes no answer about an earlier instant, except by dates that it
/// contains, and except by the first renewal info of a failed renewal.
@Suite("The past") struct PastLawTests {
    /// Generated evidence, and the instant that separates earlier from later evidence.
    private struct Input: CustomStringConvertible {
        var evidence: GeneratedEvidence
        /// The position of the instant among the instants of interest, in thousandths.
        var position: Int

        var now: Instant {
            let instants = evidence.instantsOfInterest
            return instants.isEmpty ? .testEpoch : instants[(instants.count - 1) * position / 1000]
        }
        var description: String { "now \(now)\n\(evidence)" }
        var smaller: [Input] { evidence.smaller.map { Input(evidence: $0, position: position) } }
    }

    private static let policies = [
        EntitlementPolicy(), EntitlementPolicy(billingRetryEntitles: true, renewalLeeway: .seconds(86_400 * 16)),
    ]

    @Test("Later evidence changes no answer, no status and no highest status at an earlier instant")
    func past() {
        checkProperty(
            "the past stays as it was", cases: 1_000,
            generate: { random in
                Input(evidence: HistoryGenerator().generate(&random), position: random.number(in: 0...1000))
            }, shrink: \.smaller
        ) { input in
            let now = input.now
            let late = Late(input.evidence, after: now)
            var early = input.evidence
            early.renewalInfos.removeAll { late.infos.contains($0) }
            early.transactions.removeAll { late.transactions.contains(Late.key(of: $0)) }
            early.notifications.removeAll { $0.signedAt > now }
            let instants = input.evidence.instantsOfInterest.filter { $0 <= now }
            for policy in Self.policies {
                let (before, after) = (
                    try early.resolution(policy: policy), try input.evidence.resolution(policy: policy)
                )
                for instant in instants {
                    try compare(before, after, at: instant, late)
                }
            }
            return true
        }
    }

    private func compare(_ before: Resolution, _ after: Resolution, at instant: Instant, _ late: Late) throws {
        for product in before.products {
            let (old, new) = (
                product.timeline.value(at: instant), after.product(product.id)?.timeline.value(at: instant)
            )
            guard let new, !late.firstFailure(of: product.id, holdsAt: instant) else { continue }
            let isNamed = late.namesGraceEnd(of: product.id) && !old.isEntitled
            try expect(
                isNamed ? old.word : old.description, isNamed ? new.word : new.description,
                "\(product.id) at \(instant)")
            // Of several chains, the choice may depend on the end of a grace period, which later infos change.
            guard old.kind != .unknown, late.chainCount(of: product.id) < 2 else { continue }
            try expect(Self.decider(of: old), Self.decider(of: new), "the decider of \(product.id) at \(instant)")
        }
        try compareFeatures(before, after, at: instant, late)
        try compareHighest(before, after, at: instant, late)
        let (old, new) = (statuses(before, at: instant), statuses(after, at: instant))
        for (chain, status) in old
        where !late.firstFailures.contains(where: { $0.chain == chain && $0.from <= instant }) {
            let changed = try #require(new[chain])
            try expect(Self.state(of: status), Self.state(of: changed), "\(chain) at \(instant)")
            guard !late.firstInfos.contains(chain) else { continue }
            try expect(
                Self.details(of: status, at: instant), Self.details(of: changed, at: instant), "\(chain) at \(instant)")
        }
    }

    private static func decider(of answer: EntitlementAnswer) -> String {
        answer.basis?.transaction.id.rawValue ?? "no transaction"
    }

    /// Compares features whose products have no late first info of a failed renewal.
    ///
    /// The reason of a lapsed feature is not compared: among products that lapsed in several ways, the choice may depend
    /// on the end of a grace period.
    private func compareFeatures(
        _ before: Resolution, _ after: Resolution, at instant: Instant, _ late: Late
    ) throws {
        for feature in before.features {
            let products = before.catalog.features.first { $0.id == feature.id }?.productIDs ?? []
            guard let new = after.feature(feature.id)?.timeline.value(at: instant).answer,
                !products.contains(where: { late.firstFailure(of: $0, holdsAt: instant) })
            else { continue }
            let old = feature.timeline.value(at: instant).answer
            try expect(
                old.isEntitled ? old.description : old.word, new.isEntitled ? new.description : new.word,
                "feature \(feature.id) at \(instant)")
        }
    }

    /// Compares the highest statuses of the groups that have the same chains with the same ends of access, by which
    /// equal statuses are ranked.
    private func compareHighest(
        _ before: Resolution, _ after: Resolution, at instant: Instant, _ late: Late
    ) throws {
        for group in before.groups {
            let ends = Self.ends(of: group, at: instant)
            guard let old = group.highest(at: instant),
                !late.firstFailures.contains(where: { ends[$0.chain] != nil && $0.from <= instant }),
                let other = after.groups.first(where: { Self.ends(of: $0, at: instant) == ends })
            else { continue }
            let new = try #require(other.highest(at: instant))
            try expect(
                "\(ChainID(old.transaction)) \(Self.state(of: old))",
                "\(ChainID(new.transaction)) \(Self.state(of: new))",
                "the highest of \(group.group.id) at \(instant)")
        }
    }

    private static func ends(of group: GroupTimeline, at instant: Instant) -> [ChainID: Instant] {
        Dictionary(
            group.statuses(at: instant).map { status in
                let end = status.transaction.expiresAt ?? status.transaction.purchasedAt
                return (ChainID(status.transaction), max(end, status.gracePeriodExpiresAt ?? end))
            }, uniquingKeysWith: { first, _ in first })
    }

    private func statuses(_ resolution: Resolution, at instant: Instant) -> [ChainID: SubscriptionStatus] {
        Dictionary(
            resolution.groups.flatMap { $0.statuses(at: instant) }.map { (ChainID($0.transaction), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func state(of status: SubscriptionStatus) -> String {
        "\(status.state) \(status.transaction.id) \(status.isEntitled)"
    }

    private static func details(of status: SubscriptionStatus, at instant: Instant) -> String {
        let info = status.renewalInfo
        return "\(info?.autoRenewStatus as Any) \(info?.autoRenewProductID as Any) "
            + "\(status.isInBillingRetry(at: instant) as Any) \(status.expirationReason as Any)"
    }

    private func expect(_ old: String, _ new: String, _ what: String) throws {
        if old != new { throw Change(description: "\(what): \(old) became \(new)") }
    }

    private struct Change: Error, CustomStringConvertible { let description: String }

    /// The evidence that was signed after an instant and contains no earlier date, and the exceptions of the law.
    private struct Late {
        var infos: Set<RenewalInfoDraft> = []
        var transactions: Set<TransactionKey> = []
        /// The chains in which the first info about a transaction is late; its values hold before its signing, too.
        var firstInfos: Set<ChainID> = []
        /// The first infos of failed renewals that are late, which hold from the expiry.
        var firstFailures: [(chain: ChainID, from: Instant)] = []
        private var products: [ChainID: Set<Product.ID>] = [:]
        /// The types that the catalog and the transactions give each product.
        private var types: [Product.ID: Set<Product.ProductType>] = [:]

        init(_ evidence: GeneratedEvidence, after now: Instant) {
            for product in evidence.catalog.products {
                if let type = product.type { types[product.id, default: []].insert(type) }
            }
            for transaction in evidence.transactions {
                types[transaction.productID, default: []].insert(transaction.type)
            }
            let chains = Dictionary(
                grouping: evidence.transactions.filter { $0.type == .autoRenewable }, by: Self.chain)
            for (chain, transactions) in chains {
                let infos = evidence.renewalInfos.filter {
                    $0.originalID == chain.originalID && $0.environment == chain.environment
                }
                products[chain] = Set(transactions.map(\.productID))
                add(infos.filter { $0.signedAt > now }, of: infos, to: transactions, chain)
                let statuses = evidence.notifications.filter {
                    $0.transaction.originalID == chain.originalID && $0.transaction.environment == chain.environment
                }
                add(statuses, to: transactions, chain, after: now)
                addTransactions(transactions, infos, chain, after: now)
            }
        }

        private static func chain(of draft: TransactionDraft) -> ChainID {
            ChainID(bundleID: draft.bundleID, environment: draft.environment, originalID: draft.originalID)
        }

        static func key(of draft: TransactionDraft) -> TransactionKey {
            TransactionKey(bundleID: draft.bundleID, environment: draft.environment, transactionID: draft.id)
        }

        /// Adds late infos, and the exceptions that they cause.
        private mutating func add(
            _ late: [RenewalInfoDraft], of infos: [RenewalInfoDraft], to transactions: [TransactionDraft],
            _ chain: ChainID
        ) {
            self.infos.formUnion(late)
            let isLate = { (info: RenewalInfoDraft) in late.contains(info) }
            for start in Set(transactions.map(\.purchasedAt)) {
                let current = infos.filter { info in
                    transactions.map(\.purchasedAt).filter { $0 <= info.signedAt }.max() == start
                }
                guard current.contains(where: isLate) else { continue }
                let ends = Set(transactions.filter { $0.purchasedAt == start }.compactMap(\.expiresAt))
                let laterEnds = Set(transactions.filter { $0.purchasedAt > start }.compactMap(\.expiresAt))
                // An info that was signed after an early charge may be about a transaction that begins later.
                let own = current.filter { info in
                    guard let renewsAt = info.renewsAt, laterEnds.contains(renewsAt) else { return true }
                    return ends == [renewsAt]
                }
                if own.allSatisfy(isLate) { firstInfos.insert(chain) }
                for expiry in ends {
                    let firstTry = expiry.adding(days: -1)
                    if current.contains(where: { isLate($0) && $0.signedAt >= firstTry }),
                        own.allSatisfy({ isLate($0) || $0.signedAt < firstTry })
                    {
                        firstFailures.append((chain, expiry))
                    }
                }
            }
            // Before any transaction has begun, an info is about the first one, which may be active from its signing.
            if late.contains(where: { info in transactions.allSatisfy { $0.purchasedAt > info.signedAt } }) {
                firstInfos.insert(chain)
                firstFailures.append((chain, .distantPast))
            }
        }

        /// Adds the exceptions that late statuses cause: the first status about a period holds from its expiry.
        private mutating func add(
            _ statuses: [NotificationDraft], to transactions: [TransactionDraft], _ chain: ChainID, after now: Instant
        ) {
            for expiry in Set(transactions.compactMap(\.expiresAt)) {
                let able = statuses.filter { $0.signedAt >= expiry.adding(days: -1) }
                if let first = able.map(\.signedAt).min(), first > now { firstFailures.append((chain, expiry)) }
                let starts = transactions.map(\.purchasedAt)
                for start in starts where able.contains(where: { $0.signedAt >= start && $0.signedAt > now }) {
                    if !able.contains(where: { $0.signedAt >= start && $0.signedAt <= now }) {
                        firstFailures.append((chain, expiry))
                    }
                }
            }
        }

        /// Adds the transactions that were signed and that begin after the instant.
        ///
        /// A transaction is left out if it would change an earlier answer by what it contains:
        /// - its expiry: an info with this renewal date is then about this transaction;
        /// - another chain: the revocation of that chain is then a move to a bundle;
        /// - another type of its product, of which nothing is known then.
        ///
        /// It is also left out if an earlier transaction of the chain was signed before its purchase, because a lone
        /// renewal counts from its signing. Of several transactions with equal purchase dates, which the App Store hardly
        /// makes, none is added, because the choice among them decides which of them an info is about.
        private mutating func addTransactions(
            _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft], _ chain: ChainID, after now: Instant
        ) {
            for copies in Dictionary(grouping: transactions, by: \.id).values
            where copies.allSatisfy({ $0.signedAt > now && $0.purchasedAt > now }) {
                let ends = Set(copies.compactMap(\.expiresAt))
                guard !infos.contains(where: { $0.renewsAt.map(ends.contains) ?? false && $0.signedAt <= now }),
                    transactions.allSatisfy({ $0.purchasedAt <= $0.signedAt }),
                    copies.allSatisfy({ types[$0.productID]?.count == 1 }),
                    Set(transactions.map(\.appTransactionID)).count == 1,
                    transactions.allSatisfy({ $0.previousOriginalID == nil }),
                    Set(transactions.map(\.purchasedAt)).count == Set(transactions.map(\.id)).count
                else { continue }
                self.transactions.formUnion(copies.map(Self.key))
            }
        }

        /// Returns the number of chains of subscriptions to a product.
        func chainCount(of product: Product.ID) -> Int { products.values.count { $0.contains(product) } }

        /// Returns whether a late info names the end of a grace period, by which chains of a product are ranked.
        func namesGraceEnd(of product: Product.ID) -> Bool {
            chainCount(of: product) > 1
                && infos.contains { info in
                    info.gracePeriodExpiresAt != nil
                        && products.contains { $0.key.originalID == info.originalID && $0.value.contains(product) }
                }
        }

        /// Returns whether a late first info of a failed renewal holds at an instant in a chain of the product.
        func firstFailure(of product: Product.ID, holdsAt instant: Instant) -> Bool {
            firstFailures.contains { $0.from <= instant && products[$0.chain]?.contains(product) == true }
        }
    }
}
