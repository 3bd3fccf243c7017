import Storekeeper
import StorekeeperSimulator
import Synchronization

/// The active faults of a store, each with its remaining number of occurrences.
///
/// Each use first reads the faults that have begun in the store since the last use. The store does not count
/// occurrences, so after a restart each fault occurs its full number of times again.
final class FaultInjector: Sendable {
    /// An active fault.
    struct Active: Hashable, Sendable {
        /// The bundle id of the app that has the fault.
        let app: String
        let fault: SimulatedFault
        /// The remaining number of occurrences; `nil` for a fault that lasts until all faults are ended.
        var left: Int?
    }

    private struct State {
        var seen = 0
        var active: [Active] = []
    }

    private let store: SimulatedAppStore
    private let state = Mutex(State())

    init(store: SimulatedAppStore) { self.store = store }

    /// The active faults, oldest first.
    var active: [Active] {
        state.withLock { state in
            addStartedFaults(&state)
            return state.active
        }
    }

    /// Returns the oldest active fault of an endpoint or of notifications, and counts an occurrence of this fault.
    ///
    /// - Returns: `nil` if no active fault affects `place`.
    func consume(at place: SimulatedFault.Place, app: String) -> Active? {
        state.withLock { state in
            addStartedFaults(&state)
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

    private func addStartedFaults(_ state: inout State) {
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

extension FaultInjector.Active {
    /// A short description, such as `history: 500, 2 more times`.
    var words: String {
        let rest = left.map { ", \($0) more \($0 == 1 ? "time" : "times")" } ?? ", until faults are ended"
        return fault.words + rest
    }
}

extension FaultInjector.Active: JSONShaped {
    static let shape = JSONShape<FaultInjector.Active>(
        "Fault",
        [
            .member("app") { $0.app },
            .member("fault", "A request, `any`, or `notifications`.") { $0.fault.place.rawValue },
            .member("how") { $0.fault.effect.word },
            .member("left", "The remaining number of times; absent if the fault lasts until faults are ended.") {
                $0.left
            },
        ])
}
