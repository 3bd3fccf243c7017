/// The type and subtype of a notification.
public struct NotificationKind: Hashable, Sendable, CustomStringConvertible {
    /// The type of the notification.
    public let type: NotificationType
    /// The subtype; `nil` if the type has none.
    public let subtype: NotificationSubtype?

    /// Creates a kind.
    public init(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// Whether this version of the package supports the kind.
    ///
    /// The evidence in a notification of an unsupported kind is stored as well, before the notification is
    /// acknowledged.
    public var isKnown: Bool { Self.subtypes[type]?.contains(subtype) ?? false }

    /// All kinds that this version of the package supports.
    public static var known: Set<NotificationKind> {
        Set(subtypes.flatMap { type, subtypes in subtypes.map { NotificationKind(type, $0) } })
    }

    /// The type and subtype as text, such as `DID_RENEW/BILLING_RECOVERY`.
    public var description: String { subtype.map { "\(type.rawValue)/\($0.rawValue)" } ?? type.rawValue }

    /// The possible subtypes of each type; `nil` means a notification without a subtype.
    private static let subtypes: [NotificationType: Set<NotificationSubtype?>] = [
        .subscribed: [.initialBuy, .resubscribe],
        .didRenew: [nil, .billingRecovery],
        .didChangeRenewalPref: [nil, .upgrade, .downgrade, .increaseQuantity, .decreaseQuantity],
        .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled],
        .offerRedeemed: [nil, .upgrade, .downgrade],
        .priceIncrease: [.pending, .accepted],
        .didFailToRenew: [nil, .gracePeriod],
        .gracePeriodExpired: [nil],
        .expired: [nil, .voluntary, .billingRetry, .priceIncrease, .productNotForSale],
        .refund: [nil, .seats],
        .refundDeclined: [nil],
        .refundReversed: [nil],
        .consumptionRequest: [nil],
        .revoke: [nil],
        .oneTimeCharge: [nil],
        .renewalExtended: [nil],
        .renewalExtension: [.summary, .failure],
        .test: [nil],
        .externalPurchaseToken: [.unreported, .created, .activeTokenReminder],
        .rescindConsent: [nil],
        .metadataUpdate: [nil],
        .migration: [nil],
        .priceChange: [nil],
        .unclaimSeats: [nil],
    ]
}
