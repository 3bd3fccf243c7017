import Testing

/// Waits until other processes have made a condition true.
///
/// - Throws: ``ServerFailure`` after ten minutes, which is enough for a busy machine; errors of the condition.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw ServerFailure("did not happen in time: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
