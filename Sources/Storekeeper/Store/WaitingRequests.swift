/// Requests to move balances that wait to be carried out together, and what came of them.
struct WaitingRequests: Sendable {
    /// What stands for some requests until whoever made them has taken what came of them.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// What came of the requests of one ticket.
    typealias Outcome = Result<[Result<LedgerReceipt, LedgerRefusal>], VaultError>

    private var waiting: [(ticket: Ticket, requests: [LedgerRequest])] = []
    private var outcomes: [Ticket: Outcome] = [:]
    private var lastNumber = 0

    /// Adds requests that are to be carried out in order.
    mutating func add(_ requests: [LedgerRequest]) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(number: lastNumber)
        waiting.append((ticket, requests))
        return ticket
    }

    /// Whether somebody has carried out a ticket's requests.
    func isCarriedOut(_ ticket: Ticket) -> Bool { outcomes[ticket] != nil }

    /// Takes all that wait, in the order in which they came.
    mutating func removeAll() -> [(ticket: Ticket, requests: [LedgerRequest])] {
        defer { waiting = [] }
        return waiting
    }

    /// Keeps what came of a ticket's requests.
    mutating func carriedOut(_ ticket: Ticket, with outcome: Outcome) { outcomes[ticket] = outcome }

    /// Takes what came of a ticket's requests; `nil` where they wait still, or it was taken.
    mutating func removeOutcome(of ticket: Ticket) -> Outcome? { outcomes.removeValue(forKey: ticket) }
}
