/// The answers that change, as they are written to the vault, from a place on.
///
/// A subscriber notes the ``StoreEvent/place`` of the last event it has dealt with, and begins after it the next time.
public typealias StoreEvents = VaultFeed<StoreEvent>

extension VaultFeed<StoreEvent> {
    /// Listens to a vault.
    ///
    /// - Parameters:
    ///   - vault: Where events are written.
    ///   - customer: Whose; `nil` for those of all customers.
    ///   - place: After which to begin; ``FeedPlace/start`` for the first event there is.
    ///   - signal: Tells that something was written.
    ///   - pageSize: How many events are read at a time.
    init(
        _ vault: any Vault, of customer: CustomerID?, after place: FeedPlace, signal: ChangeSignal, pageSize: Int = 128
    ) {
        self.init(signal: signal, start: place, pageSize: pageSize, place: { $0.place }) {
            try await vault.events(after: $0, of: customer, limit: $1)
        }
    }
}
