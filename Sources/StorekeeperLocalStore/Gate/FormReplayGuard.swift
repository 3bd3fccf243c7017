import Synchronization

/// Remembers recently sent forms, so that a form that is sent twice takes effect only once.
///
/// The forms of each rendered page contain a unique token. Equal request bodies are therefore the same form, sent
/// twice.
final class FormReplayGuard: Sendable {
    /// Whether a form is sent for the first time.
    enum Verdict: Hashable {
        case first
        /// The form was sent before, with the URL of the page that followed; `nil` while the form is still being
        /// processed.
        case repeated(String?)
    }

    private struct State {
        var addresses: [Int: String?] = [:]
        /// The hashes of the request bodies, with the oldest first.
        var order: [Int] = []
    }

    /// The maximum number of remembered forms.
    private static let maximumForms = 10_000
    private let state = Mutex(State())

    /// Registers a form before it is processed, and returns whether it was sent before.
    ///
    /// - Parameter isGuarded: Whether the form has the token of a page; a form without a token may be repeated.
    func begin(_ body: [UInt8], isGuarded: Bool) -> Verdict {
        guard isGuarded else { return .first }
        return state.withLock { state in
            if let address = state.addresses[body.hashValue] { return .repeated(address) }
            state.addresses.updateValue(nil, forKey: body.hashValue)
            state.order.append(body.hashValue)
            if state.order.count > Self.maximumForms { state.addresses.removeValue(forKey: state.order.removeFirst()) }
            return .first
        }
    }

    /// Records the URL of the page that follows a processed form.
    func end(_ body: [UInt8], at address: String) {
        state.withLock { state in
            if state.addresses[body.hashValue] != nil { state.addresses.updateValue(address, forKey: body.hashValue) }
        }
    }

    /// Forgets a form that was refused, so that it may be sent again.
    func forget(_ body: [UInt8]) {
        state.withLock { state in
            state.addresses.removeValue(forKey: body.hashValue)
            state.order.removeAll { $0 == body.hashValue }
        }
    }
}
