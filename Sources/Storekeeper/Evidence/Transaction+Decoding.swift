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
                case .webOrderLineItemId: webOrderLineItemID = try member.string(in: text)
                case .bundleId: bundleID = try member.nonEmptyString(in: text, sharing: &texts)
                case .productId: productID = try member.nonEmptyString(in: text, sharing: &texts)
                case .subscriptionGroupIdentifier: groupID = try member.nonEmptyString(in: text, sharing: &texts)
                case .purchaseDate: purchasedAt = try member.instant(in: text)
                case .originalPurchaseDate: originallyPurchasedAt = try member.instant(in: text)
                case .expiresDate: expiresAt = try member.instant(in: text)
                case .quantity:
                    quantity = try member.integer(in: text)
                    guard (1...Transaction.maximumQuantity).contains(quantity) else {
                        throw PayloadError(name.rawValue, "is not between 1 and \(Transaction.maximumQuantity)")
                    }
                case .type: type = try member.word(in: text, &unknown, mayBeEmpty: false)
                case .appAccountToken: appAccountToken = unknown.uuid(try member.string(in: text), of: member)
                case .inAppOwnershipType: ownership = try member.word(in: text, &unknown)
                case .signedDate: signedAt = try member.instant(in: text)
                case .revocationDate: revokedAt = try member.instant(in: text)
                case .revocationReason:
                    revocationReason = unknown.noting(
                        RevocationReason(rawValue: try member.integer(in: text)), of: member)
                case .revocationType: revocationType = try member.word(in: text, &unknown)
                case .revocationPercentage:
                    let percentage = try member.integer(in: text)
                    guard (0...100_000).contains(percentage) else {
                        throw PayloadError(name.rawValue, "is not between 0 and 100000")
                    }
                    revocationPercentage = percentage
                case .isUpgraded: isUpgraded = try member.bool()
                case .offerType:
                    offerType = unknown.noting(OfferType(rawValue: try member.integer(in: text)), of: member)
                case .offerIdentifier: offerID = try member.string(in: text)
                case .offerDiscountType: offerPaymentMode = try member.word(in: text, &unknown)
                case .offerPeriod: offerPeriod = try member.string(in: text)
                case .environment: environment = try member.word(in: text, &unknown, mayBeEmpty: false)
                case .storefront: storefront = try member.string(in: text)
                case .storefrontId: storefrontID = try member.string(in: text)
                case .transactionReason: reason = try member.word(in: text, &unknown)
                case .price: price = try member.integer(in: text)
                case .currency: currency = try member.string(in: text)
                case .appTransactionId: appTransactionID = try member.string(in: text)
                case .billingPlanType: billingPlanType = try member.word(in: text, &unknown)
                case .commitmentInfo: commitmentInfo = try CommitmentInfo(object.value(of: entry), named: member.name)
                case .deviceVerification: deviceVerification = try member.string(in: text)
                case .deviceVerificationNonce:
                    deviceVerificationNonce = unknown.uuid(try member.string(in: text), of: member)
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
            self.revokedAt = revokedAt
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
    fileprivate init(_ value: JSONValue, named name: String) throws(PayloadError) {
        guard let object = value.object else { throw PayloadError(name, "is not an object") }
        billingPeriodNumber = object["billingPeriodNumber"]?.int64
        totalBillingPeriods = object["totalBillingPeriods"]?.int64
        commitmentExpiresAt = object["commitmentExpiresDate"]?.truncatedInt64.flatMap(
            Instant.init(millisecondsSince1970:))
        commitmentPriceInMilliunits = object["commitmentPrice"]?.int64
    }
}

/// Collects members whose values this version does not know.
struct UnknownValues {
    private(set) var descriptions: [String] = []

    mutating func note(_ description: String) { descriptions.append(description) }

    mutating func noting<Value: OpenValue>(_ value: Value, of member: PayloadMember<some RawRepresentable<String>>)
        -> Value
    {
        if !value.isKnown { descriptions.append("\(member.name): \(value.rawValue)") }
        return value
    }

    mutating func uuid(_ text: String, of member: PayloadMember<some RawRepresentable<String>>) -> UUID? {
        let uuid = UUIDText.uuid(text.utf8)
        // Not quoted: a token may say who the customer is.
        if uuid == nil, !text.isEmpty { descriptions.append("\(member.name): not a UUID") }
        return uuid
    }
}
