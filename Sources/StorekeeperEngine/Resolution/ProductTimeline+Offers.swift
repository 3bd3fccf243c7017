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
