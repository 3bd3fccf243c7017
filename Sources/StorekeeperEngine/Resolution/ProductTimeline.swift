/// A customer's access to one product over time.
public struct ProductTimeline: Sendable, Equatable {
    /// The product.
    public let id: Product.ID
    /// The product's type in the evidence; its type in the catalog if no evidence names the product, or if the two
    /// types contradict each other.
    public let type: Product.ProductType?
    /// The answer at each instant; successive answers of the same kind and with the same reason form one run, even if
    /// they follow from several transactions.
    public let timeline: Timeline<EntitlementAnswer>
    /// The purchases of a non-renewing product, the earliest first.
    ///
    /// ``Resolution/currentEntitlements(at:)`` returns the latest of these purchases, even if it does not determine the
    /// answer.
    let nonRenewing: [TransactionFact]

    /// Creates a timeline.
    package init(
        id: Product.ID, type: Product.ProductType?, timeline: Timeline<EntitlementAnswer>,
        nonRenewing: [TransactionFact] = []
    ) {
        self.id = id
        self.type = type
        self.timeline = timeline
        self.nonRenewing = nonRenewing
    }

    /// Returns the timeline of the best answers of several sources, such as chains of a subscription or single
    /// purchases.
    static func best(
        of sources: [Timeline<EntitlementAnswer>], after earlier: Overlay.Earlier<EntitlementAnswer>? = nil
    ) -> Timeline<EntitlementAnswer> {
        if sources.count == 1, let only = sources.first { return only }
        return Overlay.best(
            of: sources, after: earlier, background: .never,
            key: { answer in
                if case .never = answer { nil } else { ServiceLevel.key(of: answer) }
            },
            isBetter: { left, right in
                switch left.0 {
                case .pending, .granted: return left.1 < right.1
                case .entitled, .paidApp, .lapsed, .never, .unknown: break
                }
                return ServiceLevel.isBetter(left.0, right.0)
            },
            value: { answer, _ in answer },
            joins: { $0.isEquivalent(to: $1) })
    }
}

extension Timeline<EntitlementAnswer> {
    /// Appends an answer from an instant on; an answer that is equivalent to the previous one continues the same run.
    mutating func append(_ answer: EntitlementAnswer, from instant: Instant) {
        append(answer, from: instant) { $0.isEquivalent(to: $1) }
    }
}

/// A customer's access to a feature over time.
public struct FeatureTimeline: Sendable, Equatable {
    /// The answer of a feature, and the product that the answer is about.
    public struct Answer: Sendable, Equatable {
        /// The best answer of the feature's products.
        public let answer: EntitlementAnswer
        /// The product that has this answer; `nil` for the answer `never`, and if the answer follows from a grant of the
        /// feature itself or from an app transaction.
        public let productID: Product.ID?
        /// The index of the product in the feature's list, which ranks products with otherwise equal answers.
        let position: Int
    }

    /// The feature.
    public let id: Feature.ID
    /// The answer at each instant; successive answers of the same kind and with the same reason form one run, even if
    /// they are about several products.
    public let timeline: Timeline<Answer>

    /// Combines the answers of a feature's products, its grants, and the app transactions.
    init(_ feature: Feature, in resolution: Resolution, after earlier: Overlay.Earlier<Answer>? = nil) {
        id = feature.id
        let products = feature.paidPeriods ? resolution.paidProducts : resolution.productTimelines
        let known = feature.productIDs.compactMap { id in products[id].map { (Optional(id), $0.timeline) } }
        let others = resolution.grantSources.timelines(of: .feature(id)) + resolution.paidApps.timelines(of: feature)
        timeline = Self.best(of: known + others.map { (nil, $0) }, after: earlier)
    }

    /// Returns the timeline of the best answers of several products.
    static func best(
        of productIDs: [Product.ID], products: [Product.ID: ProductTimeline]
    ) -> Timeline<Answer> {
        best(of: productIDs.compactMap { id in products[id].map { (Optional(id), $0.timeline) } })
    }

    /// Returns the timeline of the best answers of several products, which are given with their timelines; a timeline
    /// without a product belongs to a grant or to an app transaction.
    static func best(
        of known: [(Product.ID?, Timeline<EntitlementAnswer>)], after earlier: Overlay.Earlier<Answer>? = nil
    ) -> Timeline<Answer> {
        Overlay.best(
            of: known.map(\.1), after: earlier, background: Answer(answer: .never, productID: nil, position: .max),
            key: { answer in
                if case .never = answer { nil } else { ServiceLevel.key(of: answer) }
            },
            isBetter: { left, right in
                if ServiceLevel.isBetter(left.0, right.0) { return true }
                if ServiceLevel.isBetter(right.0, left.0) { return false }
                return left.1 < right.1
            },
            value: { answer, position in Answer(answer: answer, productID: known[position].0, position: position) },
            joins: { $0.answer.isEquivalent(to: $1.answer) })
    }
}

extension ProductTimeline {
    /// The runs, divided where the words about the answer change, for example where a free trial ends.
    package var wordedRuns: [Timeline<EntitlementAnswer>.Segment] { runs { $0.wordedReason } }

    /// The runs, divided where an offer begins or ends.
    package var offerRuns: [Timeline<EntitlementAnswer>.Segment] { runs { $0.basis?.transaction.offer } }

    /// Returns the runs, divided where a value of the answer changes.
    private func runs<Value: Equatable>(
        dividedBy value: (EntitlementAnswer) -> Value
    ) -> [Timeline<EntitlementAnswer>.Segment] {
        timeline.mapped({ $0 }, joins: { $0.isEquivalent(to: $1) && value($0) == value($1) }).runs
    }
}

extension FeatureTimeline {
    /// The runs, divided where the words about the answer change, for example where a free trial ends.
    package var wordedRuns: [Timeline<Answer>.Segment] {
        timeline.mapped(
            { $0 }, joins: { $0.answer.isEquivalent(to: $1.answer) && $0.answer.wordedReason == $1.answer.wordedReason }
        ).runs
    }
}

extension EntitlementAnswer {
    /// What distinguishes the words about answers with the same kind and reason.
    fileprivate var wordedReason: [String] {
        [reasonKey, isEntitled && basis?.transaction.offer?.isFreeTrial == true ? "trial" : ""]
    }
}
