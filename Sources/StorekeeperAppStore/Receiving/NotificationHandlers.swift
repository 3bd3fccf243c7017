/// What an app does about notifications that are more than evidence.
///
/// A handler is called after what the notification carries is durable, and before the App Store is told so: where it
/// throws, or takes too long, the App Store sends the notification again. It is called once for each notification, unless
/// the process ends, or the vault fails, before that is written down; so a handler should tell by the notification's UUID
/// what it has done already. It should only note what is to be done: the App Store waits for a few seconds.
public struct NotificationHandlers: Sendable {
    /// Is handed consumption requests; the answer is due within 12 hours, and only with the customer's consent.
    public var consumptionRequest: (@Sendable (ConsumptionQuestion) async throws -> Void)?
    /// Is handed tokens for purchases outside of the App Store.
    public var externalPurchaseToken: (@Sendable (ExternalPurchaseToken, ReceivedNotification) async throws -> Void)?
    /// Is told that a guardian withdrew the consent to the app.
    public var consentRescinded: (@Sendable (ReceivedNotification) async throws -> Void)?
    /// Is told how the extension of a product's subscriptions went.
    public var extensionSummary: (@Sendable (RenewalExtensionSummary, ReceivedNotification) async throws -> Void)?
    /// Is handed kinds that this version does not know, to keep them.
    public var unknown: (@Sendable (ReceivedNotification) async throws -> Void)?

    /// Makes handlers; by default nothing is done about anything.
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

    /// What is to be done about a notification; `nil` where nothing is.
    ///
    /// - Parameter request: Makes the consumption request that a notification is.
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
