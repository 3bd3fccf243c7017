public import Storekeeper

/// The outcome of a posted notification, and the status to respond with.
public struct NotificationReply: Sendable {
    /// The outcome of a notification.
    public enum Outcome: Sendable {
        /// It was stored, and the handler of its kind has succeeded.
        case accepted(ReceivedNotification, IngestReport)
        /// It was completed before; any new evidence in it was stored.
        case repeated(ReceivedNotification, IngestReport)
        /// It is not trusted and has no effect.
        case refused(NotificationRefusal)
        /// It is trusted but could not be stored; it should be redelivered.
        case failed(NotificationFailure)
    }

    /// The outcome.
    public let outcome: Outcome

    init(_ outcome: Outcome) { self.outcome = outcome }

    /// The HTTP status to respond with.
    ///
    /// 200 only if the notification is durable; 413 and 400 if it will never be trusted; 503 if it should be
    /// redelivered.
    ///
    /// - SeeAlso: Apple, "Responding to App Store Server Notifications".
    public var status: Int {
        switch outcome {
        case .accepted, .repeated: 200
        case .refused(let refusal): refusal.code == .tooLarge ? 413 : 400
        case .failed: 503
        }
    }

    /// The notification, if it was trusted and stored.
    public var notification: ReceivedNotification? {
        switch outcome {
        case .accepted(let notification, _), .repeated(let notification, _): notification
        case .refused, .failed: nil
        }
    }
}
