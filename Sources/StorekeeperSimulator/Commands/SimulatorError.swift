/// Why a simulated App Store could not carry out a command.
///
/// Nothing has changed when it is thrown.
public struct SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs to switch on.
    ///
    /// - SeeAlso: Apple, "StoreKit Test: SKTestError.Code", whose words they are where it has one.
    public enum Code: String, Sendable, CaseIterable {
        /// There is no such file.
        case fileNotFound
        /// This cannot be done as things stand.
        case invalidAction
        /// No product of the app has the id.
        case invalidProductIdentifier
        /// Products of this type cannot do that.
        case invalidProductType
        /// The location is no file of a configuration.
        case invalidURL
        /// The customer has no such subscription.
        case noSubscriptionFound
        /// There is no such transaction.
        case noTransactionFound
        /// There is no such account.
        case noAccountFound
        /// There is no such app.
        case noAppFound
        /// A value is out of its bounds.
        case invalidValue
        /// Time does not run backwards.
        case timeRunsForward
        /// More would happen than one command may cause.
        case tooManyEvents
    }

    /// What went wrong.
    public let code: Code
    /// What went wrong and what to do, in words.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
