/// The app's handlers for notifications about which the app itself must do something, such as consumption requests.
///
/// A handler is called after the content of the notification is durable, and before the notification is acknowledged to
/// the App Store. If the handler throws, or takes too long, the App Store redelivers the notification, and the handler
/// is called again. The handler is also called again if the process ends or the vault fails before the success of the
/// handler is recorded. A handler should therefore use the notification's UUID to recognize a notification that it has
/// already handled. A handler should queue long work and return, because the App Store waits only a few seconds for the
/// acknowledgment.
public struct NotificationHandlers: Sendable {
    /// Receives consumption requests.
    ///
    /// The consumption information is due within 12 hours, in the sandbox within 5 minutes. The app may send the
    /// information only with the customer's consent.
    public var consumptionRequest: (@Sendable (ConsumptionQuestion) async throws -> Void)?
    /// Receives tokens for purchases outside of the App Store.
    public var externalPurchaseToken: (@Sendable (ExternalPurchaseToken, ReceivedNotification) async throws -> Void)?
    /// Receives the notification that a guardian has withdrawn the consent to a child's use of the app.
    public var consentRescinded: (@Sendable (ReceivedNotification) async throws -> Void)?
    /// Receives the result of a request to extend all subscriptions to a product.
    public var extensionSummary: (@Sendable (RenewalExtensionSummary, ReceivedNotification) async throws -> Void)?
    /// Receives notifications of kinds that this version of the package does not support.
    public var unknown: (@Sendable (ReceivedNotification) async throws -> Void)?

    /// Creates a set of handlers; a handler that is `nil` is not called.
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

    /// Returns a closure that calls the handler for a notification; `nil` if the app has no handler for the
    /// notification.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - request: Returns the consumption request about a purchase; `nil` if the notification contains none.
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
