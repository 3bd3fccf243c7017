extension Resolution {
    /// The answers if the evidence may be incomplete.
    ///
    /// A product without evidence is then `unknown` instead of `never`, with the reason `neverSynced`.
    package var incomplete: Resolution { incomplete(because: .neverSynced) }

    /// Returns the answers if evidence may be missing: what would be `never` is `unknown`.
    ///
    /// - Parameter reason: Why evidence may be missing: no whole history was read, or some was not verified.
    package func incomplete(because reason: EntitlementAnswer.UnknownReason) -> Resolution {
        var copy = self
        for product in productTable.all {
            let timeline = product.timeline.mapped({ $0.ifIncomplete(reason) }, joins: { $0.isEquivalent(to: $1) })
            copy.productTable.set(
                ProductTimeline(
                    id: product.id, type: product.type, timeline: timeline, nonRenewing: product.nonRenewing))
        }
        copy.features = catalog.features.map { feature in
            let best = FeatureTimeline(feature, products: copy.productTable, grants: grantSources)
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

extension EntitlementAnswer {
    /// Returns the answer if evidence may be missing.
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
    func mapped(_ change: (Value) -> Value, joins: (Value, Value) -> Bool) -> Timeline {
        var timeline = Timeline(change(entries[0].value))
        for index in 1..<max(entries.count, 1) {
            timeline.append(change(entries[index].value), from: entries.from(index), joins: joins)
        }
        return timeline
    }
}
