/// The calls of the App Store Server API that this package makes.
///
/// - SeeAlso: Apple, "App Store Server API", and "Identifying rate limits".
public enum AppStoreServerEndpoint: String, Hashable, Sendable, CaseIterable {
    case transactionInfo
    case history
    /// The deprecated version of ``history``.
    case historyV1
    case statuses
    case refundHistory
    case orderLookup
    case consumption
    /// The deprecated version of ``consumption``.
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
    case uploadImage
    case deleteImage
    case images
    case uploadMessage
    case deleteMessage
    case messages
    case configureDefaultMessage
    case deleteDefaultMessage
    case defaultMessage
    case configureRealtimeURL
    case deleteRealtimeURL
    case realtimeURL
    case initiatePerformanceTest
    case performanceTestResult
    case cancelSubscription
    case revokeSubscription
    case changeMetadata
    case changePrice
    case migrateSubscription
    case requestRefund
    case seatInfo
    case claimSeat
    case unclaimSeat
    case associateSeat
    case customerGroups
    case groupMembers

    /// The number of requests per second that the App Store permits each app in production.
    ///
    /// The sandbox permits a tenth of this number.
    public var productionRate: Int64 {
        switch self {
        case .finish, .appTransactionInfo, .transactionInfo, .history, .historyV1, .statuses, .consumption,
            .consumptionV1, .notificationHistory:
            50
        case .extend, .setAppAccountToken: 20
        case .orderLookup, .refundHistory: 10
        // The App Store publishes no rate limits for these calls, so the limiter uses the limit of other infrequent
        // calls.
        case .uploadImage, .deleteImage, .images, .uploadMessage, .deleteMessage, .messages, .configureDefaultMessage,
            .deleteDefaultMessage, .defaultMessage, .configureRealtimeURL, .deleteRealtimeURL, .realtimeURL,
            .cancelSubscription, .revokeSubscription, .changeMetadata, .changePrice, .migrateSubscription,
            .requestRefund, .seatInfo, .claimSeat, .unclaimSeat, .associateSeat, .customerGroups, .groupMembers:
            10
        // The App Store publishes no rate limits for the status of a mass extension and for performance tests, so the
        // limiter uses the limit of a mass extension.
        case .massExtend, .massExtendStatus, .requestTestNotification, .testNotificationStatus,
            .initiatePerformanceTest, .performanceTestResult:
            1
        }
    }

    /// Whether a request may be retried after its response was lost.
    ///
    /// The value is `true` if performing the request twice has the same effect and response as performing it once.
    public var isIdempotent: Bool {
        switch self {
        // A second extension would add more days, and a second test would send another notification.
        case .extend, .massExtend, .requestTestNotification: false
        // If the first upload or removal has succeeded, a repeated request is refused, and its error would be
        // misleading.
        case .uploadImage, .deleteImage, .uploadMessage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL,
            .initiatePerformanceTest, .unclaimSeat:
            false
        // If the first request has succeeded, a repeated request is refused because of its reference id, and its error
        // would be misleading.
        case .cancelSubscription, .revokeSubscription, .changeMetadata, .changePrice, .migrateSubscription,
            .requestRefund:
            false
        default: true
        }
    }

    /// Whether the request names a transaction, which exists in one environment only.
    ///
    /// If the first server does not have the transaction, the second server may be asked. The value is `false` for the
    /// lookup of an order, which is possible in production only.
    var isBoundToEnvironment: Bool {
        switch self {
        case .transactionInfo, .history, .historyV1, .statuses, .refundHistory, .appTransactionInfo, .finish,
            .consumption, .consumptionV1:
            true
        default: false
        }
    }
}
