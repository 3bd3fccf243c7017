import FoundationEssentials
import Storekeeper

extension StoreEvent.Notification {
    /// The time that the App Store waits for consumption information.
    private static let consumptionTime: (production: Int64, sandbox: Int64) = (12 * 3_600_000, 5 * 60_000)

    /// Creates the event about a notification; `nil` if the app's server need not do anything about it, apart from
    /// what follows from the changes of answers.
    init?(_ received: ReceivedNotification) {
        guard let kind = Self.kind(of: received.kind) else { return nil }
        var (transaction, due, details): (Transaction?, Instant?, String?)
        switch received.content {
        case .purchase(let purchase):
            transaction = purchase.transaction
            if kind == .consumptionRequest {
                let time = Self.consumptionTime
                due = received.signedAt.adding(
                    milliseconds: received.environment == .production ? time.production : time.sandbox)
                details = purchase.consumptionRequestReason
            }
        case .unclaimedSeats(let claims):
            details = claims.map { $0.uuidString.lowercased() }.joined(separator: " ")
        case .app(let app): details = app?.appTransactionID
        case .extensionSummary, .externalPurchaseToken, .nothing: break
        }
        self.init(
            kind, name: received.kind.description, uuid: received.uuid, productID: transaction?.productID,
            transactionID: transaction?.id, due: due, details: details)
    }

    private static func kind(of notification: NotificationKind) -> Kind? {
        switch (notification.type, notification.subtype) {
        case (.consumptionRequest, _): .consumptionRequest
        case (.refundDeclined, _): .refundDeclined
        case (.priceIncrease, _): .priceIncrease
        case (.didChangeRenewalPref, .increaseQuantity?), (.didChangeRenewalPref, .decreaseQuantity?),
            (.refund, .seats?):
            .seatsChanged
        case (.unclaimSeats, _): .seatsUnclaimed
        case (.rescindConsent, _): .consentRescinded
        default: nil
        }
    }
}
