import FoundationEssentials
import Storekeeper
import Synchronization

/// The claims of seats that app's servers made.
///
/// They are kept in memory: a journal does not record them.
final class SeatClaims: Sendable {
    struct Claim: Sendable {
        let id: UUID
        let request: UUID
        var appTransactionID: String?
    }

    private let claims = Mutex<[Transaction.ID: [Claim]]>([:])

    /// Returns the claims of a subscription.
    func claims(of original: Transaction.ID) -> [Claim] { claims.withLock { $0[original] ?? [] } }

    /// Changes the claims of a subscription; nothing is changed if the change throws.
    func change(_ original: Transaction.ID, _ change: (inout [Claim]) throws(APIError) -> Void) throws(APIError) {
        try claims.withLock { claims throws(APIError) in
            var list = claims[original] ?? []
            try change(&list)
            claims[original] = list
        }
    }
}
