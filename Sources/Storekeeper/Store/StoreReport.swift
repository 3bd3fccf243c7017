/// A problem that a store has encountered without stopping.
public struct StoreReport: Sendable, CustomStringConvertible {
    /// The problem.
    public enum Problem: Sendable {
        /// Evidence failed verification; it is ignored, and its transaction is not finished.
        case unverified(VerificationError, productID: Product.ID?)
        /// Evidence belongs to another customer; it was parked.
        case conflict(BindingConflict)
        /// Pieces of evidence in the stream have no known owner, and are parked until they are claimed; the associated
        /// value is their number.
        case unclaimed(Int)
        /// The backend failed, timed out, or could not reach the App Store.
        case backendFailed(any Error)
        /// The stream of updates has ended; the store opens it again.
        case streamEnded
        /// The vault could not read or write; unwritten data is not acknowledged.
        case vaultFailed(VaultError)
        /// A purchase would overflow its balance; it is stored, but neither credited nor finished.
        case uncredited(TransactionKey)
        /// The app's handler could not deliver the content; the delivery is retried.
        case deliveryFailed(TransactionKey, any Error)
        /// A transaction could not be finished at the App Store; the finish is retried.
        case finishFailed(TransactionKey, any Error)
        /// The App Store permanently refuses to finish a transaction; the finish is not retried.
        case finishRefused(TransactionKey, any Error)
        /// Product descriptions could not be read, or none were returned; the previous descriptions stay in use.
        case productsFailed((any Error)?)
    }

    /// The instant of the problem, in UTC.
    public let at: Instant
    /// The problem.
    public let problem: Problem

    /// Creates a report.
    package init(at instant: Instant, _ problem: Problem) {
        at = instant
        self.problem = problem
    }

    /// The problem as text, without the name of a customer and without signed data.
    public var description: String {
        switch problem {
        case .unverified(let error, let productID):
            "evidence\(productID.map { " of '\($0)'" } ?? "") could not be verified: \(error)"
        case .conflict(let conflict):
            "the chain \(conflict.originalTransactionID) belongs to another customer (attempt \(conflict.attempts));"
                + " it was parked"
        case .unclaimed(1): "1 piece of evidence has no owner and is parked until claimed"
        case .unclaimed(let count): "\(count) pieces of evidence have no owner and are parked until claimed"
        case .backendFailed(let error): "the backend failed and is retried: \(error)"
        case .streamEnded: "the stream of updates ended and is reopened"
        case .vaultFailed(let error): "the vault failed: \(error)"
        case .uncredited(let key):
            "transaction \(key.transactionID) would overflow its balance; it is neither credited nor finished"
        case .deliveryFailed(let key, let error):
            "transaction \(key.transactionID) was not delivered and will be delivered again: \(error)"
        case .finishFailed(let key, let error):
            "transaction \(key.transactionID) was delivered but not finished: \(error)"
        case .finishRefused(let key, let error):
            "transaction \(key.transactionID) was delivered and counts as finished, but the App Store refuses to finish it: \(error)"
        case .productsFailed(let error?): "product descriptions could not be read; the last ones stay in use: \(error)"
        case .productsFailed(nil): "no product descriptions were returned; the last ones stay in use"
        }
    }
}

/// The error of a call that a store refuses or does not complete.
public typealias StoreError = CodedError<StoreErrorCode>

/// A machine-readable code of the error.
public struct StoreErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The store or pool is already running; only one task at a time may run it.
    public static let alreadyRunning = Self(rawValue: "alreadyRunning")
    /// A call of the backend or of the app's handler exceeded its deadline.
    public static let deadlineExceeded = Self(rawValue: "deadlineExceeded")
    /// The backend has returned too many pages, or the same page twice.
    public static let endlessHistory = Self(rawValue: "endlessHistory")
}
