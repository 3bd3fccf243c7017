/// The calls of the App Store Server API that this package makes.
///
/// - SeeAlso: Apple, "App Store Server API", and "Identifying rate limits".
public enum AppStoreServerEndpoint: String, Hashable, Sendable, CaseIterable {
    case transactionInfo
    case history
    /// Deprecated by ``history``.
    case historyV1
    case statuses
    case refundHistory
    case orderLookup
    case consumption
    /// Deprecated by ``consumption``.
    case consumptionV1
    case extend
    case massExtend
    case massExtendStatus
    case requestTestNotification
    case testNotificationStatus
    case notificationHistory
    case setAppAccountToken
    case appTransactionInfo
    case finish

    /// How many requests a second the App Store answers in production for each app; the sandbox answers a tenth.
    public var productionRate: Int64 {
        switch self {
        case .finish, .appTransactionInfo, .transactionInfo, .history, .historyV1, .statuses, .consumption,
            .consumptionV1, .notificationHistory:
            50
        case .extend, .setAppAccountToken: 20
        case .orderLookup, .refundHistory: 10
        // The App Store publishes no rate for the status of a mass extension; it is treated like the extension.
        case .massExtend, .massExtendStatus, .requestTestNotification, .testNotificationStatus: 1
        }
    }

    /// Whether doing it twice is the same as doing it once, so that a request whose answer was lost may be made again.
    public var isIdempotent: Bool {
        switch self {
        // A second extension would add more days; a second test would send another notification.
        case .extend, .massExtend, .requestTestNotification: false
        default: true
        }
    }

    /// Whether the request names something that is known in one environment only, so that another may be asked when the
    /// first knows nothing of it.
    ///
    /// An order is looked up in production only.
    var isBoundToEnvironment: Bool {
        switch self {
        case .transactionInfo, .history, .historyV1, .statuses, .refundHistory, .appTransactionInfo, .finish,
            .consumption, .consumptionV1:
            true
        default: false
        }
    }
}
