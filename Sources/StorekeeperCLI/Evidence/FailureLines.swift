/// The lines about failures on standard error.
///
/// Equal failures of one item are combined into one line, which contains their number. If a file has more equal
/// failures than a limit, the failures beyond the limit are also combined into one line.
struct FailureLines {
    private struct Kind: Hashable {
        let file: String
        let message: String
    }

    private struct Line {
        let kind: Kind
        let line: Int
        var count: Int
    }

    private let maximum: Int
    private var shown: [Line] = []
    /// For each kind of failure, the index of its newest line and the number of its lines.
    private var known: [Kind: (index: Int, lines: Int)] = [:]
    /// The kinds with omitted failures, in the order of the first omission.
    private var omitted: [(kind: Kind, count: Int)] = []
    private var omittedIndex: [Kind: Int] = [:]

    init(maximum: Int) { self.maximum = maximum }

    mutating func add(_ failure: EvidenceFailure) {
        let kind = Kind(file: failure.file, message: "\(failure.error)")
        if let (index, lines) = known[kind] {
            if shown[index].line == failure.line {
                shown[index].count += 1
                return
            }
            guard lines < maximum else {
                if let index = omittedIndex[kind] {
                    omitted[index].count += 1
                } else {
                    omittedIndex[kind] = omitted.count
                    omitted.append((kind, 1))
                }
                return
            }
            known[kind] = (shown.count, lines + 1)
        } else {
            known[kind] = (shown.count, 1)
        }
        shown.append(Line(kind: kind, line: failure.line, count: 1))
    }

    /// The lines in the order of the files; omitted failures are counted at the end.
    var lines: [String] {
        shown.map { entry in
            let times = entry.count == 1 ? "" : ", \(entry.count) times"
            return "\(entry.kind.message) (\(InputFile.name(of: entry.kind.file)):\(entry.line)\(times))"
        }
            + omitted.map { kind, count in
                "\(kind.message) (\(InputFile.name(of: kind.file)), \(count) more time\(count == 1 ? "" : "s"))"
            }
    }
}
