import Synchronization

/// Limits the memory of all request bodies that are being received or processed at the same time, and the part of it
/// that one IP address may take.
final class BodyBudget: Sendable {
    private struct Used {
        var total = 0
        var byAddress: [String: Int] = [:]
    }

    private let limit: Int
    private let used = Mutex(Used())

    /// Makes a budget.
    ///
    /// - Parameter limit: The maximum sum of the sizes of all bodies, in bytes; one address has an eighth of it.
    init(_ limit: Int) { self.limit = limit }

    /// Reserves memory; returns `false`, without reserving any, if a limit would be exceeded.
    fileprivate func reserve(_ bytes: Int, for address: String?) -> Bool {
        used.withLock { used in
            guard bytes <= limit - used.total else { return false }
            if let address {
                let own = used.byAddress[address, default: 0]
                guard bytes <= limit / 8 - own else { return false }
                used.byAddress[address] = own + bytes
            }
            used.total += bytes
            return true
        }
    }

    fileprivate func release(_ bytes: Int, of address: String?) {
        used.withLock { used in
            used.total -= bytes
            guard let address, let own = used.byAddress[address] else { return }
            used.byAddress[address] = own > bytes ? own - bytes : nil
        }
    }
}

/// The memory that one request has reserved for its body.
final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let address: String?
    private let bytes = Mutex(0)

    /// Makes an empty reservation.
    ///
    /// - Parameters:
    ///   - budget: The budget.
    ///   - address: The IP address of the client; `nil` if an address may take the whole budget.
    init(in budget: BodyBudget, for address: String?) {
        self.budget = budget
        self.address = address
    }

    /// Reserves more memory; returns `false` if the budget, or the address's part of it, is exhausted.
    func grow(by more: Int) -> Bool {
        guard budget.reserve(more, for: address) else { return false }
        bytes.withLock { $0 += more }
        return true
    }

    /// Returns the reserved memory to the budget.
    func release() {
        budget.release(
            bytes.withLock { bytes in
                defer { bytes = 0 }
                return bytes
            }, of: address)
    }
}
