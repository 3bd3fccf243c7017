/// The answers that change, as they are written to the vault, from a place on.
///
/// A subscriber notes the ``StoreEvent/sequence`` of the last event it has dealt with, and begins after it the next time.
public typealias StoreEvents = VaultFeed<StoreEvent>

extension VaultFeed<StoreEvent> {
    /// Listens to a vault.
    ///
    /// - Parameters:
    ///   - vault: Where events are written.
    ///   - customer: Whose; `nil` for those of all customers.
    ///   - sequence: The place after which to begin; 0 for the first event there is.
    ///   - signal: Tells that something was written.
    ///   - pageSize: How many events are read at a time.
    init(
        _ vault: any Vault, of customer: CustomerID?, after sequence: Int64, signal: ChangeSignal, pageSize: Int = 128
    ) {
        self.init(signal: signal, start: sequence, pageSize: pageSize, sequence: { $0.sequence }) {
            try await vault.events(after: $0, of: customer, limit: $1)
        }
    }
}
