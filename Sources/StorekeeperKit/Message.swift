import Storekeeper

/// A message of the App Store to the customer.
///
/// The App Store does not send its messages to servers. The messages are derived from the statuses of subscriptions.
///
/// - SeeAlso: Apple, "StoreKit: Message".
public struct Message: Hashable, Sendable {
    /// The reason for the message.
    public let reason: Reason
    /// The original transaction id of the subscription that the message is about.
    private let originalTransactionID: String

    /// The reason for a message.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// StoreKit's number for the reason.
        public let rawValue: Int
        /// Creates a reason from any number, including a number without a constant.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Any reason without a constant of its own.
        public static let generic = Reason(rawValue: 0)
        /// The customer is asked to agree to a higher price.
        public static let priceIncreaseConsent = Reason(rawValue: 1)
        /// A renewal could not be paid.
        public static let billingIssue = Reason(rawValue: 2)
        /// The customer may subscribe again at a lower price.
        public static let winBackOffer = Reason(rawValue: 3)

        /// The reason in English.
        public var localizedDescription: String {
            switch self {
            case .priceIncreaseConsent: "Price Increase Consent"
            case .billingIssue: "Billing Issue"
            case .winBackOffer: "Win-Back Offer"
            default: "Generic"
            }
        }
    }

    /// A sequence of messages.
    public typealias Messages = StoreSequence<Message>

    /// An endless sequence of the messages that are due now, followed by each new message.
    public static var messages: Messages {
        .updates(
            of: StoreKit.binding,
            initial: { binding, cursor in
                binding.statuses.flatMap(\.statuses).flatMap { Message.new(about: $0, &cursor.sent) }
            },
            elements: { update, binding, cursor in
                guard let original = update.originalTransactionID, let status = binding.status(of: original) else {
                    return []
                }
                return Message.new(about: status, &cursor.sent)
            })
    }

    /// Returns the messages about a status that were not already returned for the previous status of the subscription.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - sent: The reasons that apply to the last status of each subscription, by original transaction id.
    private static func new(
        about status: Storekeeper.SubscriptionStatus, _ sent: inout [String: String]
    ) -> [Message] {
        let original = status.transaction.originalID.rawValue
        let reasons = reasons(of: status)
        let known = sent.updateValue(reasons.map { "\($0.rawValue)" }.joined(separator: " "), forKey: original)
        let old = Set((known ?? "").split(separator: " ").compactMap { Int($0) })
        return reasons.filter { !old.contains($0.rawValue) }.map {
            Message(reason: $0, originalTransactionID: original)
        }
    }

    private static func reasons(of status: Storekeeper.SubscriptionStatus) -> [Reason] {
        var reasons: [Reason] = []
        switch status.state {
        case .subscribed where status.renewalInfo?.priceIncreaseStatus == .pending:
            reasons.append(.priceIncreaseConsent)
        case .inGracePeriod, .inBillingRetryPeriod: reasons.append(.billingIssue)
        case .expired where status.renewalInfo?.eligibleWinBackOfferIDs.isEmpty == false:
            reasons.append(.winBackOffer)
        default: break
        }
        return reasons
    }
}

/// An action that shows a message.
///
/// On Apple's platforms, SwiftUI provides the action; with this package, the app creates it.
public struct DisplayMessageAction: Sendable {
    private let show: @Sendable (Message) throws -> Void

    /// Creates an action.
    public init(_ show: @escaping @Sendable (Message) throws -> Void) { self.show = show }

    /// Shows a message.
    ///
    /// - Throws: The error of the action.
    public func callAsFunction(_ message: Message) throws { try show(message) }
}
