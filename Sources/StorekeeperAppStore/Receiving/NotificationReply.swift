public import Storekeeper

/// The outcome of a posted notification, and the status to respond with.
public struct NotificationReply: Sendable {
    /// The outcome of a notification.
    public enum Outcome: Sendable {
        /// The notification was stored, and the app's handler for it, if any, has succeeded.
        case accepted(ReceivedNotification, IngestReport)
        /// The notification had been processed completely before; new evidence in it, if any, was stored.
        case repeated(ReceivedNotification, IngestReport)
        /// The notification is not trusted and has no effect.
        case refused(NotificationRefusal)
        /// The notification could not be processed now and should be redelivered.
        case failed(NotificationFailure)
    }

    /// The outcome.
    public let outcome: Outcome

    init(_ outcome: Outcome) { self.outcome = outcome }

    /// The HTTP status to respond with.
    ///
    /// The status is 200 only if the notification is durable. It is 413 if the body is too large, 400 if the
    /// notification is refused for another reason, and 503 if the notification should be redelivered.
    ///
    /// - SeeAlso: Apple, "Responding to App Store Server Notifications".
    public var status: Int {
        switch outcome {
        case .accepted, .repeated: 200
        case .refused(let refusal): refusal.code == .tooLarge ? 413 : 400
        case .failed: 503
        }
    }

    /// The notification, if it was verified and stored.
    public var notification: ReceivedNotification? {
        switch outcome {
        case .accepted(let notification, _), .repeated(let notification, _): notification
        case .refused, .failed: nil
        }
    }
}
