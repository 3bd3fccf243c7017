extension ProductTimeline {
    /// The runs, divided where a free trial begins or ends.
    package var trialRuns: [Timeline<EntitlementAnswer>.Segment] {
        runs { $0.basis?.transaction.offer?.paymentMode == .freeTrial }
    }

    /// The runs, divided where an offer begins or ends.
    package var offerRuns: [Timeline<EntitlementAnswer>.Segment] { runs { $0.basis?.transaction.offer } }

    /// Returns the runs, divided where a value of the answer changes.
    private func runs<Value: Equatable>(
        dividedBy value: (EntitlementAnswer) -> Value
    ) -> [Timeline<EntitlementAnswer>.Segment] {
        timeline.mapped({ $0 }, joins: { $0.isEquivalent(to: $1) && value($0) == value($1) }).runs
    }
}
