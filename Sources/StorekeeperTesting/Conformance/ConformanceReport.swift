import Testing

/// Records what a part under test did not do as its port demands.
struct ConformanceReport {
    /// The port.
    let port: String
    /// Where the suite is run.
    let location: SourceLocation

    /// Records that a law is broken unless it holds.
    func check(_ holds: Bool, _ law: String, _ detail: @autoclosure () -> String = "") {
        guard !holds else { return }
        let detail = detail()
        fail(law, detail.isEmpty ? "it does not hold" : detail)
    }

    /// Records that a law is broken.
    func fail(_ law: String, _ detail: String) {
        Issue.record(Comment(rawValue: "\(port): \(law): \(detail)"), sourceLocation: location)
    }
}
