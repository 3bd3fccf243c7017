/// The app's handlers for notifications that are more than evidence.
///
/// A handler is called after the content of the notification is durable, and before the App Store is acknowledged: if
/// the handler throws, or takes too long, the App Store redelivers the notification. It is called once for each
/// notification, unless the process ends, or the vault fails, before that is recorded; so a handler should use the
/// notification's UUID to recognize completed work. It should only queue work: the App Store waits for a few seconds.
public struct NotificationHandlers: Sendable {
    /// Receives consumption requests; the answer is due within 12 hours, and only with the customer's consent.
    public var consumptionRequest: (@Sendable (ConsumptionQuestion) async throws -> Void)?
    /// Receives tokens for purchases outside of the App Store.
    public var externalPurchaseToken: (@Sendable (ExternalPurchaseToken, ReceivedNotification) async throws -> Void)?
    /// Called when a guardian withdrew the consent to the app.
    public var consentRescinded: (@Sendable (ReceivedNotification) async throws -> Void)?
    /// Receives the result of an extension of a product's subscriptions.
    public var extensionSummary: (@Sendable (RenewalExtensionSummary, ReceivedNotification) async throws -> Void)?
    /// Receives notifications of kinds that this version does not know.
    public var unknown: (@Sendable (ReceivedNotification) async throws -> Void)?

    /// Makes handlers; by default each does nothing.
    public init(
        consumptionRequest: (@Sendable (ConsumptionQuestion) async throws -> Void)? = nil,
        externalPurchaseToken: (@Sendable (ExternalPurchaseToken, ReceivedNotification) async throws -> Void)? = nil,
        consentRescinded: (@Sendable (ReceivedNotification) async throws -> Void)? = nil,
        extensionSummary: (@Sendable (RenewalExtensionSummary, ReceivedNotification) async throws -> Void)? = nil,
        unknown: (@Sendable (ReceivedNotification) async throws -> Void)? = nil
    ) {
        self.consumptionRequest = consumptionRequest
        self.externalPurchaseToken = externalPurchaseToken
        self.consentRescinded = consentRescinded
        self.extensionSummary = extensionSummary
        self.unknown = unknown
    }

    /// Returns the handler's work for a notification; `nil` if there is none.
    ///
    /// - Parameter request: Makes the consumption request from a notification.
    func work(
        for notification: ReceivedNotification,
        request: @escaping @Sendable (NotifiedPurchase) async throws -> ConsumptionQuestion?
    ) -> (@Sendable () async throws -> Void)? {
        switch (notification.kind.type, notification.content) {
        case (.consumptionRequest, .purchase(let purchase)):
            guard let consumptionRequest else { return nil }
            return {
                guard let request = try await request(purchase) else { return }
                try await consumptionRequest(request)
            }
        case (_, .externalPurchaseToken(let token)):
            guard let externalPurchaseToken else { return nil }
            return { try await externalPurchaseToken(token, notification) }
        case (.rescindConsent, _):
            guard let consentRescinded else { return nil }
            return { try await consentRescinded(notification) }
        case (_, .extensionSummary(let summary)):
            guard let extensionSummary else { return nil }
            return { try await extensionSummary(summary, notification) }
        default:
            guard !notification.kind.isKnown, let unknown else { return nil }
            return { try await unknown(notification) }
        }
    }
}
