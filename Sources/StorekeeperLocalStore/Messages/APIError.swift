/// An error of the App Store Server API.
///
/// - SeeAlso: Apple, "App Store Server API: Error codes".
package struct APIError: Error, Hashable, Sendable {
    /// Apple's error number; its first three digits are the HTTP status.
    package let code: Int64
    /// A description of the error.
    package let message: String

    init(_ code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The HTTP status.
    package var status: Int { Int(code / 10_000) }

    // MARK: Requests

    static func badRequest(_ what: String) -> APIError { APIError(4_000_000, "Bad request: \(what).") }
    static let invalidRevision = APIError(4_000_005, "The revision does not belong to this request.")
    static let invalidTransactionID = APIError(4_000_006, "The transaction id is malformed.")
    static let invalidOriginalTransactionID = APIError(4_000_008, "The original transaction id is malformed.")
    static let invalidExtendByDays = APIError(4_000_009, "extendByDays must be a whole number from 1 to 90.")
    static let invalidExtendReasonCode = APIError(4_000_010, "extendReasonCode must be a whole number from 0 to 3.")
    static let invalidRequestIdentifier = APIError(
        4_000_011, "requestIdentifier must be a text of 1 to 128 characters.")
    static let startDateTooFarInPast = APIError(
        4_000_012, "startDate is earlier than the retention period of notifications.")
    static let startDateAfterEndDate = APIError(4_000_013, "startDate must be before endDate.")
    static let invalidPaginationToken = APIError(4_000_014, "The pagination token does not belong to this request.")
    static let invalidStartDate = APIError(4_000_015, "startDate must be a whole number of milliseconds.")
    static let invalidEndDate = APIError(4_000_016, "endDate must be a whole number of milliseconds.")
    static let paginationTokenExpired = APIError(
        4_000_017, "The pagination token is older than 24 hours; begin with the first page.")
    static let invalidNotificationType = APIError(
        4_000_018, "The notification type is unknown or does not have this subtype.")
    static let multipleFilters = APIError(4_000_019, "Give a transactionId or a notificationType, not both.")
    static let invalidTestNotificationToken = APIError(4_000_020, "The test notification token is malformed.")
    static let invalidSort = APIError(4_000_021, "sort must be ASCENDING or DESCENDING.")
    static let invalidProductType = APIError(4_000_022, "The product type is unknown.")
    static let invalidProductID = APIError(4_000_023, "productId is empty or too long.")
    static let invalidSubscriptionGroup = APIError(4_000_024, "subscriptionGroupIdentifier is empty or too long.")
    static let invalidExcludeRevoked = APIError(4_000_025, "excludeRevoked must be true or false.")
    static let invalidOwnershipType = APIError(4_000_026, "inAppOwnershipType is unknown.")
    static let emptyStorefronts = APIError(4_000_027, "storefrontCountryCodes must not be empty.")
    static let invalidStorefront = APIError(
        4_000_028, "A storefront must be a country code of three capital letters that has an App Store.")
    static let invalidRevoked = APIError(4_000_030, "revoked must be true or false.")
    static let invalidStatus = APIError(4_000_031, "status must be a whole number from 1 to 5.")
    static let appTransactionIDNotSupported = APIError(
        4_000_048, "This request requires the id of a transaction, not of an app transaction.")
    static let invalidAppAccountTokenUUID = APIError(4_000_183, "appAccountToken must be a UUID.")
    static let familyTransactionNotSupported = APIError(
        4_000_185, "This request does not accept a family-shared transaction.")
    static let notAnOriginalTransaction = APIError(
        4_000_187, "The transaction is not the first one of its subscription.")

    // MARK: Groups and seats

    static let invalidLimit = APIError(4_000_004, "limit must be a whole number from 1 to 100.")
    static let invalidGroupID = APIError(4_000_225, "The group id is malformed.")
    static let groupNotFound = APIError(4_040_022, "The group does not exist.")
    static let noAvailableSeats = badRequest("no seat is available")
    static let seatClaimNotFound = notFound(what: "The seat claim")

    // MARK: Assigned by an organisation

    static let assignedNotSupported = APIError(
        4_000_227, "This request does not accept a transaction that an organisation or group assigned.")

    // MARK: Advanced Commerce

    static func malformedPayload(_ what: String) -> APIError { APIError(4_000_173, "Malformed payload: \(what).") }
    static let nullRequestInfo = APIError(4_000_079, "requestInfo is missing.")
    static let nullRequestReferenceID = APIError(4_000_080, "requestReferenceId is missing.")
    static let invalidRequestReferenceID = APIError(4_000_081, "requestReferenceId must be a UUID.")
    static let negativePrice = APIError(4_000_086, "price must not be negative.")
    static let skuLengthExceeded = APIError(4_000_087, "A SKU has 1 to 128 characters.")
    static let descriptionLengthExceeded = APIError(4_000_088, "description is longer than 45 characters.")
    static let displayNameLengthExceeded = APIError(4_000_089, "displayName is longer than 30 characters.")
    static let repeatedRequestReferenceID = APIError(4_000_097, "An earlier request had this requestReferenceId.")
    static let nullTaxCode = APIError(4_000_099, "taxCode is missing.")
    static let nullItems = APIError(4_000_101, "items must be an array.")
    static let nullDescriptors = APIError(4_000_103, "descriptors are missing.")
    static let nullSKU = APIError(4_000_105, "Each item needs a SKU.")
    static let nullPrice = APIError(4_000_109, "Each item needs a price.")
    static let nullEffective = APIError(4_000_111, "effective must be IMMEDIATELY or NEXT_BILL_CYCLE.")
    static let invalidSKU = APIError(4_000_122, "The purchase has no item with this SKU.")
    static let duplicateSKU = APIError(4_000_122, "Two items cannot have the same SKU.")
    static let invalidRefundType = APIError(
        4_000_123, "refundType must be FULL or PRORATED, or CUSTOM for an item with a refundAmount.")
    static let invalidRefundReason = APIError(4_000_124, "refundReason is unknown.")
    static let invalidAmount = APIError(4_000_132, "refundAmount exceeds what is left of the price.")
    static let nullRefundAmount = APIError(4_000_153, "The type CUSTOM needs a refundAmount.")
    static let negativeRefundAmount = APIError(4_000_154, "refundAmount must not be negative.")
    static let refundAmountWithoutCustom = APIError(4_000_155, "refundAmount belongs to the type CUSTOM.")
    static let nullRefundReason = APIError(4_000_156, "refundReason is missing.")
    static let nullRefundType = APIError(4_000_157, "refundType is missing.")
    static let nullRefundRisking = APIError(4_000_159, "refundRiskingPreference must be true or false.")
    static let atLeastOneItem = APIError(4_000_160, "items must not be empty.")
    static let nullTargetProductID = APIError(4_000_166, "targetProductId is missing.")
    static let invalidTargetProductID = APIError(4_000_167, "targetProductId must be a subscription of the same group.")
    static let nullCurrentSKU = APIError(4_000_169, "Each item needs the currentSKU of an item of the subscription.")
    static let alreadyMigrated = APIError(4_000_176, "The subscription was migrated before.")
    static let revokeOnInactiveSubscription = APIError(4_000_186, "A subscription that has ended cannot be revoked.")
    static let subscriptionNotEligible = APIError(4_030_010, "The purchase is not one of Advanced Commerce.")
    static let subscriptionEnded = APIError(4_030_010, "The subscription has ended.")
    static let alreadyRefunded = APIError(4_030_021, "The item was refunded before.")

    // MARK: Consumption

    static let invalidAccountTenure = APIError(4_000_032, "accountTenure must be a whole number from 0 to 7.")
    static let invalidAppAccountToken = APIError(4_000_033, "appAccountToken must be a UUID or empty.")
    static let invalidConsumptionStatus = APIError(4_000_034, "consumptionStatus must be a whole number from 0 to 3.")
    static let invalidCustomerConsented = APIError(
        4_000_035, "customerConsented must be true: without consent no information may be sent.")
    static let invalidDeliveryStatus = APIError(4_000_036, "deliveryStatus is unknown.")
    static let invalidLifetimeDollarsPurchased = APIError(
        4_000_037, "lifetimeDollarsPurchased must be a whole number from 0 to 7.")
    static let invalidLifetimeDollarsRefunded = APIError(
        4_000_038, "lifetimeDollarsRefunded must be a whole number from 0 to 7.")
    static let invalidPlatform = APIError(4_000_039, "platform must be a whole number from 0 to 2.")
    static let invalidPlayTime = APIError(4_000_040, "playTime must be a whole number from 0 to 7.")
    static let invalidSampleContentProvided = APIError(4_000_041, "sampleContentProvided must be true or false.")
    static let invalidUserStatus = APIError(4_000_042, "userStatus must be a whole number from 0 to 4.")
    static let invalidRefundPreference = APIError(4_000_044, "refundPreference is unknown.")
    static let transactionTypeNotSupported = APIError(
        4_000_047, "This request accepts consumables and auto-renewable subscriptions only.")
    static let percentageOfAutoRenewable = APIError(
        4_000_209, "consumptionPercentage must be absent: the App Store knows how much of a subscription is used.")
    /// Apple's `AdvancedCommerceTransactionNotSupportedError`, with the number of a malformed request, because Apple's
    /// libraries have no number for it.
    static let advancedCommerceNotSupported = badRequest("a purchase of Advanced Commerce is not accepted")

    // MARK: Retention messaging

    static let invalidImage = APIError(4_000_161, "The image is not a PNG file.")
    static let headerTooLong = APIError(4_000_162, "The header is longer than 66 characters.")
    static let bodyTooLong = APIError(4_000_163, "The body is longer than 144 characters.")
    static let invalidLocale = APIError(4_000_164, "The locale is not valid: write one such as en-US.")
    static let altTextTooLong = APIError(4_000_175, "altText is longer than 150 characters.")
    static func invalidPerformanceTest(_ why: String) -> APIError { APIError(4_000_211, "No test: \(why).") }
    static let invalidRequestID = APIError(4_000_212, "The id of a performance test is a UUID.")
    static let existingPerformanceTest = APIError(4_000_213, "The previous performance test has not ended.")
    static let invalidRealtimeURL = APIError(
        4_000_215, "realtimeURL must be a URL of at most 256 characters, HTTPS unless it is of this machine.")
    static let invalidImageSize = APIError(
        4_000_216, "imageSize must be FULL_SIZE, for the image of a message, or BULLET_POINT, for that of a line.")
    static let tooManyBulletPoints = APIError(4_000_218, "A message has at most five bullet points.")
    static let bulletPointTextTooLong = APIError(4_000_219, "The text of a bullet point is longer than 66 characters.")
    static let aboveImageRequiresAnImage = APIError(4_000_224, "A header above the image needs an image.")
    static let tooManyImages = APIError(4_030_014, "No more images can be uploaded: delete some.")
    static let tooManyMessages = APIError(4_030_016, "No more messages can be uploaded: delete some.")
    static let messageNotApproved = APIError(4_030_017, "The message is not approved.")
    static let imageNotApproved = APIError(4_030_018, "An image of the message is not approved.")
    static let imageInUse = APIError(4_030_019, "A message uses the image.")
    static let noPassingTest = APIError(4_030_026, "No performance test of this URL was passed.")
    static let imageNotFound = APIError(4_040_014, "The image does not exist.")
    static let messageNotFound = APIError(4_040_015, "The message does not exist.")
    static let performanceTestNotFound = APIError(4_040_018, "The performance test does not exist.")
    static let defaultMessageNotFound = APIError(4_040_020, "No default message is set for the product and the locale.")
    static let realtimeURLNotFound = APIError(4_040_021, "No URL for real-time messages is set.")
    static let imageAlreadyExists = APIError(4_090_000, "An image with this id exists.")
    static let messageAlreadyExists = APIError(4_090_001, "A message with this id exists.")

    // MARK: Refusals

    static func extensionIneligible(_ why: String) -> APIError { APIError(4_030_004, "Not extended: \(why).") }
    static func extensionLimit(_ why: String) -> APIError { APIError(4_030_005, "Not extended: \(why).") }
    static let assignedExtension = APIError(
        4_030_028, "Not extended: an organisation or group assigned the subscription.")
    static func familyExtension(_ why: String) -> APIError { APIError(4_030_007, "Not extended: \(why).") }

    // MARK: Not found

    static func notFound(what: String) -> APIError { APIError(4_040_000, "\(what) does not exist.") }
    static let notFound = APIError(4_040_000, "The local App Store does not have this path.")
    static let accountNotFoundRetryable = APIError(4_040_002, "The account does not exist yet; try again.")
    static let originalTransactionIDNotFoundRetryable = APIError(
        4_040_006, "The original transaction id does not exist yet; try again.")
    static let originalTransactionIDNotFound = APIError(4_040_005, "The original transaction id does not exist.")
    static let serverNotificationURLNotFound = APIError(
        4_040_007, "No URL for notifications is set: start with --webhook URL.")
    static let testNotificationNotFound = APIError(4_040_008, "The test notification does not exist.")
    static let statusRequestNotFound = APIError(4_040_009, "This extension was not requested.")
    static let transactionIDNotFound = APIError(4_040_010, "The transaction id does not exist.")
    static let appTransactionDoesNotExist = APIError(4_040_019, "The customer has no app transaction.")

    // MARK: The server

    static let rateLimitExceeded = APIError(
        4_290_000, "Too many requests; see Retry-After, in milliseconds since 1970.")
    static let internalRetryable = APIError(5_000_001, "The local App Store failed; try again.")
    static func internalError(_ what: String) -> APIError {
        APIError(5_000_000, "The local App Store failed: \(what).")
    }
}
