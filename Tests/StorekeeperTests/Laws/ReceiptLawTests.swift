import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a receipt has no effect on purchases with signed transactions, and counts like signed transactions for
/// other purchases.
@Suite("Receipts alongside signed evidence") struct ReceiptLawTests {
    /// A customer's evidence, and a receipt that names some of the same purchases, in the order in which they arrive.
    struct Story: Sendable {
        var evidence: GeneratedEvidence
        var seed: UInt64

        static func generate(_ random: inout SplitMix64) -> Story {
            Story(evidence: HistoryGenerator(mixesGroups: random.chance(20)).generate(&random), seed: random.next())
        }

        var smaller: [Story] { evidence.smaller.map { Story(evidence: $0, seed: seed) } }
    }

    /// Returns a purchase with the values that a receipt contains.
    private static func inReceipt(_ draft: TransactionDraft, madeAt date: Instant) -> TransactionDraft {
        func seconds(_ instant: Instant) -> Instant {
            Instant(clamped: instant.millisecondsSince1970 / 1000 * 1000)
        }
        var purchase = TransactionDraft(
            id: draft.id, originalID: draft.originalID, productID: draft.productID, type: draft.type,
            purchasedAt: seconds(draft.purchasedAt), signedAt: date)
        purchase.isFromReceipt = true
        purchase.bundleID = draft.bundleID
        purchase.environment = draft.environment
        purchase.expiresAt = draft.expiresAt.map(seconds)
        purchase.webOrderLineItemID = draft.webOrderLineItemID
        purchase.quantity = draft.quantity
        purchase.revokedAt = draft.revokedAt.map(seconds)
        purchase.isUpgraded = draft.isUpgraded
        (purchase.ownership, purchase.reason, purchase.storefront, purchase.storefrontID) = (nil, nil, nil, nil)
        return purchase
    }

    /// Changes the values of a purchase in a receipt, as if the receipt were much older or newer, or forged.
    private static func change(_ draft: inout TransactionDraft, _ random: inout SplitMix64) {
        switch random.number(in: 0...7) {
        case 0: draft.revokedAt = draft.purchasedAt.adding(days: random.number(in: -5...50))
        case 1: draft.revokedAt = nil
        case 2: draft.isUpgraded = draft.isUpgraded != true
        case 3: draft.productID = "another.\(draft.productID)"
        case 4: draft.purchasedAt = draft.purchasedAt.adding(days: random.number(in: -40...40))
        case 5: draft.expiresAt = draft.purchasedAt.adding(days: 4000)
        case 6: draft.originalID = "another.\(draft.originalID)"
        default: break
        }
    }

    @Test("A receipt of purchases whose signed transactions are known changes nothing, whatever it says and its date")
    func ignored() {
        checkProperty(
            "a receipt beside signed transactions changes nothing", generate: Story.generate, shrink: \.smaller
        ) { story in
            var random = SplitMix64(seed: story.seed)
            let signed = try story.evidence.items()
            var all = signed
            for _ in 0..<random.number(in: 1...2) {
                let date = Instant.month(random.number(in: -6...60))
                for draft in story.evidence.transactions where random.chance(70) {
                    var purchase = Self.inReceipt(draft, madeAt: date)
                    Self.change(&purchase, &random)
                    all.append(.transaction(try purchase.transaction()))
                }
            }
            all.shuffle(using: &random)
            let (history, expected) = (PurchaseHistory(items: all), PurchaseHistory(items: signed))
            let resolver = EntitlementResolver(catalog: story.evidence.catalog)
            let (known, alone) = (resolver.resolve(history), resolver.resolve(expected))
            // With the receipt, the explanations may have more steps, but the same answer.
            let same = story.evidence.productIDs.allSatisfy { id in
                resolver.explain(id, in: history, at: .month(3)).answer
                    == resolver.explain(id, in: expected, at: .month(3)).answer
            }
            return history == expected && same && known.balances == alone.balances
        }
    }

    @Test("The engine and the model agree on histories that are known from receipts in part, or as a whole")
    func agreement() {
        let choices = ReferenceLawTests.policies[0]
        checkProperty(
            "engine and model agree on receipts", cases: 120, generate: Story.generate, shrink: \.smaller
        ) { story in
            var random = SplitMix64(seed: story.seed)
            var evidence = story.evidence
            let date = Instant.month(random.number(in: -1...12))
            let isWhole = random.chance(30)
            let ids = Set(evidence.transactions.map(\.id)).sorted { $0.rawValue < $1.rawValue }
            let received = Set(ids.filter { _ in isWhole || random.chance(50) })
            let purchases = evidence.transactions.filter { received.contains($0.id) || random.chance(30) }
                .map { Self.inReceipt($0, madeAt: date) }
            evidence.transactions.removeAll { received.contains($0.id) }
            evidence.transactions += purchases
            if isWhole { evidence.renewalInfos = [] }
            evidence.transactions.shuffle(using: &random)
            let differences = try ReferenceLawTests.differences(evidence, choices)
            if let first = differences.first {
                throw ReferenceLawTests.Disagreement(description: "\(first), from \(evidence)")
            }
            return true
        }
    }

    @Test("A copy in a receipt loses to a signed one of any date, and to a newer receipt")
    func order() throws {
        var signed = TransactionDraft(productID: "remove.ads", signedAt: .day(1))
        signed.revokedAt = .day(1)
        let old = Self.inReceipt(TransactionDraft(productID: "remove.ads"), madeAt: .day(0))
        var new = Self.inReceipt(TransactionDraft(productID: "remove.ads"), madeAt: .day(90))
        new.revokedAt = .day(80)
        func answer(_ drafts: [TransactionDraft], at instant: Instant) throws -> String {
            var history = PurchaseHistory()
            for draft in drafts { history.merge(.verified(try draft.transaction())) }
            return EntitlementResolver().explain("remove.ads", in: history, at: instant).answer.word
        }
        for drafts in [[old, new], [new, old]] {
            #expect(try answer(drafts, at: .day(79)) == "entitled")
            #expect(try answer(drafts, at: .day(80)) == "lapsed")
            #expect(try answer(drafts + [signed], at: .day(2)) == "lapsed")
            #expect(try answer([signed] + drafts, at: .day(2)) == "lapsed")
        }
    }

    @Test("An explanation says what is known from a receipt only, and which receipts say otherwise")
    func explained() throws {
        let signed = TransactionDraft(productID: "remove.ads", signedAt: .day(1))
        let same = Self.inReceipt(signed, madeAt: .day(5))
        var refunded = same
        refunded.revokedAt = .day(4)
        func explain(_ drafts: [TransactionDraft]) throws -> (steps: [Explanation.Step], codes: [Diagnostic.Code]) {
            var history = PurchaseHistory()
            for draft in drafts { history.merge(.verified(try draft.transaction())) }
            let codes = EvidenceDiagnostics(history, resolver: EntitlementResolver())
                .diagnostics(at: .day(9), now: .day(9)).map(\.code)
            return (EntitlementResolver().explain("remove.ads", in: history, at: .day(9)).steps, codes)
        }
        let alone = try explain([same])
        #expect(
            alone.steps.map(\.fact) == [
                "transaction 1000: purchase of remove.ads (by a receipt made \(Instant.day(5)))"
            ])
        #expect(alone.codes.contains(.receiptEvidence))
        let agreeing = try explain([same, signed])
        #expect(agreeing.steps.map(\.fact) == ["transaction 1000: purchase of remove.ads"])
        #expect(!agreeing.codes.contains(.receiptEvidence))
        let contradicted = try explain([signed, refunded])
        #expect(contradicted.steps.count == 2)
        let step = contradicted.steps.last
        #expect(step?.fact == "a receipt says of transaction 1000: revoked at \(Instant.day(4))")
        #expect(step?.effect == "none: the copy signed \(Instant.day(1)) says: no longer revoked")
        #expect(step?.rule == "A receipt counts only for transactions of which no signed copy is known.")
    }
}
