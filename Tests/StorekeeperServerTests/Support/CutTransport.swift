import Storekeeper
import StorekeeperAppStore
import StorekeeperTesting
import Synchronization

/// A transport that fails at random, either before a request is sent or before its answer arrives.
final class CutTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let state: Mutex<(random: SplitMix64, percent: Int, asked: [String])>

    init(_ base: any HTTPTransport, seed: UInt64, percent: Int) {
        self.base = base
        state = Mutex((SplitMix64(seed: seed), percent, []))
    }

    /// Returns the paths of the requests that were answered since the last call of this method.
    func removeAsked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    /// Sets the percentage of further requests that fail.
    func setPercent(_ percent: Int) { state.withLock { $0.percent = percent } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let (isCut, isCutLate) = state.withLock { ($0.random.chance($0.percent), $0.random.chance(50)) }
        if isCut, !isCutLate { throw TransportError(.notConnected, "cut before it was sent") }
        let response = try await base.send(request)
        if isCut { throw TransportError(.connectionLost, "cut before the answer arrived") }
        state.withLock { $0.asked.append(request.url) }
        return response
    }
}
