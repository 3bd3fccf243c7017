extension Resolution {
    /// The answers on the assumption that the evidence may be incomplete.
    ///
    /// The answer of a product without evidence is not `never` but `unknown`, with the reason `neverSynced`.
    package var incomplete: Resolution { incomplete(because: .neverSynced) }

    /// Returns the answers on the assumption that evidence may be missing: each answer `never` becomes `unknown`.
    ///
    /// - Parameter reason: Why evidence may be missing: the whole history was not read, or some evidence could not be
    ///   verified.
    package func incomplete(because reason: EntitlementAnswer.UnknownReason) -> Resolution {
        var copy = self
        copy.productTimelines = productTimelines.mapValues { $0.incomplete(because: reason) }
        copy.paidProducts = paidProducts.mapValues { $0.incomplete(because: reason) }
        copy.features = catalog.features.map { feature in
            let best = FeatureTimeline(feature, in: copy)
            return FeatureTimeline(
                id: best.id,
                timeline: best.timeline.mapped(
                    {
                        FeatureTimeline.Answer(
                            answer: $0.answer.ifIncomplete(reason), productID: $0.productID, position: $0.position)
                    },
                    joins: { $0.answer.isEquivalent(to: $1.answer) }))
        }
        return copy
    }
}

extension ProductTimeline {
    /// Returns the timeline on the assumption that evidence may be missing.
    fileprivate func incomplete(because reason: EntitlementAnswer.UnknownReason) -> ProductTimeline {
        ProductTimeline(
            id: id, type: type,
            timeline: timeline.mapped({ $0.ifIncomplete(reason) }, joins: { $0.isEquivalent(to: $1) }),
            nonRenewing: nonRenewing)
    }
}

extension EntitlementAnswer {
    /// Returns the answer on the assumption that evidence may be missing: `never` becomes `unknown`.
    fileprivate func ifIncomplete(_ reason: UnknownReason) -> EntitlementAnswer {
        if case .never = self { .unknown(reason) } else { self }
    }
}

extension FeatureTimeline {
    fileprivate init(id: Feature.ID, timeline: Timeline<Answer>) {
        self.id = id
        self.timeline = timeline
    }
}

extension Timeline {
    /// Returns the timeline of transformed values at the same instants.
    func mapped<Other: Sendable>(
        _ change: (Value) -> Other, joins: (Other, Other) -> Bool
    ) -> Timeline<Other> {
        var timeline = Timeline<Other>(change(entries[0].value))
        for entry in entries.dropFirst() { timeline.append(change(entry.value), from: entry.from, joins: joins) }
        return timeline
    }
}
