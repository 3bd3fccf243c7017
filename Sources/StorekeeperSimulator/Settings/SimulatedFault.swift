/// A fault in the communication of an App Store with its clients, or with the server that receives its notifications.
///
/// Faults affect only a local App Store that is served over HTTP. They change responses and notifications, but never
/// the state of the store.
public struct SimulatedFault: Hashable, Sendable {
    /// The requests or notifications that a fault affects.
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
        /// Retention messaging, with images, messages, default messages, and the URL for real-time messages.
        case messaging
        /// Advanced Commerce requests, which change purchases of generic products.
        case advancedCommerce = "advanced commerce"
        /// Groups and seats of multi-seat purchases.
        case seats
        /// Notifications to the app's server.
        case notifications
    }

    /// The effect of a fault.
    public enum Effect: Hashable, Sendable {
        /// A request is not performed, and is answered with an HTTP status.
        ///
        /// The statuses 404 and 500 include Apple's error codes that allow a retry.
        case status(Int)
        /// A request is not performed, and is answered with one of Apple's error codes.
        case code(Int64)
        /// A request is performed, and half of the response's body is sent as if it were complete.
        case halfBody
        /// A request is performed, and the connection ends in the middle of the response's body.
        case cutBody
        /// A request is performed, and the second half of the response's body is delayed by some milliseconds.
        case slowBody(Int64)
        /// The status of a mass extension is reported as incomplete.
        case incomplete
        /// A notification is lost, and the sender sees no error.
        case dropped
        /// A notification arrives twice.
        case duplicated
        /// A notification is delayed by some milliseconds.
        case delayed(Int64)
        /// Notifications are held back until `times` of them are waiting, or two if `times` is `nil`.
        ///
        /// The notifications that were held back arrive in another order.
        case reordered
        /// A notification has a flaw.
        case flawed(NotificationFlaw)
    }

    /// The requests or notifications that the fault affects.
    public var place: Place
    /// The effect.
    public var effect: Effect
    /// The number of times that the fault occurs; `nil` if it occurs until a command ends all faults.
    public var times: Int?

    /// Creates a fault.
    public init(_ place: Place, _ effect: Effect, times: Int? = nil) {
        self.place = place
        self.effect = effect
        self.times = times
    }
}

/// A flaw that makes a notification invalid.
public enum NotificationFlaw: String, Hashable, Sendable, CaseIterable {
    /// The signature of the notification is wrong.
    case signature
    /// The notification names another app.
    case bundle
    /// The notification names another environment.
    case environment
}
