import Logging
import Storekeeper

extension StoreReport {
    /// How loudly the log of a service says it: what waits for a customer is the order of the day, what waits for the
    /// vault wants somebody who looks.
    var level: Logger.Level {
        switch problem {
        case .unclaimed, .streamEnded: .info
        case .vaultFailed: .error
        default: .warning
        }
    }
}
