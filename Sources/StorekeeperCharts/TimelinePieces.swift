import StorekeeperEngine

/// The pieces into which all bars are divided for drawing: clipped to the edges of the axis, divided at the present,
/// and few enough that a browser draws them without delay.
struct TimelinePieces {
    /// A part of a bar that is drawn as one shape.
    struct Piece {
        let from: Instant
        var to: Instant
        let segmentStyle: TimelineChart.SegmentStyle
        /// Whether the piece is after the marked instant, so that its answer is only expected.
        let isExpected: Bool
        /// The run of which the piece is a part; `nil` if the piece was merged from several pieces.
        let segment: TimelineChart.Segment?
        /// The number of pieces from which this piece was merged.
        var count = 1
    }

    /// The mark of an event, or of several events of one kind.
    struct Mark {
        let from: Instant
        var to: Instant
        let kind: TimelineChart.Event.Kind
        /// The number of events that the mark shows.
        var count = 1
    }

    /// The numbers of pieces and of marks above which neighboring pieces or marks are merged.
    static let mostPieces = 100
    static let mostMarks = 40

    /// The pieces of each row.
    let pieces: [[Piece]]
    /// The marks of each row.
    let marks: [[Mark]]

    /// - Parameter width: The width of the axis in pixels; pieces below a minimum width of one pixel are merged with
    ///   narrow neighbors. This minimum is doubled until the number of pieces is small enough.
    init(_ chart: TimelineChart, width: Double) {
        let all = chart.rows.map { Self.pieces(of: $0, in: chart) }
        var least = 1.0
        var merged = all.map { Self.merged($0, narrowerThan: least, in: chart, width) }
        while merged.reduce(0, { $0 + $1.count }) > max(Self.mostPieces, chart.rows.count * 3), least < width {
            least *= 2
            merged = all.map { Self.merged($0, narrowerThan: least, in: chart, width) }
        }
        pieces = merged

        let events = chart.rows.map { $0.events.filter { chart.isVisible($0.at) } }
        var distance = 1.0
        var joined = events.map { Self.joined($0, closerThan: distance, in: chart, width) }
        while joined.reduce(0, { $0 + $1.count }) > Self.mostMarks, distance < width {
            distance *= 2
            joined = events.map { Self.joined($0, closerThan: distance, in: chart, width) }
        }
        marks = joined
    }

    /// Returns the visible parts of the runs of a row.
    private static func pieces(of row: TimelineChart.Row, in chart: TimelineChart) -> [Piece] {
        var pieces: [Piece] = []
        for segment in row.segments where segment.segmentStyle != .nothing {
            let from = max(segment.from ?? chart.start, chart.start)
            let to = min(segment.to ?? chart.end, chart.end)
            guard from < to else { continue }
            let present = min(max(chart.mark ?? to, from), to)
            for (start, end, isExpected) in [(from, present, false), (present, to, true)] where start < end {
                pieces.append(
                    Piece(
                        from: start, to: end, segmentStyle: segment.segmentStyle, isExpected: isExpected,
                        segment: segment))
            }
        }
        return withDue(pieces, of: row, in: chart)
    }

    /// Returns the pieces with the run that is due in place of what follows without it.
    private static func withDue(_ pieces: [Piece], of row: TimelineChart.Row, in chart: TimelineChart) -> [Piece] {
        guard let due = row.due, let dueFrom = due.from, let dueTo = due.to else { return pieces }
        let (from, to) = (max(dueFrom, chart.start), min(dueTo, chart.end))
        guard from < to else { return pieces }
        var kept: [Piece] = []
        for piece in pieces {
            var before = piece
            before.to = min(piece.to, from)
            if before.from < before.to { kept.append(before) }
            guard piece.to > to else { continue }
            kept.append(
                Piece(
                    from: max(piece.from, to), to: piece.to, segmentStyle: piece.segmentStyle,
                    isExpected: piece.isExpected, segment: piece.segment))
        }
        kept.append(Piece(from: from, to: to, segmentStyle: due.segmentStyle, isExpected: true, segment: due))
        return kept.sorted { $0.from < $1.from }
    }

    /// Returns the pieces, with each series of narrow neighbors merged into one piece; the merged piece has the style
    /// that covers most of its time.
    private static func merged(
        _ pieces: [Piece], narrowerThan least: Double, in chart: TimelineChart, _ width: Double
    ) -> [Piece] {
        let scale = width / Double(chart.end.milliseconds(since: chart.start))
        var result: [Piece] = []
        var narrow: [Piece] = []
        func flush() {
            guard let first = narrow.first, let last = narrow.last else { return }
            if narrow.count == 1 {
                result.append(first)
            } else {
                var shares: [TimelineChart.SegmentStyle: Int64] = [:]
                for piece in narrow {
                    shares[piece.segmentStyle, default: 0] += piece.to.milliseconds(since: piece.from)
                }
                let look = TimelineChart.SegmentStyle.allCases.max { (shares[$0] ?? 0) < (shares[$1] ?? 0) }
                result.append(
                    Piece(
                        from: first.from, to: last.to, segmentStyle: look ?? first.segmentStyle,
                        isExpected: first.isExpected, segment: nil, count: narrow.count))
            }
            narrow = []
        }
        for piece in pieces {
            let isNarrow = Double(piece.to.milliseconds(since: piece.from)) * scale < least
            // Narrow pieces are not joined across a visible gap, or across the present.
            if let last = narrow.last,
                Double(piece.from.milliseconds(since: last.to)) * scale >= least || piece.isExpected != last.isExpected
            {
                flush()
            }
            if isNarrow {
                narrow.append(piece)
            } else {
                flush()
                result.append(piece)
            }
        }
        flush()
        return result
    }

    /// Returns the marks of events; several events of one kind that are close to each other share a mark.
    private static func joined(
        _ events: [TimelineChart.Event], closerThan distance: Double, in chart: TimelineChart, _ width: Double
    ) -> [Mark] {
        let scale = width / Double(chart.end.milliseconds(since: chart.start))
        var marks: [Mark] = []
        var newest: [TimelineChart.Event.Kind: Int] = [:]
        for event in events {
            if let index = newest[event.kind],
                Double(event.at.milliseconds(since: marks[index].from)) * scale < distance
            {
                marks[index].to = event.at
                marks[index].count += 1
            } else {
                newest[event.kind] = marks.count
                marks.append(Mark(from: event.at, to: event.at, kind: event.kind))
            }
        }
        return marks
    }
}
