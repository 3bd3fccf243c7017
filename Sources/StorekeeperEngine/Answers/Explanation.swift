/// The reasons why a customer has, or does not have, access to a product at an instant.
public struct Explanation: Sendable {
    /// One fact and its effect.
    public struct Step: Sendable, Equatable {
        /// The instant when the fact took effect; for a fact without effect, the time of its signature or
        /// ``Explanation/at``.
        public let at: Instant
        /// The fact in words.
        public let fact: String
        /// The effect of the fact on the answer, in words.
        public let effect: String
        /// The rule by which the fact has this effect, in words.
        public let rule: String
    }

    /// The next change of the answer, according to the known facts.
    public struct Change: Sendable, Equatable {
        /// The instant of the change.
        public let at: Instant
        /// The answer from that instant on.
        public let answer: EntitlementAnswer
    }

    /// The product.
    public let productID: Product.ID
    /// The instant that the explanation is about, in UTC.
    public let at: Instant
    /// The answer, with its reason and the transaction that decides it.
    public let answer: EntitlementAnswer
    /// The facts that were examined, in order of time.
    ///
    /// Each change of the answer, its reason or its deciding transaction up to ``at`` has a step.
    public let steps: [Step]
    /// The next change of the answer or its reason; `nil` if no change is known.
    public let next: Change?
}

extension EntitlementResolver {
    /// Explains the answer about a product.
    ///
    /// - Parameters:
    ///   - productID: A product id. A product that is neither in the catalog nor in the evidence is explained as never
    ///     bought.
    ///   - history: The customer's verified evidence.
    ///   - instant: The instant for which the answer is explained.
    ///   - pending: The purchases that wait for approval.
    ///   - grants: The access that was granted without a purchase.
    ///   - doubt: The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    public func explain(
        _ productID: Product.ID, in history: PurchaseHistory, at instant: Instant, pending: [PendingPurchase] = [],
        grants: [AccessGrant] = [], doubt: EntitlementAnswer.UnknownReason? = nil
    ) -> Explanation {
        let state = ResolutionState(
            resolver: self, rule: .grant, history: history, pending: PendingSources(pending),
            grants: GrantSources(grants))
        let resolution = doubt.map { state.resolution.incomplete(because: $0) } ?? state.resolution
        let silence = doubt.map { EntitlementAnswer.unknown($0) } ?? .never
        let timeline =
            resolution.product(productID)?.timeline
            ?? Timeline(history.doubtfulProductIDs.contains(productID) ? .unknown(.unverified) : silence)
        let run = timeline.run(at: instant)
        let narrator = ExplanationNarrator(
            state: state, history: history, productID: productID, timeline: timeline, asked: instant,
            pending: pending.filter {
                $0.productID == productID && $0.startedAt <= instant && $0.startedAt < $0.endsAt
            },
            doubt: doubt)
        return Explanation(
            productID: productID, at: instant, answer: timeline.value(at: instant), steps: narrator.steps,
            next: run.to.map { Explanation.Change(at: $0, answer: timeline.value(at: $0)) })
    }
}
