import Testing

/// Waits until something holds that other processes bring about.
///
/// - Throws: ``ServerFailure`` after ten minutes, in which even a busy machine has had time; what the condition throws.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw ServerFailure("did not happen in time: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
