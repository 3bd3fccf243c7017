public import Storekeeper

/// What became of a posted notification, and what to answer.
public struct NotificationReply: Sendable {
    /// What became of a notification.
    public enum Outcome: Sendable {
        /// It is written, and whoever handles its kind has done so.
        case accepted(ReceivedNotification, IntakeReport)
        /// It was done with before; what it carries was written again as far as it was new.
        case repeated(ReceivedNotification, IntakeReport)
        /// It is not believed; nothing of it counts.
        case refused(NotificationRefusal)
        /// It is believed and could not be taken in; it should be sent again.
        case failed(NotificationFailure)
    }

    /// What became of it.
    public let outcome: Outcome

    init(_ outcome: Outcome) { self.outcome = outcome }

    /// The HTTP status to answer with.
    ///
    /// 200 only for what is durable. 413 and 400 for what will never be believed; 503 for what should come again.
    ///
    /// - SeeAlso: Apple, "Responding to App Store Server Notifications".
    public var status: Int {
        switch outcome {
        case .accepted, .repeated: 200
        case .refused(let refusal): refusal.code == .tooLarge ? 413 : 400
        case .failed: 503
        }
    }

    /// The notification, where it was believed and taken in.
    public var notification: ReceivedNotification? {
        switch outcome {
        case .accepted(let notification, _), .repeated(let notification, _): notification
        case .refused, .failed: nil
        }
    }
}
