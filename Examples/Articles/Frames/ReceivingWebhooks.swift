import Storekeeper
import StorekeeperJWS

private func receive(secret: String, headers: [String: String], body: [UInt8], now: Instant) throws {
    // block 1
}
