/// A fault in a world's log.
struct RecordedFault: Sendable {
    let app: RowIndex<App>
    /// `nil` if all faults of the app ended.
    let fault: SimulatedFault?
}
