/// The events of changed answers that follow a place in the vault's feed, in the order in which they are written.
///
/// A subscriber stores the ``StoreEvent/place`` of the last event that it has processed, and begins after this place
/// the next time.
public typealias StoreEvents = VaultFeed<StoreEvent>

extension VaultFeed<StoreEvent> {
    /// Subscribes to a vault's events.
    ///
    /// - Parameters:
    ///   - vault: The vault that contains the events.
    ///   - customer: The customer whose events are read; `nil` for all customers.
    ///   - place: The place after which to begin; ``FeedPlace/start`` begins with the first event.
    ///   - signal: The signal that is sent when the vault changes.
    ///   - pageSize: The maximum number of events read at a time.
    init(
        _ vault: any TransactionalVault, of customer: CustomerID?, after place: FeedPlace, signal: ChangeSignal,
        pageSize: Int = 128
    ) {
        self.init(
            signal: signal, start: place, pageSize: pageSize, currentEpoch: { vault.feedEpoch },
            place: { $0.place }
        ) {
            try await vault.events(after: $0, of: customer, limit: $1)
        }
    }
}
