/// Something that went wrong while a store was at work, and that did not stop it.
public struct StoreReport: Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Problem: Sendable {
        /// Evidence could not be believed; it counts for nothing and is not finished.
        case unverified(VerificationError, productID: Product.ID?)
        /// Evidence belongs to another customer; it was put aside.
        case conflict(BindingConflict)
        /// Evidence of the stream names nobody we know; it was put aside until somebody claims it. How much it was.
        case unclaimed(Int)
        /// The backend could not answer, took too long, or said that it could not reach the App Store.
        case backendFailed(any Error)
        /// The stream of updates has ended; another one is asked for.
        case streamEnded
        /// The vault could not read or write; what was not written is not acknowledged either.
        case vaultFailed(VaultError)
        /// A purchase adds more than its balance can hold; it is kept, and neither credited nor finished.
        case uncredited(TransactionKey)
        /// The app's handler could not hand out the goods; it is asked again.
        case deliveryFailed(TransactionKey, any Error)
        /// The App Store could not be told that a transaction is finished; it is told again.
        case finishFailed(TransactionKey, any Error)
        /// The App Store will never take it that a transaction is finished; it is not told again.
        case finishRefused(TransactionKey, any Error)
        /// Descriptions of products could not be read, or there were none; the last good ones stay.
        case productsFailed((any Error)?)
    }

    /// When, in UTC.
    package let at: Instant
    /// What went wrong.
    public let problem: Problem

    /// Makes a report.
    package init(at instant: Instant, _ problem: Problem) {
        at = instant
        self.problem = problem
    }

    /// What went wrong, in words that name no customer and quote no signature.
    public var description: String {
        switch problem {
        case .unverified(let error, let productID):
            "evidence\(productID.map { " of '\($0)'" } ?? "") could not be verified: \(error)"
        case .conflict(let conflict):
            "the chain \(conflict.originalTransactionID) belongs to another customer (attempt \(conflict.attempts));"
                + " it was put aside"
        case .unclaimed(let count): "\(count) pieces of evidence name no customer and wait to be claimed"
        case .backendFailed(let error): "the backend failed and is retried: \(error)"
        case .streamEnded: "the stream of updates ended and is opened again"
        case .vaultFailed(let error): "the vault failed: \(error)"
        case .uncredited(let key):
            "transaction \(key.transactionID) adds more than its balance can hold; it is neither credited nor finished"
        case .deliveryFailed(let key, let error):
            "transaction \(key.transactionID) was not delivered and stays owed: \(error)"
        case .finishFailed(let key, let error):
            "transaction \(key.transactionID) was delivered but not finished: \(error)"
        case .finishRefused(let key, let error):
            "transaction \(key.transactionID) was delivered and counts as finished, which the App Store refuses: \(error)"
        case .productsFailed(let error?): "product descriptions could not be read, the last ones are kept: \(error)"
        case .productsFailed(nil): "no product was described, the last descriptions are kept"
        }
    }
}

/// Why a store refused a call.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    public struct Code: ErrorCode {
        /// The word.
        public let rawValue: String
        /// Makes a code of its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store runs already; one run at a time.
        public static let alreadyRunning = Code(rawValue: "alreadyRunning")
        /// A call of the backend, or of the app's handler, took longer than it may.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The backend goes on giving pages, or gives the same one again.
        public static let endlessHistory = Code(rawValue: "endlessHistory")
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong, in words.
    public let message: String

    /// Makes an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
