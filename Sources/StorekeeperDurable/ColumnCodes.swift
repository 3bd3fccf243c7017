package import Storekeeper

// The databases of durable vaults store these numbers and texts. The values must not change, because databases that
// released versions have written contain them.

extension ParkedFact.Reason {
    package var code: Int64 {
        switch self {
        case .unclaimed: 0
        case .conflict: 1
        }
    }

    package init?(code: Int64) {
        switch code {
        case 0: self = .unclaimed
        case 1: self = .conflict
        default: return nil
        }
    }
}

extension OutboxItem {
    /// Returns the number in the column `state`; numbers below 2 mean that the transaction is not finished.
    package static func code(_ state: State?) -> Int64 {
        switch state {
        case .owed: 0
        case .delivered: 1
        case nil: 2
        }
    }
}
