import Testing

/// Records violations of a port's laws by an implementation.
struct ConformanceReport {
    /// The port.
    let port: String
    /// Where the suite runs.
    let location: SourceLocation

    /// Records a violation of a law unless a condition holds.
    func check(_ holds: Bool, _ law: String, _ detail: @autoclosure () -> String = "") {
        guard !holds else { return }
        let detail = detail()
        fail(law, detail.isEmpty ? "it does not hold" : detail)
    }

    /// Records a violation of a law.
    func fail(_ law: String, _ detail: String) {
        Issue.record(Comment(rawValue: "\(port): \(law): \(detail)"), sourceLocation: location)
    }
}

/// Why a check of a conformance suite could not continue.
struct ConformanceFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
