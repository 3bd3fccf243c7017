/// Lists the facts behind an answer in order of time.
///
/// The answer is computed from a timeline for each chain and each one-time purchase. Each change of one of these
/// timelines becomes a step, so that each change of the answer has a step.
struct ExplanationNarrator {
    /// The state that the answer was resolved from.
    let state: ResolutionState
    let history: PurchaseHistory
    let productID: Product.ID
    /// The answer at each instant.
    let timeline: Timeline<EntitlementAnswer>
    /// The instant that the explanation is about; later changes are listed only for the product's own purchases.
    let asked: Instant
    /// The product's purchases that were started by ``asked`` and that wait, or have waited, for approval.
    let pending: [PendingPurchase]
    /// The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    let doubt: EntitlementAnswer.UnknownReason?
    /// The timeline, divided at each change of the answer or of its deciding transaction.
    private let decisions: Timeline<EntitlementAnswer>

    init(
        state: ResolutionState, history: PurchaseHistory, productID: Product.ID,
        timeline: Timeline<EntitlementAnswer>, asked: Instant, pending: [PendingPurchase],
        doubt: EntitlementAnswer.UnknownReason?
    ) {
        self.state = state
        self.history = history
        self.productID = productID
        self.timeline = timeline
        self.asked = asked
        self.pending = pending
        self.doubt = doubt
        decisions = timeline.mapped(
            { $0 }, joins: { $0.isEquivalent(to: $1) && $0.basis?.fact.key == $1.basis?.fact.key })
    }

    /// A step and its rank among the steps of its instant.
    struct RankedStep {
        let rank: Rank
        let step: Explanation.Step

        init(_ rank: Rank, at instant: Instant, _ fact: String, effect: String, rule: String) {
            self.rank = rank
            step = Explanation.Step(at: instant, fact: fact, effect: effect, rule: rule)
        }
    }

    /// The rank of a step among the steps of the same instant; steps with a case that is declared earlier come first.
    enum Rank: Int {
        case predicted, end, purchase, revocation, copy, outlook, request, remark, conclusion
    }

    /// The steps, in order of time.
    var steps: [Explanation.Step] { Self.sorted(rankedSteps) }

    /// The steps, in no particular order.
    var rankedSteps: [RankedStep] {
        var steps: [RankedStep]
        if state.conflictingIDs.contains(productID) {
            steps = conflictingTypes + supersededCopies + uncounted
        } else {
            steps = lines.flatMap(steps(ofLine:)) + oneTimePurchases + supersededCopies + uncounted + requests + grants
            steps += furtherRecords
            steps += choice
        }
        if steps.isEmpty { steps.append(silence) }
        return steps
    }

    /// Returns steps in order of time.
    static func sorted(_ steps: [RankedStep]) -> [Explanation.Step] {
        // Sorting does not preserve the order of equal steps, so their original positions are compared last.
        steps.enumerated().sorted { left, right in
            (left.element.step.at, left.element.rank.rawValue, left.offset)
                < (right.element.step.at, right.element.rank.rawValue, right.offset)
        }
        .map(\.element.step)
    }

    /// The chains that contain the product, in a fixed order.
    var lines: [GroupChain] {
        state.lines.filter { line in line.chain.tracks.contains { $0.productID == productID } }
            .sorted { Self.precedes($0.id, $1.id) }
    }

    static func precedes(_ left: PurchaseChain.ID, _ right: PurchaseChain.ID) -> Bool {
        if left.originalID != right.originalID { return left.originalID.precedesAsNumber(right.originalID) }
        if left.environment != right.environment { return left.environment.rawValue < right.environment.rawValue }
        return left.bundleID < right.bundleID
    }

    // MARK: Effects

    /// Returns, in words, the answer from an instant on; the text begins with "still" if the answer does not change at
    /// that instant.
    ///
    /// - Parameter fact: The transaction of the step; if another transaction decides the answer, the text may name the
    ///   deciding transaction.
    func effect(at instant: Instant, of fact: TransactionFact? = nil) -> String {
        let isNew = timeline.run(at: instant).from == instant
        var text = (isNew ? "" : "still ") + answerText(at: instant)
        // For an answer without access, the deciding transaction is named only at the instant from which it decides.
        let decision = decisions.run(at: instant)
        if let decider = decision.value.basis?.fact, decider.key != fact?.key,
            decision.value.isEntitled || decision.from == instant && isDeciderNew(decider, at: instant)
        {
            text += ", by transaction \(decider.transaction.id)"
        }
        return text
    }

    /// Returns, in words, the effect of a fact that begins after ``asked``.
    func effectOfFuture() -> String {
        let answer = timeline.value(at: asked)
        if case .never = answer { return "none yet: it begins later" }
        return "none yet: it begins later, and until then the answer is \(answer.word) (\(answer.reasonWord))"
    }

    private func isDeciderNew(_ decider: TransactionFact, at instant: Instant) -> Bool {
        timeline.value(at: instant.adding(milliseconds: -1)).basis?.fact.key != decider.key
    }

    private func answerText(at instant: Instant) -> String {
        let answer = timeline.value(at: instant)
        var text = "\(answer.word) (\(answer.reasonWord))"
        if let end = endOfDecision(at: instant), answer.hasTerm { text += " until \(end)" }
        return text
    }

    /// Returns the next instant at which the answer or its deciding transaction changes; `nil` if no change is known.
    func endOfDecision(at instant: Instant) -> Instant? { decisions.run(at: instant).to }

    /// Returns whether the policy lets the ownership type of a transaction give access.
    func isEntitling(_ fact: TransactionFact) -> Bool {
        state.resolver.policy.entitlingOwnershipTypes.contains(fact.transaction.ownershipType)
    }

    /// Returns, in words, the rule by which a transaction's ownership type gives no access.
    func ownershipRule(_ fact: TransactionFact) -> String {
        let type = fact.transaction.ownershipType
        return OwnershipType.known.contains(type)
            ? "By the policy the ownership \"\(type.rawValue)\" gives no access."
            : "The ownership \"\(type.rawValue)\" is not known: whether it gives access is unknown."
    }

    /// Returns a transaction in words.
    ///
    /// - Parameter isSeatAddition: Whether the transaction added seats to a running period.
    func name(_ fact: TransactionFact, isSeatAddition: Bool = false) -> String {
        let transaction = fact.transaction
        var parts = [isSeatAddition ? "seat addition" : transaction.reason == .renewal ? "renewal" : "purchase"]
        switch transaction.ownershipType {
        case .purchased: break
        case .familyShared: parts = ["family-shared copy"]
        case .assigned: parts = ["assigned copy"]
        default: parts = ["copy with the ownership \"\(transaction.ownershipType.rawValue)\""]
        }
        parts.append("of \(transaction.productID)")
        if let offer = transaction.offer { parts.append("with \(offer.words)") }
        if transaction.isUpgraded { parts.append("(upgraded since)") }
        if transaction.isFromReceipt { parts.append("(by a receipt made \(transaction.signedAt))") }
        return "transaction \(transaction.id): \(parts.joined(separator: " "))"
    }

    /// Returns the step about the revocation of a transaction; empty if the transaction was not revoked by ``asked``.
    ///
    /// - Parameters:
    ///   - boughtAt: When the purchase was made; `nil` means the purchase date of the transaction.
    ///   - isCurrent: Whether the transaction decides its chain's answer when it is revoked.
    ///   - isReplaced: Whether another chain names the transaction's chain as the previous one.
    func revocation(
        of fact: TransactionFact, boughtAt: Instant? = nil, isCurrent: Bool = true, isReplaced: Bool = false
    ) -> [RankedStep] {
        let transaction = fact.transaction
        guard let revokedAt = transaction.revokedAt.map({ max($0, boughtAt ?? transaction.purchasedAt) }),
            revokedAt <= asked
        else { return [] }
        let share = transaction.revocationPercentage.map { ", \(Percentage.text($0)) of the price" } ?? ""
        let how =
            switch transaction.revocationLapse(isReplaced: isReplaced) {
            case .movedToBundle: "is revoked: the customer moved to a bundle or left one"
            case .familySharingEnded: "is revoked: family sharing ended"
            case .assignmentEnded: "is revoked: the assignment ended"
            default: "is refunded\(share)"
            }
        return [
            RankedStep(
                .revocation, at: revokedAt, "transaction \(transaction.id) \(how)",
                effect: effect(at: revokedAt, of: fact),
                rule: isCurrent
                    ? "A revoked transaction gives no access from its revocation date on; other purchases are unaffected."
                    : "A revocation affects only its own transaction, and a newer one of the chain decides.")
        ]
    }

    // MARK: Ignored evidence

    /// The steps about evidence that is ignored because its environment is not accepted or its verification failed.
    private var uncounted: [RankedStep] {
        var steps: [RankedStep] = []
        let refused = history.chains.filter { state.resolver.policy.rule(for: $0.key.environment) != state.rule }
        for id in refused.keys.sorted(by: Self.precedes) {
            for fact in history.chains[id]?.facts ?? [] where fact.productID == productID {
                steps.append(
                    RankedStep(
                        .purchase, at: fact.purchasedAt, name(fact), effect: "ignored",
                        rule: "Transactions of \(id.environment.rawValue) do not count by the policy."))
            }
        }
        if history.refusedProductIDs.contains(productID) {
            steps.append(
                RankedStep(
                    .remark, at: asked, "evidence of an environment that is not accepted", effect: "ignored",
                    rule: "Only evidence of accepted environments counts."))
        }
        if history.doubtfulProductIDs.contains(productID) {
            let isDecisive = if case .unknown = timeline.value(at: asked) { true } else { false }
            steps.append(
                RankedStep(
                    .remark, at: asked, "evidence that names \(productID) and failed verification",
                    effect: isDecisive ? "the answer is unknown" : "ignored",
                    rule: "Unverified evidence proves neither a purchase nor its absence."))
        }
        return steps
    }

    private var silence: RankedStep {
        switch doubt {
        case nil:
            RankedStep(
                .remark, at: asked, "no transaction of \(productID)", effect: "never bought",
                rule: "A product without evidence of a purchase was not bought.")
        case .unverified:
            RankedStep(
                .remark, at: asked, "no transaction of \(productID), and evidence that could not be verified",
                effect: "the answer is unknown",
                rule: "Unverified evidence proves neither a purchase nor its absence.")
        case .notInCatalog:
            RankedStep(
                .remark, at: asked, "no catalog and no evidence knows \(productID)", effect: "the answer is unknown",
                rule: "The id may be misspelled.")
        case .neverSynced, .backendFailed, .unknownLevel, .conflictingType:
            RankedStep(
                .remark, at: asked, "no transaction of \(productID), and the whole history was not read",
                effect: "the answer is unknown",
                rule: "A missing transaction proves nothing until the whole history is read.")
        }
    }

    // MARK: Requests

    private var requests: [RankedStep] {
        pending.flatMap { purchase in
            let rule = "An approval arrives as a transaction; a refusal is not reported, so waiting is limited."
            let hasEnd = purchase.endsAt < .distantFuture
            var steps = [
                RankedStep(
                    .request, at: purchase.startedAt,
                    "a purchase of \(productID) waits for approval (\(purchase.reason.rawValue))"
                        + (hasEnd ? " until \(purchase.endsAt)" : ""),
                    effect: effect(at: purchase.startedAt),
                    rule: hasEnd ? rule : "It waits until its approval arrives as a transaction.")
            ]
            if purchase.endsAt <= asked, purchase.startedAt < purchase.endsAt {
                steps.append(
                    RankedStep(
                        .end, at: purchase.endsAt, "the request of \(purchase.startedAt) has expired",
                        effect: effect(at: purchase.endsAt), rule: rule))
            }
            return steps
        }
    }
}

extension EntitlementAnswer {
    /// Whether explanations name the end of this answer.
    fileprivate var hasTerm: Bool {
        switch self {
        case .entitled, .granted, .paidApp, .pending, .lapsed(.billingRetry, _): true
        case .lapsed, .never, .unknown: false
        }
    }
}

/// Formats percentages as text.
package enum Percentage {
    /// Returns thousandths of a percent as text; for example, 67932 becomes `67.932 %`.
    package static func text(_ milliunits: Int64) -> String {
        let fraction = milliunits % 1000
        guard fraction != 0 else { return "\(milliunits / 1000) %" }
        var digits = String(fraction + 1000).dropFirst()
        while digits.last == "0" { digits = digits.dropLast() }
        return "\(milliunits / 1000).\(digits) %"
    }
}
