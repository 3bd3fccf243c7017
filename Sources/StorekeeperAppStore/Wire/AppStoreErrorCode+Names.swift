extension AppStoreErrorCode {
    /// The request is invalid for a reason without a more specific code.
    public static let generalBadRequest = Self(rawValue: 4_000_000)
    /// The app's Apple ID is not valid.
    public static let invalidAppIdentifier = Self(rawValue: 4_000_002)
    /// The number of results of a page is out of range.
    public static let invalidRequestLimit = Self(rawValue: 4_000_004)
    /// The revision is wrong, or the other parameters differ from the parameters of the previous page.
    public static let invalidRequestRevision = Self(rawValue: 4_000_005)
    /// The transaction id is not valid.
    public static let invalidTransactionID = Self(rawValue: 4_000_006)
    /// The original transaction id is not valid.
    public static let invalidOriginalTransactionID = Self(rawValue: 4_000_008)
    /// The number of days is out of range.
    public static let invalidExtendByDays = Self(rawValue: 4_000_009)
    /// The reason for an extension is unknown.
    public static let invalidExtendReasonCode = Self(rawValue: 4_000_010)
    /// The request identifier is empty or too long.
    public static let invalidRequestIdentifier = Self(rawValue: 4_000_011)
    /// The start date is before the start of the App Store's history of notifications.
    public static let startDateTooFarInPast = Self(rawValue: 4_000_012)
    /// The start date is not before the end date.
    public static let startDateAfterEndDate = Self(rawValue: 4_000_013)
    /// The pagination token is wrong.
    public static let invalidPaginationToken = Self(rawValue: 4_000_014)
    /// The start date is wrong.
    public static let invalidStartDate = Self(rawValue: 4_000_015)
    /// The end date is wrong.
    public static let invalidEndDate = Self(rawValue: 4_000_016)
    /// The pagination token is too old.
    public static let paginationTokenExpired = Self(rawValue: 4_000_017)
    /// The notification type or subtype is unknown.
    public static let invalidNotificationType = Self(rawValue: 4_000_018)
    /// The request filters by both a notification type and a transaction id.
    public static let multipleFiltersSupplied = Self(rawValue: 4_000_019)
    /// The token of the test notification is wrong.
    public static let invalidTestNotificationToken = Self(rawValue: 4_000_020)
    /// The sort order is neither `ASCENDING` nor `DESCENDING`.
    public static let invalidSort = Self(rawValue: 4_000_021)
    /// The product type is unknown.
    public static let invalidProductType = Self(rawValue: 4_000_022)
    /// The product id is wrong.
    public static let invalidProductID = Self(rawValue: 4_000_023)
    /// The subscription group is wrong.
    public static let invalidSubscriptionGroupIdentifier = Self(rawValue: 4_000_024)
    /// The deprecated filter for revoked transactions is not a boolean.
    public static let invalidExcludeRevoked = Self(rawValue: 4_000_025)
    /// The ownership type is unknown.
    public static let invalidInAppOwnershipType = Self(rawValue: 4_000_026)
    /// The list of storefronts is empty.
    public static let invalidEmptyStorefrontCountryCodeList = Self(rawValue: 4_000_027)
    /// A storefront is unknown.
    public static let invalidStorefrontCountryCode = Self(rawValue: 4_000_028)
    /// The filter for revoked transactions is not a boolean.
    public static let invalidRevoked = Self(rawValue: 4_000_030)
    /// The subscription status is not a number from 1 to 5.
    public static let invalidStatus = Self(rawValue: 4_000_031)
    /// The age of the account is out of range.
    public static let invalidAccountTenure = Self(rawValue: 4_000_032)
    /// The account token is not a UUID.
    public static let invalidAppAccountToken = Self(rawValue: 4_000_033)
    /// The consumption status is out of range.
    public static let invalidConsumptionStatus = Self(rawValue: 4_000_034)
    /// The customer's consent is missing.
    public static let invalidCustomerConsented = Self(rawValue: 4_000_035)
    /// The delivery status is unknown.
    public static let invalidDeliveryStatus = Self(rawValue: 4_000_036)
    /// The amount that the customer has spent is out of range.
    public static let invalidLifetimeDollarsPurchased = Self(rawValue: 4_000_037)
    /// The amount that the customer was refunded is out of range.
    public static let invalidLifetimeDollarsRefunded = Self(rawValue: 4_000_038)
    /// The platform is out of range.
    public static let invalidPlatform = Self(rawValue: 4_000_039)
    /// The play time is out of range.
    public static let invalidPlayTime = Self(rawValue: 4_000_040)
    /// The request does not specify whether a sample was provided.
    public static let invalidSampleContentProvided = Self(rawValue: 4_000_041)
    /// The account's status is out of range.
    public static let invalidUserStatus = Self(rawValue: 4_000_042)
    /// The transaction is not a purchase of a consumable; deprecated.
    public static let invalidTransactionNotConsumable = Self(rawValue: 4_000_043)
    /// The refund preference is unknown.
    public static let invalidRefundPreference = Self(rawValue: 4_000_044)
    /// The request does not support products of this type.
    public static let invalidTransactionTypeNotSupported = Self(rawValue: 4_000_047)
    /// The request does not support app transaction ids.
    public static let appTransactionIDNotSupported = Self(rawValue: 4_000_048)
    /// The image is not a PNG file, or is refused for another reason.
    public static let invalidImage = Self(rawValue: 4_000_161)
    /// The header of a retention message is too long.
    public static let headerTooLong = Self(rawValue: 4_000_162)
    /// The text of a retention message is too long.
    public static let bodyTooLong = Self(rawValue: 4_000_163)
    /// The locale is not valid.
    public static let invalidLocale = Self(rawValue: 4_000_164)
    /// The description of an image is too long.
    public static let altTextTooLong = Self(rawValue: 4_000_175)
    /// The account token to be set is not a UUID.
    public static let invalidAppAccountTokenUUID = Self(rawValue: 4_000_183)
    /// The transaction is shared through Family Sharing.
    public static let familyTransactionNotSupported = Self(rawValue: 4_000_185)
    /// The id is not an original transaction id.
    public static let transactionIDIsNotOriginalTransactionID = Self(rawValue: 4_000_187)
    /// A consumption percentage was specified for an auto-renewable subscription.
    public static let consumptionPercentageOfAutoRenewableSubscription = Self(rawValue: 4_000_209)
    /// The request for a performance test is not valid.
    public static let invalidPerformanceTestRequest = Self(rawValue: 4_000_211)
    /// The id of a performance test is not valid.
    public static let invalidRequestID = Self(rawValue: 4_000_212)
    /// Another performance test has not ended yet.
    public static let existingPerformanceTestRun = Self(rawValue: 4_000_213)
    /// The URL for real-time messages is not valid.
    public static let invalidRealtimeURL = Self(rawValue: 4_000_215)
    /// The size of an image is unknown, or does not permit this use of the image.
    public static let invalidImageSize = Self(rawValue: 4_000_216)
    /// A retention message has too many bullet points.
    public static let tooManyBulletPoints = Self(rawValue: 4_000_218)
    /// The text of a bullet point is too long.
    public static let bulletPointTextTooLong = Self(rawValue: 4_000_219)
    /// The message has a header above the image, but no image.
    public static let aboveImageRequiresAnImage = Self(rawValue: 4_000_224)
    /// The id of a group is not valid.
    public static let invalidGroupID = Self(rawValue: 4_000_225)
    /// The transaction was assigned by an organization.
    public static let invalidAssignedTransactionNotSupported = Self(rawValue: 4_000_227)
    /// The subscription cannot be extended.
    public static let subscriptionExtensionIneligible = Self(rawValue: 4_030_004)
    /// The subscription was already extended the maximum number of times.
    public static let subscriptionMaximumExtension = Self(rawValue: 4_030_005)
    /// A subscription that is shared through Family Sharing cannot be extended.
    public static let familySharedSubscriptionExtensionIneligible = Self(rawValue: 4_030_007)
    /// No more images can be uploaded.
    public static let maximumNumberOfImagesReached = Self(rawValue: 4_030_014)
    /// No more retention messages can be uploaded.
    public static let maximumNumberOfMessagesReached = Self(rawValue: 4_030_016)
    /// The retention message is not approved.
    public static let messageNotApproved = Self(rawValue: 4_030_017)
    /// An image of the retention message is not approved.
    public static let imageNotApproved = Self(rawValue: 4_030_018)
    /// A retention message uses the image.
    public static let imageInUse = Self(rawValue: 4_030_019)
    /// The app's server has not passed a performance test.
    public static let noPassingPerformanceTest = Self(rawValue: 4_030_026)
    /// A subscription that was assigned by an organization cannot be extended.
    public static let assignedSubscriptionExtensionIneligible = Self(rawValue: 4_030_028)
    /// The account does not exist.
    public static let accountNotFound = Self(rawValue: 4_040_001)
    /// The account does not exist yet; it may appear shortly.
    public static let accountNotFoundRetryable = Self(rawValue: 4_040_002)
    /// The app does not exist.
    public static let appNotFound = Self(rawValue: 4_040_003)
    /// The app does not exist yet; it may appear shortly.
    public static let appNotFoundRetryable = Self(rawValue: 4_040_004)
    /// No transaction has this original transaction id.
    public static let originalTransactionIDNotFound = Self(rawValue: 4_040_005)
    /// No transaction has this original transaction id yet; a retry may succeed shortly.
    public static let originalTransactionIDNotFoundRetryable = Self(rawValue: 4_040_006)
    /// No URL for notifications is set for the app.
    public static let serverNotificationURLNotFound = Self(rawValue: 4_040_007)
    /// The test notification does not exist, or it is too old.
    public static let testNotificationNotFound = Self(rawValue: 4_040_008)
    /// The request to extend subscriptions does not exist.
    public static let statusRequestNotFound = Self(rawValue: 4_040_009)
    /// The transaction does not exist in this environment.
    public static let transactionIDNotFound = Self(rawValue: 4_040_010)
    /// The image does not exist.
    public static let imageNotFound = Self(rawValue: 4_040_014)
    /// The retention message does not exist.
    public static let messageNotFound = Self(rawValue: 4_040_015)
    /// The performance test does not exist.
    public static let performanceTestRunNotFound = Self(rawValue: 4_040_018)
    /// The customer has no app transaction.
    public static let appTransactionDoesNotExist = Self(rawValue: 4_040_019)
    /// No default message is set for the product and the locale.
    public static let defaultMessageNotFound = Self(rawValue: 4_040_020)
    /// No URL for real-time messages is set.
    public static let realtimeURLNotFound = Self(rawValue: 4_040_021)
    /// The group does not exist.
    public static let groupNotFound = Self(rawValue: 4_040_022)
    /// An image with this id already exists.
    public static let imageAlreadyExists = Self(rawValue: 4_090_000)
    /// A retention message with this id already exists.
    public static let messageAlreadyExists = Self(rawValue: 4_090_001)
    /// The app has sent too many requests.
    public static let rateLimitExceeded = Self(rawValue: 4_290_000)
    /// The App Store has failed to process the request.
    public static let generalInternal = Self(rawValue: 5_000_000)
    /// The App Store has failed to process the request; the request may be retried.
    public static let generalInternalRetryable = Self(rawValue: 5_000_001)

    /// The name of the code; `nil` for a number without a constant.
    public var name: String? { Self.names[self] ?? Self.advancedCommerceNames[self] }

    /// The names of the codes, without the codes of the Advanced Commerce API.
    static let names: [AppStoreErrorCode: String] = [
        .generalBadRequest: "generalBadRequest",
        .invalidAppIdentifier: "invalidAppIdentifier",
        .invalidRequestLimit: "invalidRequestLimit",
        .invalidRequestRevision: "invalidRequestRevision",
        .invalidTransactionID: "invalidTransactionID",
        .invalidOriginalTransactionID: "invalidOriginalTransactionID",
        .invalidExtendByDays: "invalidExtendByDays",
        .invalidExtendReasonCode: "invalidExtendReasonCode",
        .invalidRequestIdentifier: "invalidRequestIdentifier",
        .startDateTooFarInPast: "startDateTooFarInPast",
        .startDateAfterEndDate: "startDateAfterEndDate",
        .invalidPaginationToken: "invalidPaginationToken",
        .invalidStartDate: "invalidStartDate",
        .invalidEndDate: "invalidEndDate",
        .paginationTokenExpired: "paginationTokenExpired",
        .invalidNotificationType: "invalidNotificationType",
        .multipleFiltersSupplied: "multipleFiltersSupplied",
        .invalidTestNotificationToken: "invalidTestNotificationToken",
        .invalidSort: "invalidSort",
        .invalidProductType: "invalidProductType",
        .invalidProductID: "invalidProductID",
        .invalidSubscriptionGroupIdentifier: "invalidSubscriptionGroupIdentifier",
        .invalidExcludeRevoked: "invalidExcludeRevoked",
        .invalidInAppOwnershipType: "invalidInAppOwnershipType",
        .invalidEmptyStorefrontCountryCodeList: "invalidEmptyStorefrontCountryCodeList",
        .invalidStorefrontCountryCode: "invalidStorefrontCountryCode",
        .invalidRevoked: "invalidRevoked",
        .invalidStatus: "invalidStatus",
        .invalidAccountTenure: "invalidAccountTenure",
        .invalidAppAccountToken: "invalidAppAccountToken",
        .invalidConsumptionStatus: "invalidConsumptionStatus",
        .invalidCustomerConsented: "invalidCustomerConsented",
        .invalidDeliveryStatus: "invalidDeliveryStatus",
        .invalidLifetimeDollarsPurchased: "invalidLifetimeDollarsPurchased",
        .invalidLifetimeDollarsRefunded: "invalidLifetimeDollarsRefunded",
        .invalidPlatform: "invalidPlatform",
        .invalidPlayTime: "invalidPlayTime",
        .invalidSampleContentProvided: "invalidSampleContentProvided",
        .invalidUserStatus: "invalidUserStatus",
        .invalidTransactionNotConsumable: "invalidTransactionNotConsumable",
        .invalidRefundPreference: "invalidRefundPreference",
        .invalidTransactionTypeNotSupported: "invalidTransactionTypeNotSupported",
        .appTransactionIDNotSupported: "appTransactionIDNotSupported",
        .invalidImage: "invalidImage",
        .headerTooLong: "headerTooLong",
        .bodyTooLong: "bodyTooLong",
        .invalidLocale: "invalidLocale",
        .altTextTooLong: "altTextTooLong",
        .invalidAppAccountTokenUUID: "invalidAppAccountTokenUUID",
        .familyTransactionNotSupported: "familyTransactionNotSupported",
        .transactionIDIsNotOriginalTransactionID: "transactionIDIsNotOriginalTransactionID",
        .consumptionPercentageOfAutoRenewableSubscription: "consumptionPercentageOfAutoRenewableSubscription",
        .invalidPerformanceTestRequest: "invalidPerformanceTestRequest",
        .invalidRequestID: "invalidRequestID",
        .existingPerformanceTestRun: "existingPerformanceTestRun",
        .invalidRealtimeURL: "invalidRealtimeURL",
        .invalidImageSize: "invalidImageSize",
        .tooManyBulletPoints: "tooManyBulletPoints",
        .bulletPointTextTooLong: "bulletPointTextTooLong",
        .aboveImageRequiresAnImage: "aboveImageRequiresAnImage",
        .invalidAssignedTransactionNotSupported: "invalidAssignedTransactionNotSupported",
        .subscriptionExtensionIneligible: "subscriptionExtensionIneligible",
        .subscriptionMaximumExtension: "subscriptionMaximumExtension",
        .familySharedSubscriptionExtensionIneligible: "familySharedSubscriptionExtensionIneligible",
        .maximumNumberOfImagesReached: "maximumNumberOfImagesReached",
        .maximumNumberOfMessagesReached: "maximumNumberOfMessagesReached",
        .messageNotApproved: "messageNotApproved",
        .imageNotApproved: "imageNotApproved",
        .imageInUse: "imageInUse",
        .noPassingPerformanceTest: "noPassingPerformanceTest",
        .assignedSubscriptionExtensionIneligible: "assignedSubscriptionExtensionIneligible",
        .accountNotFound: "accountNotFound",
        .accountNotFoundRetryable: "accountNotFoundRetryable",
        .appNotFound: "appNotFound",
        .appNotFoundRetryable: "appNotFoundRetryable",
        .originalTransactionIDNotFound: "originalTransactionIDNotFound",
        .originalTransactionIDNotFoundRetryable: "originalTransactionIDNotFoundRetryable",
        .serverNotificationURLNotFound: "serverNotificationURLNotFound",
        .testNotificationNotFound: "testNotificationNotFound",
        .statusRequestNotFound: "statusRequestNotFound",
        .transactionIDNotFound: "transactionIDNotFound",
        .imageNotFound: "imageNotFound",
        .messageNotFound: "messageNotFound",
        .performanceTestRunNotFound: "performanceTestRunNotFound",
        .appTransactionDoesNotExist: "appTransactionDoesNotExist",
        .defaultMessageNotFound: "defaultMessageNotFound",
        .realtimeURLNotFound: "realtimeURLNotFound",
        .invalidGroupID: "invalidGroupID",
        .groupNotFound: "groupNotFound",
        .imageAlreadyExists: "imageAlreadyExists",
        .messageAlreadyExists: "messageAlreadyExists",
        .rateLimitExceeded: "rateLimitExceeded",
        .generalInternal: "generalInternal",
        .generalInternalRetryable: "generalInternalRetryable",
    ]
}
