/// Requests that wait to be carried out together, and the results of requests that were carried out.
struct WaitingRequests: Sendable {
    /// Identifies the requests of one caller until the caller has collected the results.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// The result of one ticket's requests.
    typealias Outcome = Result<[Result<LedgerReceipt, LedgerRefusal>], VaultError>

    private var waiting: [(ticket: Ticket, requests: [LedgerRequest])] = []
    private var outcomes: [Ticket: Outcome] = [:]
    private var lastNumber = 0

    /// Adds requests, which will be carried out in order, and returns their ticket.
    mutating func add(_ requests: [LedgerRequest]) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(number: lastNumber)
        waiting.append((ticket, requests))
        return ticket
    }

    /// Returns whether a ticket's requests were carried out.
    func hasOutcome(_ ticket: Ticket) -> Bool { outcomes[ticket] != nil }

    /// Removes and returns all waiting requests, in order.
    mutating func removeAll() -> [(ticket: Ticket, requests: [LedgerRequest])] {
        defer { waiting = [] }
        return waiting
    }

    /// Stores the result of a ticket's requests.
    mutating func storeOutcome(_ ticket: Ticket, with outcome: Outcome) { outcomes[ticket] = outcome }

    /// Removes and returns the result of a ticket's requests; `nil` if the requests still wait, or if their result was
    /// already removed.
    mutating func removeOutcome(of ticket: Ticket) -> Outcome? { outcomes.removeValue(forKey: ticket) }
}
