/// Something that goes wrong between an App Store and the clients that ask it, or the server that it tells.
///
/// Only a local App Store that is served over HTTP has faults: they change what arrives, never what has happened.
public struct SimulatedFault: Hashable, Sendable {
    /// Where it goes wrong.
    public enum Place: String, Hashable, Sendable, CaseIterable {
        /// Every request of the App Store Server API.
        case any
        /// Get Transaction Info.
        case transaction
        /// Get Transaction History.
        case history
        /// Get All Subscription Statuses.
        case statuses
        /// Get Refund History.
        case refunds
        /// Look Up Order ID.
        case order
        /// Send Consumption Information.
        case consumption
        /// Extend a Subscription Renewal Date.
        case `extension`
        /// Extend Subscription Renewal Dates for All Active Subscribers.
        case massExtension = "mass extension"
        /// Get Status of Subscription Renewal Date Extensions.
        case massExtensionStatus = "mass extension status"
        /// Request a Test Notification.
        case test
        /// Get Test Notification Status.
        case testStatus = "test status"
        /// Get Notification History.
        case notificationHistory = "notification history"
        /// Set App Account Token.
        case accountToken = "account token"
        /// Get App Transaction Info.
        case appTransaction = "app transaction"
        /// Finish a transaction.
        case finish
        /// What is sent to the app's server.
        case notifications
    }

    /// How it goes wrong.
    public enum Manner: Hashable, Sendable {
        /// A request is not carried out, and answered with a status of HTTP; 404 and 500 as those that may be retried.
        case status(Int)
        /// A request is not carried out, and answered with one of Apple's error codes.
        case code(Int64)
        /// A request is carried out, and half of the answer's body comes, as if it were all.
        case halfBody
        /// A request is carried out, and the connection ends in the middle of the answer's body.
        case cutBody
        /// A request is carried out, and the second half of the answer's body comes after some milliseconds.
        case slowBody(Int64)
        /// The status of a mass extension is that it is not complete.
        case incomplete
        /// A notification never arrives, and nobody knows.
        case dropped
        /// A notification arrives twice.
        case duplicated
        /// A notification is sent for the first time after some milliseconds.
        case delayed(Int64)
        /// Notifications are held back, and arrive in another order once there are as many as the fault has times, or two.
        case reordered
        /// A notification has something wrong with it.
        case flawed(NotificationFlaw)
    }

    /// Where.
    public var place: Place
    /// How.
    public var manner: Manner
    /// How many times; `nil`: until all faults are ended.
    public var times: Int?

    /// Makes a fault.
    public init(_ place: Place, _ manner: Manner, times: Int? = nil) {
        self.place = place
        self.manner = manner
        self.times = times
    }
}

/// What is wrong with a notification that must not be trusted.
public enum NotificationFlaw: String, Hashable, Sendable, CaseIterable {
    /// Its signature belongs to another text.
    case signature
    /// It names another app.
    case bundle
    /// It names another environment.
    case environment
}
