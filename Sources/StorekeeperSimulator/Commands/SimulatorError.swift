public import Storekeeper

/// The error of a command that a simulated App Store cannot carry out.
///
/// A command that throws this error has changed nothing.
public typealias SimulatorError = CodedError<SimulatorErrorCode>

/// A machine-readable code of the error.
///
/// - SeeAlso: Apple, "StoreKit Test: SKTestError.Code", whose names are used where they exist.
public enum SimulatorErrorCode: String, Sendable, CaseIterable {
    /// The file does not exist.
    ///
    /// Remedy: Check the path.
    case fileNotFound
    /// The action is not possible in the current state.
    ///
    /// Remedy: Check the state of the purchase first, as the message says.
    case invalidAction
    /// No product of the app has the id.
    ///
    /// Remedy: Check the spelling, or add the product to the catalog.
    case invalidProductIdentifier
    /// Products of this type do not support the action.
    ///
    /// Remedy: Use a product of another type.
    case invalidProductType
    /// The URL does not refer to a configuration file.
    ///
    /// Remedy: Give the path of a `.storekit` file.
    case invalidURL
    /// The customer has no matching subscription.
    ///
    /// Remedy: Buy the subscription first.
    case noSubscriptionFound
    /// The transaction does not exist.
    ///
    /// Remedy: Check the id of the transaction.
    case noTransactionFound
    /// The account does not exist.
    ///
    /// Remedy: Add the customer to `people`.
    case noAccountFound
    /// The app does not exist.
    ///
    /// Remedy: Add the app to `apps`.
    case noAppFound
    /// A value is out of range.
    ///
    /// Remedy: Use a value in the range that the message names.
    case invalidValue
    /// The requested time is before the store's time.
    ///
    /// Remedy: Advance to a later time.
    case timeRunsForward
    /// One command would cause too many events.
    ///
    /// Remedy: Advance in smaller steps.
    case tooManyEvents
}
