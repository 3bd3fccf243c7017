import Storekeeper
import StorekeeperSimulator
import Synchronization

/// Which faults of a store are in force, and how often each is still to come.
///
/// Those that began in the store are taken over when they are first asked about; how often each has come is known here
/// only, so that a store that is served again begins its faults again.
final class FaultDesk: Sendable {
    /// A fault in force.
    struct Active: Hashable, Sendable {
        /// The bundle id of the app.
        let app: String
        let fault: SimulatedFault
        /// How often it is still to come; `nil`: until all are ended.
        var left: Int?
    }

    private struct State {
        var seen = 0
        var active: [Active] = []
    }

    private let store: SimulatedAppStore
    private let state = Mutex(State())

    init(store: SimulatedAppStore) { self.store = store }

    /// The faults in force, the oldest first.
    var active: [Active] {
        state.withLock { state in
            takeNews(&state)
            return state.active
        }
    }

    /// Takes a fault of a place: the oldest in force comes once less from then on.
    ///
    /// - Returns: `nil` where nothing goes wrong there.
    func take(at place: SimulatedFault.Place, app: String) -> Active? {
        state.withLock { state in
            takeNews(&state)
            let index = state.active.firstIndex { one in
                one.app == app
                    && (one.fault.place == place || one.fault.place == .any && place != .notifications)
            }
            guard let index else { return nil }
            guard let left = state.active[index].left else { return state.active[index] }
            state.active[index].left = left - 1
            let taken = state.active[index]
            if left <= 1 { state.active.remove(at: index) }
            return taken
        }
    }

    private func takeNews(_ state: inout State) {
        let news = store.faults(after: state.seen)
        state.seen += news.count
        for begun in news {
            if let fault = begun.fault {
                state.active.append(Active(app: begun.app, fault: fault, left: fault.times))
            } else {
                state.active.removeAll { $0.app == begun.app }
            }
        }
    }
}

extension FaultDesk.Active {
    /// The fault in a few words: `history: 500, 2 more times`.
    var words: String {
        let rest = left.map { ", \($0) more \($0 == 1 ? "time" : "times")" } ?? ", until faults are ended"
        return fault.words + rest
    }

    var document: JSONText {
        .object([
            "app": .string(app), "fault": .string(fault.place.rawValue), "how": .string(fault.manner.word),
            "left": .whole(left),
        ])
    }
}
