/// The figures as text, in columns.
struct ResultTable {
    private enum Line {
        case title(String)
        case cells([String])
        case note(String)
    }

    private static let header = [
        "case", "per operation", "least … most", "per second", "compared with", "target", "met",
    ]
    private static let leftAligned: Set<Int> = [0, 4]
    private var lines: [Line] = []
    /// The missed targets, a line each.
    private var misses: [String] = []

    /// Adds the cases of a group.
    mutating func add(_ title: String, _ measurements: [Measurement]) {
        lines.append(.title(title))
        for measurement in measurements {
            let name = "  " + measurement.benchmark.name
            guard measurement.failure == nil else {
                misses.append("\(title): \(measurement.benchmark.name) failed")
                lines.append(.cells([name, "failed"]))
                lines.append(.note("    \(measurement.failure ?? "")"))
                continue
            }
            if measurement.benchmark.unit == .bytes {
                lines.append(.cells([name, FigureFormat.memory(measurement.median)]))
                continue
            }
            let figures = [
                FigureFormat.duration(measurement.median),
                FigureFormat.duration(measurement.samples.min() ?? 0) + " … "
                    + FigureFormat.duration(measurement.samples.max() ?? 0),
                FigureFormat.count(1 / measurement.median),
            ]
            let verdicts = measurement.benchmark.targets.map { Self.verdict($0, measurement, measurements) }
            for verdict in verdicts where verdict[2] == Self.met(false) {
                misses.append("\(title): \(measurement.benchmark.name) is \(verdict[0]), wanted \(verdict[1])")
            }
            lines.append(.cells([name] + figures + (verdicts.first ?? [])))
            for verdict in verdicts.dropFirst() { lines.append(.cells(["", "", "", ""] + verdict)) }
        }
    }

    /// Returns whether a case of a group misses a target.
    static func hasMiss(_ group: [Measurement]) -> Bool {
        group.contains { measurement in
            measurement.failure == nil
                && measurement.benchmark.targets.contains { verdict($0, measurement, group)[2] == met(false) }
        }
    }

    /// Adds a group that was not measured.
    mutating func add(_ title: String, notRun reason: String) {
        lines.append(.title(title))
        lines.append(.note("  not run: \(reason)"))
        misses.append("\(title): not run")
    }

    /// Returns the cells of a target: the comparison, the target, and whether it is met.
    private static func verdict(
        _ target: BenchmarkCase.Target, _ measurement: Measurement, _ group: [Measurement]
    ) -> [String] {
        func time(of name: String) -> Double? {
            group.first { $0.benchmark.name == name && $0.failure == nil }.map(measurement.time(comparedTo:))
        }
        func row(_ value: Double?, _ what: String, _ sign: String = "", _ limit: Double? = nil) -> [String] {
            guard let value else { return ["(\(what) failed)", "", ""] }
            let beside = "\(FigureFormat.ratio(value)) × \(what)"
            guard let limit else { return [beside, "", ""] }
            return [
                beside, "\(sign) \(FigureFormat.ratio(limit)) ×", met(sign == "≥" ? value >= limit : value <= limit),
            ]
        }
        switch target {
        case .speed(let name, let limit): return row(time(of: name).map { 1 / $0 }, "speed of \(name)", "≥", limit)
        case .time(let name, let limit): return row(time(of: name), "time of \(name)", "≤", limit)
        case .comparedSpeed(let name): return row(time(of: name).map { 1 / $0 }, "speed of \(name)")
        case .comparedTime(let name): return row(time(of: name), "time of \(name)")
        }
    }

    private static func met(_ isMet: Bool) -> String { isMet ? "yes" : "NO" }

    /// The table as text; each line ends with a line feed.
    var text: String {
        let rows = lines.compactMap { if case .cells(let cells) = $0 { cells } else { nil } }
        let widths = Self.header.indices.map { column in
            ([Self.header] + rows).map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        func joined(_ cells: [String]) -> String {
            var line = ""
            for (column, cell) in cells.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                line += (column > 0 ? "  " : "") + (Self.leftAligned.contains(column) ? cell + blanks : blanks + cell)
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }
        var text = joined(Self.header)
        for line in lines {
            switch line {
            case .title(let title): text += "\n\(title)\n"
            case .cells(let cells): text += joined(cells)
            case .note(let note): text += note + "\n"
            }
        }
        text += misses.isEmpty ? "\nEvery line meets its target.\n" : "\nLines that miss their targets\n"
        for miss in misses { text += "  \(miss)\n" }
        return text
    }
}
