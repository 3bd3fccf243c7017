/// The answers about a product or a feature over time, as `storekeeper timeline` prints them.
package struct TimelineRow: JSONShaped {
    private let id: String
    private let segments: [Segment]

    /// Creates the row of a product, limited to the runs that overlap the time between two instants.
    package init(_ product: ProductTimeline, from start: Instant? = nil, to end: Instant? = nil) {
        id = product.id.rawValue
        segments = product.timeline.runs.filter { $0.touches(from: start, to: end) }.map {
            Segment(from: $0.from, to: $0.to, answer: $0.value)
        }
    }

    /// Creates the row of a feature, limited to the runs that overlap the time between two instants.
    package init(_ feature: FeatureTimeline, from start: Instant? = nil, to end: Instant? = nil) {
        id = feature.id.rawValue
        segments = feature.timeline.runs.filter { $0.touches(from: start, to: end) }.map {
            Segment(from: $0.from, to: $0.to, answer: $0.value.answer)
        }
    }

    package static let shape = JSONShape<Self>(
        "Timeline", [.member("id") { $0.id }, .member("segments") { $0.segments }])

    /// The time during which an answer stays the same.
    private struct Segment: JSONShaped {
        let from: Instant?
        let to: Instant?
        let answer: EntitlementAnswer

        static let shape = JSONShape<Self>(
            "Segment", with: EntitlementAnswer.outline.members { $0.answer },
            [.member("from") { $0.from }, .member("to") { $0.to }])
    }
}

extension Timeline.Segment {
    /// Returns whether the run overlaps the time between two instants; `nil` means that the time has no limit on this
    /// side.
    package func touches(from start: Instant?, to end: Instant?) -> Bool {
        if let start, let to, to <= start { return false }
        if let end, let from, from > end { return false }
        return true
    }
}

extension ProductTimeline: JSONDescribed {
    /// The timeline as `storekeeper timeline` prints it.
    package var json: JSONText { TimelineRow(self).json }
}

extension FeatureTimeline: JSONDescribed {
    /// The timeline as `storekeeper timeline` prints it.
    package var json: JSONText { TimelineRow(self).json }
}
