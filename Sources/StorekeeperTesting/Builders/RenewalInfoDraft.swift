public import Storekeeper

/// An editable renewal info for tests: each member of the App Store's payload can be set.
///
/// Members that are `nil` are omitted.
///
/// - SeeAlso: Apple, "App Store Server API: JWSRenewalInfoDecodedPayload".
public struct RenewalInfoDraft: Hashable, Sendable {
    /// `originalTransactionId`.
    public var originalID: Transaction.ID
    /// `signedDate`.
    public var signedAt: Instant
    /// `environment`.
    public var environment = AppStore.Environment.production
    /// `productId`.
    public var productID: Product.ID?
    /// `autoRenewProductId`, which the App Store also sends if auto-renewal is off.
    public var autoRenewProductID: Product.ID?
    /// `autoRenewStatus`.
    public var autoRenewStatus: AutoRenewStatus? = .on
    /// `expirationIntent`.
    public var expirationReason: ExpirationReason?
    /// `isInBillingRetryPeriod`.
    public var isInBillingRetry: Bool?
    /// `gracePeriodExpiresDate`.
    public var gracePeriodExpiresAt: Instant?
    /// `priceIncreaseStatus`.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// `offerType`.
    public var offerType: OfferType?
    /// `offerIdentifier`.
    public var offerID: SubscriptionOffer.ID?
    /// `offerDiscountType`.
    public var offerPaymentMode: OfferDiscountType?
    /// `offerPeriod`, ISO 8601 text.
    public var offerPeriod: String?
    /// `recentSubscriptionStartDate`.
    public var recentSubscriptionStartedAt: Instant?
    /// `renewalDate`.
    public var renewsAt: Instant?
    /// `renewalPrice` in milliunits of the currency.
    public var renewalPrice: Int64?
    /// `currency`.
    public var currency: String?
    /// `eligibleWinBackOfferIds`.
    public var eligibleWinBackOfferIDs: [SubscriptionOffer.ID]?
    /// `appAccountToken`, the text of a UUID in lower case.
    public var appAccountToken: String?
    /// `appTransactionId`.
    public var appTransactionID: String?
    /// `renewalBillingPlanType`.
    public var renewalBillingPlanType: BillingPlanType?
    /// Further members of the payload, such as `commitmentInfo` or unknown members.
    ///
    /// If a property above has a value, it replaces the member of the same name.
    public var otherMembers: [String: PayloadValue] = [:]

    /// Creates a draft with auto-renewal on.
    public init(originalID: Transaction.ID = "1000", signedAt: Instant = .testEpoch) {
        self.originalID = originalID
        self.signedAt = signedAt
    }

    /// Creates a draft about a transaction, with auto-renewal on.
    ///
    /// - Parameters:
    ///   - transaction: The transaction, which determines the draft's chain, product, environment and renewal date.
    ///   - signedAt: The signing date; `nil` means the later of the transaction's signing date and purchase date.
    public init(for transaction: TransactionDraft, signedAt: Instant? = nil) {
        originalID = transaction.originalID
        self.signedAt = signedAt ?? max(transaction.signedAt, transaction.purchasedAt)
        environment = transaction.environment
        productID = transaction.productID
        autoRenewProductID = transaction.productID
        renewsAt = transaction.expiresAt
        appTransactionID = transaction.appTransactionID
    }

    /// The payload as the App Store would write it: a JSON object in UTF-8, members sorted by name.
    public var payload: [UInt8] {
        var members = otherMembers
        if let eligibleWinBackOfferIDs {
            members["eligibleWinBackOfferIds"] = .array(
                eligibleWinBackOfferIDs.map { PayloadValue.string($0.rawValue) })
        }
        var writer = PayloadWriter(members)
        writer.set("originalTransactionId", originalID.rawValue)
        writer.set("productId", productID?.rawValue)
        writer.set("autoRenewProductId", autoRenewProductID?.rawValue)
        writer.set("autoRenewStatus", autoRenewStatus?.rawValue)
        writer.set("expirationIntent", expirationReason?.rawValue)
        writer.set("isInBillingRetryPeriod", isInBillingRetry)
        writer.set("gracePeriodExpiresDate", gracePeriodExpiresAt)
        writer.set("priceIncreaseStatus", priceIncreaseStatus?.rawValue)
        writer.set("offerType", offerType?.rawValue)
        writer.set("offerIdentifier", offerID?.rawValue)
        writer.set("offerDiscountType", offerPaymentMode?.rawValue)
        writer.set("offerPeriod", offerPeriod)
        writer.set("recentSubscriptionStartDate", recentSubscriptionStartedAt)
        writer.set("renewalDate", renewsAt)
        writer.set("renewalPrice", renewalPrice)
        writer.set("currency", currency)
        writer.set("appAccountToken", appAccountToken)
        writer.set("appTransactionId", appTransactionID)
        writer.set("renewalBillingPlanType", renewalBillingPlanType?.rawValue)
        writer.set("signedDate", signedAt)
        writer.set("environment", environment.rawValue)
        return writer.json
    }

    /// Returns the unsigned renewal info that the engine decodes from ``payload``.
    ///
    /// - Throws: `PayloadError` or `JSONError` if the engine refuses the payload.
    public func renewalInfo() throws -> RenewalInfo {
        let payload = payload
        return try RenewalInfo(payload: JSONReader().read(payload).root, source: .unsigned(payload))
    }
}

extension RenewalInfoDraft {
    /// Returns the draft in billing retry with a grace period.
    ///
    /// - Parameters:
    ///   - end: The end of the grace period.
    ///   - retry: The value of `isInBillingRetryPeriod`.
    public func grace(until end: Instant, retry: Bool? = true) -> RenewalInfoDraft {
        var copy = self
        copy.gracePeriodExpiresAt = end
        copy.isInBillingRetry = retry
        copy.expirationReason = retry == true ? .billingError : nil
        return copy
    }

    /// Returns the draft in billing retry without a grace period.
    public func billingRetry() -> RenewalInfoDraft {
        var copy = self
        copy.isInBillingRetry = true
        copy.expirationReason = .billingError
        return copy
    }

    /// Returns the draft with auto-renewal off.
    ///
    /// - Parameter reason: The reason why the subscription expired. A reason also ends billing retry; `nil` leaves the
    ///   reason and billing retry unchanged.
    public func cancelled(reason: ExpirationReason? = nil) -> RenewalInfoDraft {
        var copy = self
        copy.autoRenewStatus = .off
        copy.isInBillingRetry = reason == nil ? copy.isInBillingRetry : false
        copy.expirationReason = reason ?? copy.expirationReason
        return copy
    }
}
