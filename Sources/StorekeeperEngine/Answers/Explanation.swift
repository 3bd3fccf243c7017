/// The reasons why a customer has, or does not have, access to a product, a feature or a group at an instant.
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

    /// The object of the question.
    public enum Subject: Hashable, Sendable {
        /// A product.
        case product(Product.ID)
        /// A feature of the catalog.
        case feature(Feature.ID)
        /// A subscription group.
        case group(SubscriptionGroup.ID)

        /// The subject in words, such as `gold.monthly` or `the feature pro`.
        public var words: String {
            switch self {
            case .product(let id): id.rawValue
            case .feature(let id): "the feature \(id)"
            case .group(let id): "the group \(id)"
            }
        }
    }

    /// The object of the question.
    public let subject: Subject
    /// The product whose facts are listed: the product of the question, or the product that decides the answer about a
    /// feature or a group; `nil` if no product decides the answer.
    public let productID: Product.ID?
    /// The instant that the explanation is about, in UTC.
    public let at: Instant
    /// The answer, with its reason and the transaction that decides it.
    public let answer: EntitlementAnswer
    /// The time around ``at`` during which the answer and its reason do not change.
    public let run: Timeline<EntitlementAnswer>.Segment
    /// The facts that were examined, in order of time.
    ///
    /// Each change of the answer about a product, its reason or its deciding transaction up to ``at`` has a step.
    public let steps: [Step]
    /// The next change of the answer or its reason; `nil` if no change is known.
    public let next: Change?
    /// What is due next, such as a renewal with its price; `nil` if nothing is due.
    public let upcoming: Upcoming?
}

extension Explanation.Step {
    /// Whether the fact has changed nothing: it is ignored, or the answer stayed the same.
    package var isWithoutEffect: Bool {
        effect == "ignored" || effect.hasPrefix("none") || effect.hasPrefix("still ")
    }
}

extension Explanation {
    /// The index in ``steps`` of the step that decides the answer: the last step at the beginning of the answer's run
    /// that leads to the answer, or else the last step with an effect.
    package var decidingStep: Int? {
        let known = steps.indices.filter { steps[$0].at <= at && !steps[$0].isWithoutEffect }
        let result = "\(answer.word) (\(answer.reasonWord))"
        return known.last { steps[$0].at == run.from && steps[$0].effect.hasPrefix(result) } ?? known.last
            ?? steps.indices.last
    }
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
        Explainer(self, history, at: instant, pending: pending, grants: grants, doubt: doubt).explain(productID)
    }

    /// Explains the answer about a feature: which product, app transaction or grant decides it, and why.
    ///
    /// - Parameters:
    ///   - id: A feature of the catalog; the result is `nil` for any other id.
    ///   - history: The customer's verified evidence.
    ///   - instant: The instant for which the answer is explained.
    ///   - pending: The purchases that wait for approval.
    ///   - grants: The access that was granted without a purchase.
    ///   - doubt: The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    public func explain(
        feature id: Feature.ID, in history: PurchaseHistory, at instant: Instant, pending: [PendingPurchase] = [],
        grants: [AccessGrant] = [], doubt: EntitlementAnswer.UnknownReason? = nil
    ) -> Explanation? {
        guard let feature = catalog.feature(id) else { return nil }
        return Explainer(self, history, at: instant, pending: pending, grants: grants, doubt: doubt).explain(feature)
    }

    /// Explains the answer about a subscription group: which of its products decides it, and why.
    ///
    /// - Parameters:
    ///   - name: The id or name of a group of the catalog or of the evidence; the result is `nil` for any other name.
    ///   - history: The customer's verified evidence.
    ///   - instant: The instant for which the answer is explained.
    ///   - pending: The purchases that wait for approval.
    ///   - grants: The access that was granted without a purchase.
    ///   - doubt: The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    public func explain(
        group name: String, in history: PurchaseHistory, at instant: Instant, pending: [PendingPurchase] = [],
        grants: [AccessGrant] = [], doubt: EntitlementAnswer.UnknownReason? = nil
    ) -> Explanation? {
        Explainer(self, history, at: instant, pending: pending, grants: grants, doubt: doubt).explain(group: name)
    }
}
