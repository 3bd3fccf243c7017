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

    /// The requests per second that the App Store allows each app in production; the sandbox allows a tenth.
    public var productionRate: Int64 {
        switch self {
        case .finish, .appTransactionInfo, .transactionInfo, .history, .historyV1, .statuses, .consumption,
            .consumptionV1, .notificationHistory:
            50
        case .extend, .setAppAccountToken: 20
        case .orderLookup, .refundHistory: 10
        // The App Store publishes no rates for these; they are treated like calls that few apps make often.
        case .uploadImage, .deleteImage, .images, .uploadMessage, .deleteMessage, .messages, .configureDefaultMessage,
            .deleteDefaultMessage, .defaultMessage, .configureRealtimeURL, .deleteRealtimeURL, .realtimeURL,
            .cancelSubscription, .revokeSubscription, .changeMetadata, .changePrice, .migrateSubscription,
            .requestRefund, .seatInfo, .claimSeat, .unclaimSeat, .associateSeat, .customerGroups, .groupMembers:
            10
        // The App Store publishes no rate for the status of a mass extension; it is treated like the extension, and so
        // is a performance test.
        case .massExtend, .massExtendStatus, .requestTestNotification, .testNotificationStatus,
            .initiatePerformanceTest, .performanceTestResult:
            1
        }
    }

    /// Whether a request may be retried after its response was lost, because performing it twice equals performing it
    /// once.
    public var isIdempotent: Bool {
        switch self {
        // A second extension would add more days; a second test would send another notification.
        case .extend, .massExtend, .requestTestNotification: false
        // A second upload or removal is refused, as if the first had not been carried out.
        case .uploadImage, .deleteImage, .uploadMessage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL,
            .initiatePerformanceTest, .unclaimSeat:
            false
        // It is not published whether the App Store recognises a repeated request.
        case .cancelSubscription, .revokeSubscription, .changeMetadata, .changePrice, .migrateSubscription,
            .requestRefund:
            false
        default: true
        }
    }

    /// Whether the request names something that exists in one environment only, so that the other may be asked if the
    /// first does not know it.
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
