import FoundationEssentials
import Storekeeper

// In the JSON of signed payloads, members are sorted by name, without white space.

extension World {
    /// Returns the payload of the signed transaction for a record.
    ///
    /// - SeeAlso: Apple, "App Store Server API: JWSTransactionDecodedPayload".
    func payload(of record: TransactionRecord) -> [String: JSONText] {
        let download = downloads[record.download]
        let app = apps[download.app]
        let terms = app.terms[record.product]
        let store = storefronts[record.storefront]
        let isShared = record.flags.contains(.isFamilyShared)
        var members: [String: JSONText] = [
            "transactionId": .string(id(of: record.transaction).rawValue),
            "originalTransactionId": .string(id(of: record.original).rawValue),
            "bundleId": .string(app.bundleID),
            "productId": .text(app.product(record.product).id),
            "purchaseDate": .date(record.purchasedAt),
            "originalPurchaseDate": .date(originalPurchaseDate(of: record)),
            "expiresDate": .date(record.expiresAt),
            "quantity": .integer(Int64(record.quantity)),
            "type": .string(terms.kind.productType.rawValue),
            "inAppOwnershipType": .string(
                isShared ? "FAMILY_SHARED" : record.flags.contains(.isAssigned) ? "ASSIGNED" : "PURCHASED"),
            "signedDate": .date(record.signedAt),
            "environment": .string(environment.rawValue),
            "storefront": .string(store.country),
            "storefrontId": .text(store.id),
            "transactionReason": .string(record.flags.contains(.isRenewal) ? "RENEWAL" : "PURCHASE"),
            "appTransactionId": .string(appTransactionID(of: record.download)),
            "webOrderLineItemId": .text(record.webOrderLineItem.map { String($0) }),
        ]
        if terms.kind == .autoRenewable {
            members["subscriptionGroupIdentifier"] = .text(terms.group.map { app.groups[$0].id })
            members["billingPlanType"] = .string(record.plan.word)
            // Only Xcode writes `isUpgraded` if the value is `false`.
            if record.flags.contains(.isUpgraded) || environment == .xcode {
                members["isUpgraded"] = .bool(record.flags.contains(.isUpgraded))
            }
        }
        if let price = record.price, !isShared {
            members["price"] = .integer(price)
            members["currency"] = .string(store.currency)
        }
        if !isShared { members["appAccountToken"] = .text(text(ofToken: record.token)) }
        addOffer(record.offer, of: app, product: record.product, to: &members)
        if let revocation = record.revocation {
            members["revocationDate"] = .date(revocation.at)
            members["revocationReason"] = .integer(revocation.reason)
            // For an Advanced Commerce purchase, the refunds of the items contain the type of the revocation.
            if commerce[record.transaction] == nil { members["revocationType"] = .string(revocation.kind.word) }
            members["revocationPercentage"] = .whole(revocation.percentage)
        }
        if let number = record.commitmentPeriod {
            members["commitmentInfo"] = .object([
                "billingPeriodNumber": .integer(Int64(number)),
                "totalBillingPeriods": .integer(Int64(Plan.paymentsOfCommitment)),
                "commitmentExpiresDate": .date(record.commitmentExpiresAt),
                "commitmentPrice": isShared ? .null : .whole(record.commitmentPrice),
            ])
        }
        addDetails(of: record, to: &members)
        return members
    }

    /// Returns the payload of the signed renewal info for a record.
    ///
    /// - SeeAlso: Apple, "App Store Server API: JWSRenewalInfoDecodedPayload".
    func payload(of record: RenewalRecord) -> [String: JSONText] {
        let subscription = subscriptions[record.subscription]
        let app = apps[subscription.app]
        let isShared = subscription.sharedFrom != nil
        var members: [String: JSONText] = [
            "originalTransactionId": .string(id(of: record.original).rawValue),
            "productId": .text(app.product(record.product).id),
            "autoRenewProductId": .text(app.product(record.nextProduct).id),
            "autoRenewStatus": .integer(record.willRenew ? 1 : 0),
            "expirationIntent": .whole(record.expirationIntent),
            "gracePeriodExpiresDate": .date(record.graceEndsAt),
            "recentSubscriptionStartDate": .date(record.recentStart),
            "renewalDate": .date(record.renewsAt),
            "signedDate": .date(record.signedAt),
            "environment": .string(environment.rawValue),
            "appTransactionId": .string(appTransactionID(of: subscription.download)),
            "renewalBillingPlanType": .string(record.nextPlan.word),
        ]
        if record.expirationIntent != nil { members["isInBillingRetryPeriod"] = .bool(record.isInBillingRetry) }
        switch record.priceIncrease {
        case .none: break
        case .pending, .declined: members["priceIncreaseStatus"] = .integer(0)
        case .agreed: members["priceIncreaseStatus"] = .integer(1)
        }
        if !isShared {
            members["appAccountToken"] = .text(text(ofToken: record.token))
            if let price = record.price {
                members["renewalPrice"] = .integer(price)
                members["currency"] = .string(storefronts[record.storefront].currency)
            }
            addOffer(record.offer, of: app, product: record.nextProduct, to: &members)
        }
        let winBackOffers = winBackOffers(of: record)
        if !winBackOffers.isEmpty {
            members["eligibleWinBackOfferIds"] = .array(winBackOffers.map { .text(app.catalogOffer($0).id) })
        }
        if let commitment = record.commitment {
            members["commitmentInfo"] = .object([
                "commitmentAutoRenewProductId": .text(app.product(commitment.product).id),
                "commitmentAutoRenewStatus": .integer(commitment.willRenew ? 1 : 0),
                "commitmentRenewalBillingPlanType": .string(commitment.plan.word),
                "commitmentRenewalDate": .date(commitment.renewsAt),
                "commitmentRenewalPrice": isShared ? .null : .whole(commitment.price),
            ])
        }
        addDetails(of: record, to: &members)
        return members
    }

    /// Returns the payload of the app transaction for a record.
    ///
    /// - SeeAlso: Apple, "StoreKit: AppTransaction".
    func payload(of record: AppTransactionRecord) -> [String: JSONText] {
        let app = app(of: record.download)
        let isProduction = environment == .production
        // Every app in the sandbox and in Xcode has the same original purchase date.
        let first: Int64 =
            switch environment {
            case .xcode: -62_135_769_600_000
            case .production: record.downloadedAt.millisecondsSince1970
            default: 1_375_340_400_000
            }
        return [
            "receiptType": .string(environment.rawValue),
            "appAppleId": isProduction ? .integer(app.appleID) : .null,
            "bundleId": .string(app.bundleID),
            "applicationVersion": .string(app.version),
            "versionExternalIdentifier": isProduction ? .integer(1) : .integer(0),
            "receiptCreationDate": .date(record.signedAt),
            "requestDate": .date(record.signedAt),
            "originalPurchaseDate": .integer(first),
            "originalApplicationVersion": .string(
                isProduction ? record.firstVersion ?? app.version : environment == .xcode ? "1" : "1.0"),
            "appTransactionId": .string(appTransactionID(of: record.download)),
            "originalPlatform": .string("iOS"),
            "revocationDate": .date(record.revokedAt),
        ]
    }

    private static let firstAppTransactionID: Int64 = 700_000_000_000_000_001

    func appTransactionID(of download: RowIndex<Download>) -> String {
        String(Self.firstAppTransactionID + Int64(download.index))
    }

    /// Returns the download whose app transaction has the given id.
    func download(ofAppTransaction id: String) -> RowIndex<Download>? {
        guard let number = Int64(id), number >= Self.firstAppTransactionID,
            let place = downloads.place(at: Int(number - Self.firstAppTransactionID)), appTransactionID(of: place) == id
        else { return nil }
        return place
    }

    private func text(ofToken token: RowIndex<UUID>?) -> String? { token.map { tokens[$0].uuidString.lowercased() } }

    func originalPurchaseDate(of record: TransactionRecord) -> Instant {
        guard record.original != record.transaction, let first = transactions[record.original].latest else {
            return record.purchasedAt
        }
        return records[first].purchasedAt
    }

    private func addOffer(
        _ offer: RowIndex<OfferTerms>?, of app: App, product: RowIndex<ProductTerms>,
        to members: inout [String: JSONText]
    ) {
        guard let offer else { return }
        let (terms, source) = (app.offers[offer], app.catalogOffer(offer))
        members["offerType"] = .integer(terms.isRetention ? OfferType.retention.rawValue : terms.kind.number)
        if terms.kind != .introductory { members["offerIdentifier"] = .text(source.id) }
        members["offerDiscountType"] = .string(terms.mode.word)
        // A one-time payment covers no period.
        guard terms.mode != .oneTime else { return }
        members["offerPeriod"] = .text(
            source.period?.text ?? app.product(product).subscription?.subscriptionPeriod?.text)
    }
}

extension JSONText {
    /// Returns a date in the App Store's JSON format: milliseconds since 1970.
    static func date(_ instant: Instant?) -> JSONText { .whole(instant?.millisecondsSince1970) }
}

extension ProductTerms.Kind {
    /// The type of the product, as it is named in the App Store's JSON.
    var productType: Product.ProductType {
        switch self {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewing: .nonRenewable
        case .autoRenewable: .autoRenewable
        }
    }
}

extension Plan {
    fileprivate var word: String {
        switch self {
        case .upFront: BillingPlanType.billedUpfront.rawValue
        case .monthly: BillingPlanType.monthly.rawValue
        }
    }
}

extension Revocation.Kind {
    fileprivate var word: String {
        switch self {
        case .fullRefund: RevocationType.fullRefund.rawValue
        case .proratedRefund: RevocationType.proratedRefund.rawValue
        case .family: RevocationType.familyRevocation.rawValue
        case .assignment: RevocationType.assignmentRevocation.rawValue
        }
    }
}

extension SubscriptionOffer.Kind {
    fileprivate var number: Int64 {
        switch self {
        case .introductory: OfferType.introductory.rawValue
        case .promotional: OfferType.promotional.rawValue
        case .code: OfferType.code.rawValue
        case .winBack: OfferType.winBack.rawValue
        }
    }
}

extension SubscriptionOffer.PaymentMode {
    fileprivate var word: String {
        switch self {
        case .freeTrial: OfferDiscountType.freeTrial.rawValue
        case .oneTime: OfferDiscountType.oneTime.rawValue
        case .payAsYouGo: OfferDiscountType.payAsYouGo.rawValue
        case .payUpFront: OfferDiscountType.payUpFront.rawValue
        }
    }
}
