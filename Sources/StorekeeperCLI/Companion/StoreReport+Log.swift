import Logging
import Storekeeper

extension StoreReport {
    /// The log level of the report.
    ///
    /// A problem that affects one customer is routine, but an operator must act on a problem of the vault.
    var level: Logger.Level {
        switch problem {
        case .unclaimed, .streamEnded: .info
        case .vaultFailed: .error
        default: .warning
        }
    }
}
