import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that an explanation is complete: every change of the answer has a step at its instant.
@Suite("Completeness of explanations") struct ExplanationLawTests {
    /// The evidence of a customer, and the pending purchases.
    struct Case: CustomStringConvertible {
        var evidence: GeneratedEvidence
        var pending: [PendingPurchase]
        /// Whether a chain may contain subscriptions of several groups, which are then independent of each other.
        var isMixed = false

        var description: String { ([evidence.description] + pending.map { "pending \($0)" }).joined(separator: "\n") }

        var smaller: [Case] {
            pending.indices.map { index in
                var copy = self
                copy.pending.remove(at: index)
                return copy
            } + evidence.smaller.map { Case(evidence: $0, pending: pending, isMixed: isMixed) }
        }

        static func generate(_ random: inout SplitMix64) -> Case {
            let isMixed = random.chance(15)
            let evidence = HistoryGenerator(mixesGroups: isMixed).generate(&random)
            let ids = evidence.productIDs
            var pending: [PendingPurchase] = []
            for _ in 0..<random.pick(0, 0, 1, 2) {
                guard let id = random.element(of: ids) else { break }
                let start = Instant.month(random.number(in: 0...4))
                pending.append(
                    PendingPurchase(
                        productID: id, reason: random.pick(.askToBuy, .bankApproval), startedAt: start,
                        endsAt: random.pick(start.adding(days: random.pick(1, 3, 31)), .distantFuture)))
            }
            return Case(evidence: evidence, pending: pending, isMixed: isMixed)
        }
    }

    struct Fault: Error, CustomStringConvertible { let description: String }

    @Test(
        "An explanation has a step for each change of the answer, its reason or the deciding transaction",
        arguments: ReferenceLawTests.policies)
    func law(_ choices: ReferenceLawTests.Choices) {
        checkProperty(
            "explanations name the deciding transactions (\(choices.testDescription))", cases: 70,
            generate: Case.generate,
            shrink: \.smaller
        ) { input in
            let resolver = EntitlementResolver(catalog: input.evidence.catalog, policy: choices.engine)
            let history = PurchaseHistory(items: try input.evidence.items())
            let resolution = resolver.resolve(history, pending: input.pending)
            let ends = input.pending.flatMap { [$0.startedAt, $0.endsAt] }.filter { $0 < .distantFuture }
            let instants = Set(input.evidence.instantsOfInterest(policy: choices.model) + ends).sorted()
            // The sample includes the last instant, because all changes have happened by then.
            let step = max(1, instants.count / 4)
            let sampled = instants.enumerated().filter { $0.offset.isMultiple(of: step) }.map(\.element)
            for product in resolution.products {
                let expected = Expected(
                    product: product, history: history, input: input, policy: choices.engine,
                    instants: instants)
                for asked in sampled + [Instant.month(600)] {
                    let explanation = resolver.explain(product.id, in: history, at: asked, pending: input.pending)
                    if let fault = expected.fault(of: explanation) {
                        throw Fault(description: "\(product.id) at \(asked): \(fault)\n\(explanation.steps)")
                    }
                }
            }
            return true
        }
    }

    /// The content that the explanations of one product must have.
    struct Expected {
        let timeline: Timeline<EntitlementAnswer>
        /// The instants at which the transaction that decides the answer changes, and the transaction that decides from
        /// then on.
        private(set) var deciders: [(at: Instant, id: Transaction.ID)] = []
        /// The transactions of the product's chains that count, and whether each is of the product itself.
        private var transactions: [(transaction: Transaction, isOwn: Bool)] = []
        /// Older copies of the product's transactions that differ from the newest.
        private var copies: [(id: Transaction.ID, signedAt: Instant)] = []

        init(
            product: ProductTimeline, history: PurchaseHistory, input: Case, policy: EntitlementPolicy,
            instants: [Instant]
        ) {
            timeline = product.timeline
            for instant in instants {
                let before = timeline.value(at: instant.adding(milliseconds: -1)).basis?.transaction
                let after = timeline.value(at: instant).basis?.transaction
                if let after, after.id != before?.id || after.environment != before?.environment {
                    deciders.append((instant, after.id))
                }
            }
            let counting = history.transactions.filter { policy.rule(for: $0.environment) == .grant }
            let lines = Set(
                counting.filter { $0.productID == product.id && $0.productType == .autoRenewable }.map(ChainID.init))
            for transaction in counting {
                let isOwn = transaction.productID == product.id
                if isOwn
                    || !input.isMixed && transaction.productType == .autoRenewable
                        && lines.contains(ChainID(transaction))
                {
                    transactions.append((transaction, isOwn))
                }
                guard isOwn else { continue }
                var signatures: [AccessMembers: Instant] = [:]
                for draft in input.evidence.transactions
                where draft.id == transaction.id && draft.environment == transaction.environment {
                    signatures[AccessMembers(draft), default: .distantPast] = max(
                        signatures[AccessMembers(draft)] ?? .distantPast, draft.signedAt)
                }
                for (members, signedAt) in signatures where members != AccessMembers(transaction) {
                    copies.append((transaction.id, signedAt))
                }
            }
        }

        /// Returns the fault of an explanation, or `nil` if it is complete.
        func fault(of explanation: Explanation) -> String? {
            let (asked, steps) = (explanation.at, explanation.steps)
            if explanation.answer != timeline.value(at: asked) { return "the headline is \(explanation.answer)" }
            if explanation.next?.at != timeline.nextChange(after: asked) { return "the next change is another" }
            if let next = explanation.next, next.answer != timeline.value(at: next.at) {
                return "the next answer is another"
            }
            if steps.isEmpty { return "the explanation has no steps" }
            if !zip(steps, steps.dropFirst()).allSatisfy({ $0.at <= $1.at }) { return "the steps are not sorted" }
            if steps.contains(where: { $0.fact.isEmpty || $0.effect.isEmpty || $0.rule.isEmpty }) {
                return "a step is empty"
            }
            if steps.contains(where: { $0.fact.hasPrefix("the access from transaction") }) {
                return "a step has no cause"
            }
            for run in timeline.runs.dropFirst() {
                guard let from = run.from, from <= asked else { continue }
                let words = "\(run.value.word) (\(run.value.reasonWord))"
                if !steps.contains(where: { $0.at == from && $0.effect.hasPrefix(words) }) {
                    return "no step at \(from) has the new answer \(words)"
                }
            }
            for decider in deciders where decider.at <= asked {
                let isNamed = steps.contains { step in
                    step.at == decider.at && (step.fact + " " + step.effect).names(decider.id)
                }
                if !isNamed {
                    return "no step at \(decider.at) names transaction \(decider.id), which decides from then on"
                }
            }
            if let decider = explanation.answer.basis?.transaction.id,
                !steps.contains(where: { $0.at <= asked && $0.fact.hasPrefix("transaction \(decider):") })
            {
                return "the deciding transaction \(decider) has no step"
            }
            for (transaction, isOwn) in transactions where isOwn || transaction.purchasedAt <= asked {
                if !steps.contains(where: { $0.fact.hasPrefix("transaction \(transaction.id):") }) {
                    return "transaction \(transaction.id) has no step"
                }
            }
            for copy in copies
            where !steps.contains(where: {
                $0.at == copy.signedAt && $0.fact.hasPrefix("an older copy of transaction \(copy.id) says: ")
            }) {
                return "the copy of \(copy.id) signed \(copy.signedAt) has no step"
            }
            return nil
        }
    }

    /// The members of a copy that affect access.
    private struct AccessMembers: Hashable {
        let members: [Int64?]
        let isUpgraded: Bool

        init(_ draft: TransactionDraft) {
            members = [
                draft.expiresAt?.millisecondsSince1970, draft.revokedAt?.millisecondsSince1970,
                draft.revocationPercentage,
            ]
            isUpgraded = draft.isUpgraded ?? false
        }

        init(_ transaction: Transaction) {
            members = [
                transaction.expiresAt?.millisecondsSince1970, transaction.revokedAt?.millisecondsSince1970,
                transaction.revocationPercentage,
            ]
            isUpgraded = transaction.isUpgraded
        }
    }
}

extension String {
    /// Returns whether a text contains the whole id of a transaction as a word.
    fileprivate func names(_ id: Transaction.ID) -> Bool {
        let words = split { !$0.isLetter && !$0.isNumber && $0 != "." }
        return zip(words, words.dropFirst()).contains { $0 == "transaction" && $1 == id.rawValue }
    }
}
