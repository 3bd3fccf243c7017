import Logging
import Storekeeper

extension StoreReport {
    /// The log level of the report.
    ///
    /// Problems of one customer are routine, but problems of the vault need an operator.
    var level: Logger.Level {
        switch problem {
        case .unclaimed, .streamEnded: .info
        case .vaultFailed: .error
        default: .warning
        }
    }
}
