import Storekeeper
import Synchronization

/// Runs an operation only once if several callers request it with the same key at the same time.
///
/// The first caller runs the operation in its own task; the other callers wait for the result. If the first caller is
/// cancelled, one of the waiting callers runs the operation.
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

    /// Runs the operation, or waits for the caller that is running it.
    ///
    /// - Throws: The error of the operation, to all callers that wait for it; `CancellationError`.
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
            // If this task was cancelled, one of the waiting callers runs the operation.
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
