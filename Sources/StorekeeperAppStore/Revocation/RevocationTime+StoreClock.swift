public import Storekeeper
public import StorekeeperJWS

extension RevocationTime {
    /// The time of a store's clock.
    public init(_ clock: any StoreClock) {
        self.init(now: { clock.now }, sleep: { try await clock.wait(until: $0) })
    }
}
