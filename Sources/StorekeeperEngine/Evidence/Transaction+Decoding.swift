import FoundationEssentials

extension Transaction {
    /// The members of the payload, by the App Store's names.
    enum Member: String, CaseIterable, Sendable {
        case transactionId, originalTransactionId, webOrderLineItemId, bundleId, productId
        case subscriptionGroupIdentifier, purchaseDate, originalPurchaseDate, expiresDate, quantity, type
        case appAccountToken, inAppOwnershipType, signedDate, revocationDate, revocationReason, revocationType
        case revocationPercentage, isUpgraded, offerType, offerIdentifier, offerDiscountType, offerPeriod
        case environment, storefront, storefrontId, transactionReason, price, currency, appTransactionId
        case billingPlanType, commitmentInfo, deviceVerification, deviceVerificationNonce

        static let table = WordTable(Member.self)
    }

    /// The largest quantity that is believed; the App Store sells ten at a time, and seats by the thousand.
    static let maximumQuantity: Int64 = 1_000_000_000

    fileprivate static func missing(_ member: Member) -> PayloadError { PayloadError(member.rawValue, "is missing") }

    /// What a transaction carries, shared by its copies: a vault hands out thousands of transactions, and a copy of
    /// thirty members takes longer than most of what is done with it.
    final class Content: Sendable {
        // What rules look at stands first, side by side in memory.

        let id: ID
        let originalID: ID
        let productID: Product.ID
        let productType: Product.ProductType
        let subscriptionGroupID: String?
        let purchasedAt: Instant
        let expiresAt: Instant?
        let signedAt: Instant
        let revokedAt: Instant?
        let isUpgraded: Bool
        let ownershipType: OwnershipType
        let reason: TransactionReason?
        let webOrderLineItemID: String?
        let appBundleID: String
        let originallyPurchasedAt: Instant?
        let purchasedQuantity: Int
        let appAccountToken: UUID?
        let revocationReason: RevocationReason?
        let revocationType: RevocationType?
        let revocationPercentage: Int64?
        let offer: Offer?
        let environment: AppStore.Environment
        let storefrontCountryCode: String?
        let storefrontID: String?
        let priceInMilliunits: Int64?
        let currencyCode: String?
        let appTransactionID: String?
        let billingPlanType: BillingPlanType?
        let commitmentInfo: CommitmentInfo?
        let deviceVerification: String?
        let deviceVerificationNonce: UUID?
        let source: EvidenceSource
        let unknownValues: [String]

        init(
            payload: JSONValue, source: EvidenceSource, sharing texts: inout SharedTexts
        ) throws(PayloadError) {
            guard let object = payload.object else { throw PayloadError("payload", "is not an object") }
            var id: String?
            var originalID: String?
            var webOrderLineItemID: String?
            var bundleID: String?
            var productID: String?
            var groupID: String?
            var purchasedAt: Instant?
            var originallyPurchasedAt: Instant?
            var expiresAt: Instant?
            var quantity: Int64 = 1
            var type: Product.ProductType?
            var appAccountToken: UUID?
            var ownership = OwnershipType.purchased
            var signedAt: Instant?
            var revokedAt: Instant?
            var isRevokedAtUnknownTime = false
            var revocationReason: RevocationReason?
            var revocationType: RevocationType?
            var revocationPercentage: Int64?
            var isUpgraded = false
            var offerType: OfferType?
            var offerID: String?
            var offerPaymentMode: OfferDiscountType?
            var offerPeriod: String?
            var environment: AppStore.Environment?
            var storefront: String?
            var storefrontID: String?
            var reason: TransactionReason?
            var price: Int64?
            var currency: String?
            var appTransactionID: String?
            var billingPlanType: BillingPlanType?
            var commitmentInfo: CommitmentInfo?
            var deviceVerification: String?
            var deviceVerificationNonce: UUID?
            var unknown = UnknownValues()

            let names = Member.table
            try object.forEachPresent { entry, text throws(PayloadError) in
                guard let name = names.value(of: entry.name, in: text) else { return }
                let member = PayloadMember(name, entry.value)
                switch name {
                case .transactionId: id = try member.nonEmptyString(in: text)
                case .originalTransactionId: originalID = try member.nonEmptyString(in: text, sharing: &texts)
                case .webOrderLineItemId: webOrderLineItemID = member.text(in: text, &unknown)
                case .bundleId: bundleID = try member.nonEmptyString(in: text, sharing: &texts)
                case .productId: productID = try member.nonEmptyString(in: text, sharing: &texts)
                case .subscriptionGroupIdentifier: groupID = member.id(in: text, sharing: &texts, &unknown)
                case .purchaseDate: purchasedAt = try member.instant(in: text)
                case .originalPurchaseDate: originallyPurchasedAt = member.time(in: text, &unknown)
                case .expiresDate: expiresAt = member.time(in: text, &unknown)
                case .quantity:
                    quantity = member.number(in: text, of: 1...Transaction.maximumQuantity, &unknown) ?? 1
                case .type: type = try member.word(in: text, &unknown, mayBeEmpty: false)
                case .appAccountToken: appAccountToken = member.uuid(in: text, &unknown)
                case .inAppOwnershipType: ownership = member.openWord(in: text, &unknown) ?? .purchased
                case .signedDate: signedAt = try member.instant(in: text)
                case .revocationDate:
                    revokedAt = member.time(in: text, &unknown)
                    isRevokedAtUnknownTime = revokedAt == nil
                case .revocationReason: revocationReason = member.code(in: text, &unknown)
                case .revocationType: revocationType = member.openWord(in: text, &unknown)
                case .revocationPercentage:
                    revocationPercentage = member.number(in: text, of: 0...100_000, &unknown)
                case .isUpgraded: isUpgraded = member.truth(&unknown) ?? false
                case .offerType: offerType = member.code(in: text, &unknown)
                case .offerIdentifier: offerID = member.text(in: text, &unknown)
                case .offerDiscountType: offerPaymentMode = member.openWord(in: text, &unknown)
                case .offerPeriod: offerPeriod = member.text(in: text, &unknown)
                case .environment: environment = try member.word(in: text, &unknown, mayBeEmpty: false)
                case .storefront: storefront = member.text(in: text, &unknown)
                case .storefrontId: storefrontID = member.text(in: text, &unknown)
                case .transactionReason: reason = member.openWord(in: text, &unknown)
                case .price: price = member.number(in: text, of: 0...Int64.max, &unknown)
                case .currency: currency = member.text(in: text, &unknown)
                case .appTransactionId: appTransactionID = member.text(in: text, &unknown)
                case .billingPlanType: billingPlanType = member.openWord(in: text, &unknown)
                case .commitmentInfo:
                    commitmentInfo = CommitmentInfo(object.value(of: entry), named: member.name, &unknown)
                case .deviceVerification: deviceVerification = member.text(in: text, &unknown)
                case .deviceVerificationNonce: deviceVerificationNonce = member.uuid(in: text, &unknown)
                }
            }
            guard let id else { throw Transaction.missing(.transactionId) }
            guard let originalID else { throw Transaction.missing(.originalTransactionId) }
            guard let bundleID else { throw Transaction.missing(.bundleId) }
            guard let productID else { throw Transaction.missing(.productId) }
            guard let purchasedAt else { throw Transaction.missing(.purchaseDate) }
            guard let type else { throw Transaction.missing(.type) }
            guard let environment else { throw Transaction.missing(.environment) }
            guard let signedAt else { throw Transaction.missing(.signedDate) }

            self.id = ID(rawValue: id)
            self.originalID = ID(rawValue: originalID)
            self.webOrderLineItemID = webOrderLineItemID
            appBundleID = bundleID
            self.productID = productID
            subscriptionGroupID = groupID
            self.purchasedAt = purchasedAt
            self.originallyPurchasedAt = originallyPurchasedAt
            self.expiresAt = expiresAt
            purchasedQuantity = Int(quantity)
            productType = type
            self.appAccountToken = appAccountToken
            ownershipType = ownership
            self.signedAt = signedAt
            // That it was taken back is certain, only since when is not: at the latest since this copy was signed.
            self.revokedAt = isRevokedAtUnknownTime ? signedAt : revokedAt
            self.revocationReason = revocationReason
            self.revocationType = revocationType
            self.revocationPercentage = revocationPercentage
            self.isUpgraded = isUpgraded
            offer = offerType.map { Offer(type: $0, id: offerID, paymentMode: offerPaymentMode, period: offerPeriod) }
            self.environment = environment
            storefrontCountryCode = storefront
            self.storefrontID = storefrontID
            self.reason = reason
            priceInMilliunits = price
            currencyCode = currency
            self.appTransactionID = appTransactionID
            self.billingPlanType = billingPlanType
            self.commitmentInfo = commitmentInfo
            self.deviceVerification = deviceVerification
            self.deviceVerificationNonce = deviceVerificationNonce
            self.source = source
            unknownValues = unknown.descriptions
        }
    }
}

extension Transaction.CommitmentInfo {
    fileprivate init?(_ value: JSONValue, named name: String, _ unknown: inout UnknownValues) {
        guard let members = InnerMembers(value, named: name, &unknown) else { return nil }
        billingPeriodNumber = members.number("billingPeriodNumber", &unknown)
        totalBillingPeriods = members.number("totalBillingPeriods", &unknown)
        commitmentExpiresAt = members.time("commitmentExpiresDate", &unknown)
        commitmentPriceInMilliunits = members.number("commitmentPrice", &unknown)
    }
}
