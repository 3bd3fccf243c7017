/// The members of a payload that a description may set, by the App Store's names.
enum Member {
    /// The type of a member's value.
    enum Kind { case text, number, flag, date }

    /// The members of a transaction.
    static let ofTransactions: [String: Kind] = [
        "transactionId": .text, "originalTransactionId": .text, "webOrderLineItemId": .text, "bundleId": .text,
        "productId": .text, "subscriptionGroupIdentifier": .text, "purchaseDate": .date,
        "originalPurchaseDate": .date, "expiresDate": .date, "quantity": .number, "type": .text,
        "appAccountToken": .text, "inAppOwnershipType": .text, "signedDate": .date, "revocationDate": .date,
        "revocationReason": .number, "revocationType": .text, "revocationPercentage": .number, "isUpgraded": .flag,
        "offerType": .number, "offerIdentifier": .text, "offerDiscountType": .text, "offerPeriod": .text,
        "environment": .text, "storefront": .text, "storefrontId": .text, "transactionReason": .text,
        "price": .number, "currency": .text, "appTransactionId": .text,
    ]

    /// The members of a renewal info.
    static let ofRenewalInfos: [String: Kind] = [
        "originalTransactionId": .text, "productId": .text, "autoRenewProductId": .text, "autoRenewStatus": .number,
        "expirationIntent": .number, "isInBillingRetryPeriod": .flag, "gracePeriodExpiresDate": .date,
        "priceIncreaseStatus": .number, "offerType": .number, "offerIdentifier": .text, "offerDiscountType": .text,
        "offerPeriod": .text, "recentSubscriptionStartDate": .date, "renewalDate": .date, "renewalPrice": .number,
        "currency": .text, "appAccountToken": .text, "appTransactionId": .text, "signedDate": .date,
        "environment": .text,
    ]

    /// The members of an app transaction.
    static let ofAppTransactions: [String: Kind] = [
        "bundleId": .text, "appAppleId": .number, "receiptCreationDate": .date, "receiptType": .text,
        "applicationVersion": .text, "originalApplicationVersion": .text, "originalPurchaseDate": .date,
        "appTransactionId": .text, "originalPlatform": .text,
    ]

    /// The members that all records of a customer share.
    static let ofCustomers: [String: Kind] = ["appTransactionId": .text, "appAccountToken": .text]
}
