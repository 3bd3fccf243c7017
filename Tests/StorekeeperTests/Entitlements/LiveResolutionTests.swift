import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests that a resolution that is updated as evidence arrives equals the resolution of the whole history.
@Suite("A live resolution") struct LiveResolutionTests {
    /// The events of a customer, in order.
    struct Story: Sendable {
        var evidence: GeneratedEvidence
        var seed: UInt64

        static func generate(_ random: inout SplitMix64) -> Story {
            let generator = HistoryGenerator(mixesGroups: random.chance(20))
            let evidence = generator.generate(&random)
            return Story(
                evidence: random.chance(30) ? evidence.withPaidApp(&random) : evidence, seed: random.next())
        }

        var smaller: [Story] { evidence.smaller.map { Story(evidence: $0, seed: seed) } }

        enum Event {
            case evidence([CheckedEvidence])
            case pending([PendingPurchase])
        }

        /// Returns the evidence in batches, with repeated copies, evidence that fails verification, and pending
        /// purchases.
        func events() throws -> [Event] {
            var random = SplitMix64(seed: seed)
            var items = try evidence.items()
            items += items.filter { _ in random.chance(20) }
            for draft in evidence.transactions where random.chance(20) {
                items.append(.transaction(try Self.newer(copyOf: draft, &random).transaction()))
            }
            if random.chance(50) {
                items.shuffle(using: &random)
            } else {
                // The evidence of most customers arrives in this order.
                items.sort { $0.instant < $1.instant }
            }
            var all = items.map(\.verified)
            for product in evidence.productIDs + ["nobody.knows"] where random.chance(15) {
                all.insert(Self.unverified(product, &random), at: random.number(in: 0...all.count))
            }
            var events: [Event] = []
            while !all.isEmpty {
                let count = random.pick(0, 1, 1, 1, 2, 3, 8)
                events.append(.evidence(Array(all.prefix(count))))
                all.removeFirst(min(count, all.count))
                if random.chance(15) { events.append(.pending(pending(&random))) }
            }
            return events
        }

        private func pending(_ random: inout SplitMix64) -> [PendingPurchase] {
            (0..<random.number(in: 0...3)).map { _ in
                let start = Instant.month(random.number(in: 0...6))
                return PendingPurchase(
                    productID: random.element(of: evidence.productIDs + ["nobody.knows"]) ?? "",
                    reason: random.pick(.askToBuy, .bankApproval), startedAt: start,
                    endsAt: start.adding(days: random.number(in: 0...90)))
            }
        }

        /// Returns a copy with a later signing date.
        ///
        /// Some of these copies contradict known copies.
        private static func newer(copyOf old: TransactionDraft, _ random: inout SplitMix64) -> TransactionDraft {
            var draft = old
            draft.signedAt = old.signedAt.adding(days: random.number(in: 0...40))
            switch random.number(in: 0...9) {
            case 0...3: draft.revokedAt = old.purchasedAt.adding(days: random.number(in: -5...50))
            case 4: draft.isUpgraded = true
            case 5: draft.purchasedAt = old.purchasedAt.adding(days: random.number(in: -40...40))
            case 6: draft.productID = "another.\(old.productID)"
            case 7: draft.subscriptionGroupID = random.pick("2", "10", nil)
            case 8: draft.expiresAt = old.expiresAt?.adding(days: random.number(in: -20...20))
            case 9: draft.isFromReceipt = true
            default: break
            }
            return draft
        }

        private static func unverified(_ product: Product.ID, _ random: inout SplitMix64) -> CheckedEvidence {
            let code = random.pick(VerificationError.Code.environmentRefused, .untrustedChain)
            guard
                let transaction = try? TransactionDraft.purchase(of: product, type: .nonConsumable, at: .day(1))
                    .transaction()
            else { return .unreadable(VerificationError(code, "no payload"), payload: nil) }
            return .transaction(.unverified(transaction, VerificationError(code, "not verified")))
        }
    }

    @Test(
        "A live resolution equals the resolved whole history after every update", arguments: ReferenceLawTests.policies)
    func equalsWhole(_ choices: ReferenceLawTests.Choices) {
        checkProperty(
            "updates equal the resolution of the whole history (\(choices.testDescription))", cases: 150,
            generate: Story.generate, shrink: \.smaller, describe: \.evidence.description
        ) { story in
            let resolver = EntitlementResolver(catalog: story.evidence.catalog, policy: choices.engine)
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            var history = PurchaseHistory()
            var pending: [PendingPurchase] = []
            var published: [(live: Resolution, whole: Resolution)] = []
            for event in try story.events() {
                switch event {
                case .evidence(let items):
                    let isNew = items.map { history.merge($0) }
                    guard live.mergeListing(items).isNew == isNew else { return false }
                case .pending(let purchases):
                    pending = purchases
                    live.setPending(purchases.reversed())
                }
                let whole = resolver.resolve(history, pending: pending)
                guard live.history == history, live.resolution == whole,
                    live.resolution.hasEqualNames(to: whole, story.evidence.productIDs)
                else { return false }
                published.append((live.resolution, whole))
            }
            // Resolutions that were published earlier have not changed.
            return published.allSatisfy { $0.live == $0.whole }
        }
    }

    @Test("A copy of a live resolution and its original are updated independently")
    func copies() {
        checkProperty(
            "updates of one copy do not affect the other", cases: 150, generate: Story.generate, shrink: \.smaller,
            describe: \.evidence.description
        ) { story in
            var random = SplitMix64(seed: story.seed)
            let resolver = EntitlementResolver(catalog: story.evidence.catalog)
            var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
            var history = PurchaseHistory()
            var known: [(copy: LiveResolution, history: PurchaseHistory, rest: [CheckedEvidence])] = []
            var rest: [CheckedEvidence] = []
            for case .evidence(let items) in try story.events() { rest += items }
            while !rest.isEmpty {
                let items: [CheckedEvidence] = Array(rest.prefix(random.number(in: 1...4)))
                rest.removeFirst(items.count)
                for item in items { history.merge(item) }
                // As in a step of a store, the next value is made from a copy of the last value, and then replaces it.
                var next = live
                next.merge(items)
                live = next
                if random.chance(30) { known.append((live, history, rest)) }
            }
            return known.allSatisfy { copy, known, rest in
                var copy = copy
                guard copy.history == known, copy.resolution == resolver.resolve(known) else { return false }
                copy.merge(rest)
                return copy.history == history && copy.resolution == live.resolution
            } && live.resolution == resolver.resolve(history)
        }
    }

    @Test("A live resolution equals the whole through a long life of renewals, refunds and other chains")
    func longLife() throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        var live = LiveResolution(history: PurchaseHistory(), resolver: resolver)
        var history = PurchaseHistory()
        var random = SplitMix64(seed: 7)
        var lines = [
            TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "1000000"),
            .purchase(of: TestShop.gold, at: .day(2), id: "2000000"),
            .purchase(of: TestShop.silver, at: .day(5), id: "3000000"),
        ]
        var published: [(live: Resolution, whole: Resolution)] = []
        for number in 0..<330 {
            let line = number % lines.count
            let next = TransactionDraft.renewal(of: lines[line])
            var items: [CheckedEvidence] = [.transaction(.verified(try lines[line].transaction()))]
            if number % 50 == 49 {
                let refunded = lines[line].revoked(at: lines[line].purchasedAt.adding(days: 1))
                items.append(.transaction(.verified(try refunded.transaction())))
            }
            let info = RenewalInfoDraft(for: lines[line]).grace(until: next.purchasedAt.adding(days: 3))
            items.append(.renewalInfo(.verified(try info.renewalInfo())))
            for item in items {
                history.merge(item)
                live.merge([item])
            }
            lines[line] = next
            if random.chance(20) || number > 320 {
                published.append((live.resolution, resolver.resolve(history)))
                #expect(live.resolution == published.last?.whole)
            }
        }
        #expect(published.allSatisfy { $0.live == $0.whole })
    }

    @Test(
        "A live resolution equals the whole after a refund of any transaction in a chain that changes products",
        arguments: 0..<12)
    func lateRefund(place: Int) throws {
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        var drafts = [TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "1000000")]
        for number in 1..<12 {
            let last = drafts[number - 1]
            let product = number % 5 < 3 ? TestShop.gold : TestShop.silver
            let end = last.expiresAt ?? last.purchasedAt
            drafts.append(
                last.productID == product.id
                    ? .renewal(of: last) : .change(of: last, to: product.id, at: end, expires: end.adding(days: 30)))
        }
        // One refund revokes a transaction of a former product long after the customer has changed to the next product.
        drafts[2] = drafts[2].revoked(at: drafts[2].purchasedAt.adding(days: 45))
        let end = try #require(drafts.last?.expiresAt)
        for days in [3, 45, 100] {
            var history = PurchaseHistory()
            for draft in drafts { history.merge(CheckedEvidence.transaction(.verified(try draft.transaction()))) }
            var live = LiveResolution(history: history, resolver: resolver)
            var refunded = drafts[place].revoked(at: drafts[place].purchasedAt.adding(days: days))
            refunded.signedAt = end
            let news = CheckedEvidence.transaction(.verified(try refunded.transaction()))
            let isChanged = live.merge([news])
            #expect(isChanged)
            history.merge(news)
            #expect(live.resolution == resolver.resolve(history), "refunded after \(days) days")
        }
    }

    @Test("Merging returns the transactions that are new")
    func merged() throws {
        var live = LiveResolution(history: PurchaseHistory(), resolver: EntitlementResolver(catalog: TestShop.catalog))
        let draft = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let first = CheckedEvidence.transaction(.verified(try draft.transaction()))
        let newer = CheckedEvidence.transaction(.verified(try draft.signed(at: .day(3)).transaction()))
        let merged = live.mergeListing([first, first, newer])
        #expect(merged.isNew == [true, false, true])
        #expect(merged.facts.map(\.transaction.signedAt) == [.day(3)])
        #expect(merged.isChanged)
        let again = live.mergeListing([newer, first])
        #expect(again.isNew == [false, false] && again.facts.isEmpty && !again.isChanged)
    }

    @Test("Evidence that fails verification makes its product doubtful")
    func doubt() throws {
        var live = LiveResolution(history: PurchaseHistory(), resolver: EntitlementResolver())
        let transaction = try TransactionDraft.purchase(of: TestShop.gold, at: .day(0)).transaction()
        let merged = live.mergeListing([.transaction(.unverified(transaction, VerificationError(.untrustedChain, "")))])
        #expect(merged.isNew == [false] && merged.isChanged)
        #expect(live.resolution.text("gold.monthly", at: .day(0)) == "unknown unverified")
        live.merge([.transaction(.verified(transaction))])
        #expect(live.resolution.text("gold.monthly", at: .day(0)).starts(with: "entitled active"))
    }
}

extension Resolution {
    /// Returns whether both resolutions have the same names of products and groups.
    fileprivate func hasEqualNames(to other: Resolution, _ ids: [Product.ID]) -> Bool {
        ids.allSatisfy { id in
            isConsumable(id) == other.isConsumable(id) && group(containing: id) == other.group(containing: id)
                && (product(id) == nil) == (other.product(id) == nil)
        } && nextChange(after: .month(1)) == other.nextChange(after: .month(1))
    }
}

extension GeneratedEvidence.EvidenceItem {
    fileprivate var instant: Instant {
        switch self {
        case .transaction(let transaction): transaction.purchasedAt
        case .renewalInfo(let info): info.signedAt
        case .notification(let notification): notification.signedAt
        case .appTransaction(let appTransaction): appTransaction.signedAt
        }
    }

    fileprivate var verified: CheckedEvidence {
        switch self {
        case .transaction(let transaction): .transaction(.verified(transaction))
        case .renewalInfo(let info): .renewalInfo(.verified(info))
        case .notification(let notification): .notification(.verified(notification))
        case .appTransaction(let appTransaction): .appTransaction(.verified(appTransaction))
        }
    }
}
