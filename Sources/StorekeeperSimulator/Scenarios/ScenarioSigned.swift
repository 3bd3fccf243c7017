package import Storekeeper

extension ScenarioExpectation {
    /// An expectation about JSON members of the newest signed copy of a document.
    ///
    /// The members are named as in the App Store's JSON.
    package struct Signed: Hashable, Sendable {
        /// The kind of document.
        package enum Document: String, Hashable, Sendable, CaseIterable {
            /// The newest copy of a transaction.
            case transaction
            /// The newest renewal info of the transaction's subscription.
            case renewal
            /// The newest notification about the transaction, or about its subscription.
            case notification
        }

        /// A member and its expected value.
        package struct Member: Hashable, Sendable {
            /// The member's name.
            ///
            /// The name of a nested member consists of the outer and the inner name, such as
            /// `commitmentInfo.billingPeriodNumber`.
            package var name: String
            /// The expected value.
            package var value: Value

            /// Creates a member.
            package init(_ name: String, _ value: Value) {
                self.name = name
                self.value = value
            }
        }

        /// The expected value of a member.
        package enum Value: Hashable, Sendable {
            /// The member must be absent, written as `none`.
            case absent
            /// The member must be present, written as `any`.
            case present
            /// A whole number.
            case whole(Int64)
            /// A text; for a transaction id, the text may be the name that a step gave to the purchase.
            case text(String)
            /// `true` or `false`.
            case flag(Bool)
            /// An instant.
            case time(Instant)
            /// Texts, in order.
            case list([String])
        }

        /// The kind of document.
        package var document: Document
        /// The transaction; `nil` for the most recent purchase.
        package var reference: TransactionReference?
        /// The customer; `nil` if the reference names a customer.
        package var person: CustomerID?
        /// The members to check, in the order of the text.
        package var members: [Member]

        /// Creates an expectation.
        package init(
            _ document: Document, of reference: TransactionReference? = nil, person: CustomerID? = nil,
            members: [Member]
        ) {
            self.document = document
            self.reference = reference
            self.person = person
            self.members = members
        }
    }
}

extension ScenarioExpectation.Signed.Document {
    /// The type of a member, which determines how the text of its value is read.
    package enum Kind: Sendable { case text, whole, flag, date, list, object }

    /// The type of each member that the App Store signs, by the member's name.
    package var members: [String: Kind] {
        switch self {
        case .transaction: Self.ofTransaction
        case .renewal: Self.ofRenewal
        case .notification: Self.ofNotification
        }
    }

    private static func table(_ kinds: [(Kind, [String])]) -> [String: Kind] {
        var table: [String: Kind] = [:]
        for (kind, names) in kinds { for name in names { table[name] = kind } }
        return table
    }

    private static let ofTransaction = table([
        (
            .text,
            [
                "transactionId", "originalTransactionId", "webOrderLineItemId", "bundleId", "productId",
                "subscriptionGroupIdentifier", "type", "additionalTransactionReason", "appAccountToken",
                "inAppOwnershipType", "revocationType",
                "offerIdentifier", "offerDiscountType", "offerPeriod", "environment", "storefront", "storefrontId",
                "transactionReason", "currency", "appTransactionId", "billingPlanType",
            ]
        ),
        (
            .whole,
            [
                "quantity", "revocationReason", "revocationPercentage", "offerType", "price",
                "commitmentInfo.billingPeriodNumber", "commitmentInfo.totalBillingPeriods",
                "commitmentInfo.commitmentPrice",
            ]
        ),
        (.flag, ["isUpgraded"]),
        (
            .date,
            [
                "purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate", "revocationDate",
                "commitmentInfo.commitmentExpiresDate",
            ]
        ),
        (.object, ["commitmentInfo"]),
    ])

    private static let ofRenewal = table([
        (
            .text,
            [
                "originalTransactionId", "productId", "autoRenewProductId", "environment", "appTransactionId",
                "appAccountToken", "currency", "offerIdentifier", "offerDiscountType", "offerPeriod",
                "renewalBillingPlanType", "commitmentInfo.commitmentAutoRenewProductId",
                "commitmentInfo.commitmentRenewalBillingPlanType",
            ]
        ),
        (
            .whole,
            [
                "autoRenewStatus", "expirationIntent", "priceIncreaseStatus", "offerType", "renewalPrice",
                "commitmentInfo.commitmentAutoRenewStatus", "commitmentInfo.commitmentRenewalPrice",
            ]
        ),
        (.flag, ["isInBillingRetryPeriod"]),
        (
            .date,
            [
                "gracePeriodExpiresDate", "recentSubscriptionStartDate", "renewalDate", "signedDate",
                "commitmentInfo.commitmentRenewalDate",
            ]
        ),
        (.list, ["eligibleWinBackOfferIds"]),
        (.object, ["commitmentInfo"]),
    ])

    private static let ofNotification = table([
        (
            .text,
            [
                "notificationType", "subtype", "notificationUUID", "version", "data.bundleId", "data.bundleVersion",
                "data.environment", "data.consumptionRequestReason", "summary.productId", "summary.environment",
                "summary.requestIdentifier", "summary.bundleId",
            ]
        ),
        (
            .whole,
            [
                "data.status", "data.appAppleId", "summary.succeededCount", "summary.failedCount",
                "summary.appAppleId",
            ]
        ),
        (.date, ["signedDate"]),
        (.list, ["summary.storefrontCountryCodes"]),
        (.object, ["data", "summary", "data.signedTransactionInfo", "data.signedRenewalInfo"]),
    ])
}
