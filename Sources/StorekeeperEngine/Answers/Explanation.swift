/// Why a customer has, or has not, access to a product at an instant.
public struct Explanation: Sendable {
    /// One fact and what it did.
    public struct Step: Sendable, Equatable {
        /// When it took effect; of what took none, when it was signed, or the instant asked about.
        public let at: Instant
        /// What is known.
        public let fact: String
        /// What it did to the answer.
        public let effect: String
        /// The rule by which it did.
        public let rule: String
    }

    /// What comes next with what is known.
    public struct Change: Sendable, Equatable {
        /// When.
        public let at: Instant
        /// What the answer will be.
        public let answer: EntitlementAnswer
    }

    /// The product.
    public let productID: Product.ID
    /// The instant asked about.
    public let at: Instant
    /// The answer, its reason and the transaction that decides.
    public let answer: EntitlementAnswer
    /// Every fact looked at, in order of time; at each instant up to the one asked about at which the answer, its reason
    /// or the transaction that decides changes there is one.
    public let steps: [Step]
    /// The next change of the answer or its reason; `nil` where none is known.
    public let next: Change?
}

extension EntitlementResolver {
    /// Explains the answer about a product.
    ///
    /// - Parameters:
    ///   - productID: A product of the catalog or the evidence. One of neither is explained as never bought.
    ///   - history: What is known of the customer.
    ///   - instant: The instant asked about.
    ///   - pending: The purchases that wait for approval.
    ///   - isComplete: Whether silence about a product means that it was never bought.
    ///   - doubt: Why it does not, where it does not.
    public func explain(
        _ productID: Product.ID, in history: PurchaseHistory, at instant: Instant, pending: [PendingPurchase] = [],
        isComplete: Bool = true, doubt: EntitlementAnswer.UnknownReason = .neverSynced
    ) -> Explanation {
        let state = ResolutionState(
            resolver: self, rule: .grant, history: history, pending: PendingSources(pending))
        let resolution = isComplete ? state.resolution : state.resolution.incomplete(because: doubt)
        let silence: EntitlementAnswer = isComplete ? .never : .unknown(doubt)
        let timeline =
            resolution.product(productID)?.timeline
            ?? Timeline(history.doubtfulProductIDs.contains(productID) ? .unknown(.unverified) : silence)
        let run = timeline.run(at: instant)
        let narrator = ExplanationNarrator(
            state: state, history: history, productID: productID, timeline: timeline, asked: instant,
            pending: pending.filter {
                $0.productID == productID && $0.startedAt <= instant && $0.startedAt < $0.endsAt
            },
            doubt: isComplete ? nil : doubt)
        return Explanation(
            productID: productID, at: instant, answer: timeline.value(at: instant), steps: narrator.steps,
            next: run.to.map { Explanation.Change(at: $0, answer: timeline.value(at: $0)) })
    }
}
