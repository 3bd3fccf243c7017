/// An entry in a world's log of faults.
struct RecordedFault: Sendable {
    let app: RowIndex<App>
    /// The fault that began; `nil` if all faults of the app ended.
    let fault: SimulatedFault?
}
