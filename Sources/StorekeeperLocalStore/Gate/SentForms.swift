import Synchronization

/// Which forms were sent lately, so that one that is sent twice is carried out once.
///
/// Each page that is made gives its forms a token of its own: what is equal to the last byte was sent twice.
final class SentForms: Sendable {
    /// Whether a form is to be carried out.
    enum Verdict: Hashable {
        case first
        /// It was sent before, and led to an address; `nil`: it is still being carried out.
        case repeated(String?)
    }

    private struct State {
        var addresses: [Int: String?] = [:]
        /// The oldest first.
        var order: [Int] = []
    }

    /// How many are remembered.
    private static let mostForms = 10_000
    private let state = Mutex(State())

    /// Begins to carry a form out.
    ///
    /// - Parameter isGuarded: Whether its token is one of a page; a form without one may come as often as it wants.
    func begin(_ body: [UInt8], isGuarded: Bool) -> Verdict {
        guard isGuarded else { return .first }
        return state.withLock { state in
            if let address = state.addresses[body.hashValue] { return .repeated(address) }
            state.addresses.updateValue(nil, forKey: body.hashValue)
            state.order.append(body.hashValue)
            if state.order.count > Self.mostForms { state.addresses.removeValue(forKey: state.order.removeFirst()) }
            return .first
        }
    }

    /// Notes where a form that was carried out led to.
    func end(_ body: [UInt8], at address: String) {
        state.withLock { state in
            if state.addresses[body.hashValue] != nil { state.addresses.updateValue(address, forKey: body.hashValue) }
        }
    }

    /// Forgets a form that was refused: it may be sent again.
    func forget(_ body: [UInt8]) {
        state.withLock { state in
            state.addresses.removeValue(forKey: body.hashValue)
            state.order.removeAll { $0 == body.hashValue }
        }
    }
}
