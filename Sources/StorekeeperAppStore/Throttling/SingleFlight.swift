import Storekeeper
import Synchronization

/// Does the work for a key only once when several callers ask for it at the same time.
///
/// The first caller does the work in its own task; the other callers wait for the result. If the first caller is
/// cancelled, one of the waiting callers does the work.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Flight: Sendable {
        enum Outcome { case completed(Result<Value, any Error>), abandoned }

        let outcome = Mutex<Outcome?>(nil)
        let signal = ChangeSignal()

        func end(_ result: Outcome) {
            outcome.withLock { $0 = result }
            signal.send()
        }
    }

    private let flights = Mutex<[Key: Flight]>([:])

    init() {}

    /// Does the work, or waits for the caller that is doing it.
    ///
    /// - Throws: The error of the work, for all callers that wait for it; `CancellationError`.
    func run(_ key: Key, _ work: () async throws -> Value) async throws -> Value {
        while true {
            try Task.checkCancellation()
            let (flight, isFirst) = flights.withLock { flights -> (Flight, Bool) in
                if let flight = flights[key] { return (flight, false) }
                let flight = Flight()
                flights[key] = flight
                return (flight, true)
            }
            if isFirst { return try await lead(flight, for: key, work) }
            await flight.signal.wait(after: 0)
            switch flight.outcome.withLock({ $0 }) {
            case .completed(let result): return try result.get()
            case .abandoned, nil: continue
            }
        }
    }

    private func lead(_ flight: Flight, for key: Key, _ work: () async throws -> Value) async throws -> Value {
        do {
            let value = try await work()
            end(flight, for: key, .completed(.success(value)))
            return value
        } catch {
            // If only this task was cancelled, one of the waiting callers does the work.
            end(flight, for: key, Task.isCancelled ? .abandoned : .completed(.failure(error)))
            throw error
        }
    }

    private func end(_ flight: Flight, for key: Key, _ outcome: Flight.Outcome) {
        flights.withLock { flights in
            if flights[key] === flight { flights[key] = nil }
        }
        flight.end(outcome)
    }
}
