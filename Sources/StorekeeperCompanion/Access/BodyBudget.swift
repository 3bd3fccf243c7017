import Synchronization

/// Limits the memory of all request bodies that are being received or processed at the same time.
final class BodyBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    /// Makes a budget.
    ///
    /// - Parameter limit: The maximum sum of the sizes of all bodies, in bytes.
    init(_ limit: Int) { self.limit = limit }

    /// Reserves memory; returns `false`, without reserving any, if the limit would be exceeded.
    fileprivate func reserve(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard bytes <= limit - used else { return false }
            used += bytes
            return true
        }
    }

    fileprivate func release(_ bytes: Int) { used.withLock { $0 -= bytes } }
}

/// The memory that one request has reserved for its body.
final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let bytes = Mutex(0)

    /// Makes an empty reservation.
    init(in budget: BodyBudget) { self.budget = budget }

    /// Reserves more memory; returns `false` if the budget is exhausted.
    func grow(by more: Int) -> Bool {
        guard budget.reserve(more) else { return false }
        bytes.withLock { $0 += more }
        return true
    }

    /// Returns the reserved memory to the budget.
    func release() {
        budget.release(
            bytes.withLock { bytes in
                defer { bytes = 0 }
                return bytes
            })
    }
}
