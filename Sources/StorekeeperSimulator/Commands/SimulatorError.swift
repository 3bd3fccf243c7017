/// The error of a command that a simulated App Store cannot carry out.
///
/// A command that throws this error has changed nothing.
public struct SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable code of the error.
    ///
    /// - SeeAlso: Apple, "StoreKit Test: SKTestError.Code", whose names are used where they exist.
    public enum Code: String, Sendable, CaseIterable {
        /// The file does not exist.
        case fileNotFound
        /// The action is not possible in the current state.
        case invalidAction
        /// No product of the app has the id.
        case invalidProductIdentifier
        /// Products of this type do not support the action.
        case invalidProductType
        /// The URL does not refer to a configuration file.
        case invalidURL
        /// The customer has no matching subscription.
        case noSubscriptionFound
        /// The transaction does not exist.
        case noTransactionFound
        /// The account does not exist.
        case noAccountFound
        /// The app does not exist.
        case noAppFound
        /// A value is out of range.
        case invalidValue
        /// The requested time is before the store's time.
        case timeRunsForward
        /// One command would cause too many events.
        case tooManyEvents
    }

    /// The code of the error.
    public let code: Code
    /// A description of the error, and of a way to avoid it.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
