extension Timeline.Segment {
    /// Returns the JSON of a run, the time during which an answer stays the same.
    fileprivate func json(_ answer: EntitlementAnswer) -> JSONText {
        .object([
            "from": .time(from), "to": .time(to), "answer": .string(answer.word), "reason": .string(answer.reasonWord),
        ])
    }

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
    package var json: JSONText { json(from: nil, to: nil) }

    /// Returns the JSON of the timeline, limited to the runs that overlap the time between two instants.
    package func json(from start: Instant?, to end: Instant?) -> JSONText {
        let runs = timeline.runs.filter { $0.touches(from: start, to: end) }
        return .object(["id": .string(id.rawValue), "segments": .array(runs.map { $0.json($0.value) })])
    }
}

extension FeatureTimeline: JSONDescribed {
    /// The timeline as `storekeeper timeline` prints it.
    package var json: JSONText { json(from: nil, to: nil) }

    /// Returns the JSON of the timeline, limited to the runs that overlap the time between two instants.
    package func json(from start: Instant?, to end: Instant?) -> JSONText {
        let runs = timeline.runs.filter { $0.touches(from: start, to: end) }
        return .object(["id": .string(id.rawValue), "segments": .array(runs.map { $0.json($0.value.answer) })])
    }
}
