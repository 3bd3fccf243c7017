/// Why a check of a conformance suite could not continue.
struct ConformanceFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
