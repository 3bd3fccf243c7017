public import Storekeeper
public import StorekeeperJWS

extension RevocationTime {
    /// Creates a source of time from the clock of a store.
    public init(_ clock: any StoreClock) {
        self.init(now: { clock.now }, sleep: { try await clock.wait(until: $0) })
    }
}
