import Testing

/// Records issues about violations of a protocol's laws.
struct ConformanceReport {
    /// The name of the protocol.
    let port: String
    /// The source location for recorded issues.
    let location: SourceLocation

    /// Records a violation of a law if a condition is false.
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

/// The reason why a check of a conformance suite could not continue.
struct ConformanceFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
