/// A fault as a world remembers it.
struct RecordedFault: Sendable {
    let app: Place<App>
    /// `nil`: all of the app ended.
    let fault: SimulatedFault?
}
