public import FoundationEssentials
public import Storekeeper

/// A purchase, a renewal, or a copy of either for a family member.
///
/// - SeeAlso: Apple, "StoreKit: Transaction".
public struct Transaction: StoreSigned, Identifiable {
    /// The transaction of the store.
    let record: Storekeeper.Transaction
    let binding: StoreBinding

    /// The signed fact.
    public var signedFact: (any SignedFact)? { record }

    // MARK: Identity

    /// The id; 0 if the text of the record is not a number.
    public var id: UInt64 { record.id.number }
    /// The id of the first transaction of its chain.
    public var originalID: UInt64 { record.originalID.number }
    /// The billing event of a subscription, the same on all devices.
    public var webOrderLineItemID: String? { record.webOrderLineItemID }
    /// The id of the product.
    public var productID: String { record.productID.rawValue }
    /// The type of the product.
    public var productType: Product.ProductType { Product.ProductType(rawValue: record.productType.rawValue) }
    /// The group of an auto-renewable subscription.
    public var subscriptionGroupID: String? { record.subscriptionGroupID?.rawValue }
    /// The bundle id of the app.
    public var appBundleID: String { record.appBundleID }
    /// The customer's download of the app; empty if an older record has none.
    public var appTransactionID: String { record.appTransactionID ?? "" }
    /// The app's own id for the customer.
    public var appAccountToken: UUID? { record.appAccountToken }
    /// The environment.
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: record.environment.rawValue) }
    /// The environment as text.
    public var environmentStringRepresentation: String { record.environment.rawValue }

    // MARK: Dates

    /// When it was charged; for a renewal, when its period begins.
    public var purchaseDate: Date { record.purchaseDate }
    /// When the first transaction of its chain was charged.
    public var originalPurchaseDate: Date { record.originalPurchaseDate }
    /// The end of the period of an auto-renewable subscription.
    public var expirationDate: Date? { record.expirationDate }
    /// The time from which a refund or the end of sharing takes it away.
    public var revocationDate: Date? { record.revocationDate }
    /// The time of signing.
    public var signedDate: Date { record.signedDate }

    // MARK: The purchase

    /// The number of units bought.
    public var purchasedQuantity: Int { record.purchasedQuantity }
    /// Whether the customer moved to another product before its period ended.
    public var isUpgraded: Bool { record.isUpgraded }
    /// How the customer acquired it.
    public var ownershipType: OwnershipType { OwnershipType(rawValue: record.ownershipType.rawValue) }
    /// Whether the customer's purchase or a renewal caused it; `purchase` if an older record does not contain the
    /// reason.
    public var reason: Reason { record.reason.map { Reason(rawValue: $0.rawValue) } ?? .purchase }
    /// The reason as text.
    public var reasonStringRepresentation: String { reason.rawValue }
    /// Why it was refunded.
    public var revocationReason: RevocationReason? {
        record.revocationReason.map { RevocationReason(rawValue: Int($0.rawValue)) }
    }
    /// How it was revoked.
    public var revocationType: RevocationType? {
        record.revocationType.map { RevocationType(rawValue: $0.rawValue) }
    }
    /// The refunded share, from 0 to 100; `nil` without a refund, and if the record gives none.
    public var revocationPercentage: Decimal? { record.revocationPercentage.map { Decimal($0) / 1000 } }
    /// The offer that applied to it.
    public var offer: Offer? { record.offer.map(Offer.init) }
    /// The type of the offer that applied to it.
    public var offerType: OfferType? { offer?.type }
    /// The id of the offer that applied to it.
    public var offerID: String? { offer?.id }
    /// The payment mode of the offer, as text.
    public var offerPaymentModeStringRepresentation: String? { offer?.paymentMode?.rawValue }
    /// The duration of the offer as ISO 8601 text.
    public var offerPeriodStringRepresentation: String? { record.offer?.period }
    /// The total price in units of the currency.
    public var price: Decimal? { record.price }
    /// The currency of ``price``.
    public var currency: Locale.Currency? { record.currencyCode.map { Locale.Currency($0) } }
    /// The currency of ``price``, by ISO 4217.
    public var currencyCode: String? { record.currencyCode }
    /// The App Store in which it was bought.
    public var storefront: Storefront { Storefront(record) }
    /// The country or region of the App Store, by ISO 3166-1 alpha-3.
    public var storefrontCountryCode: String { storefront.countryCode }
    /// The billing plan of the subscription.
    public var billingPlanType: Product.SubscriptionInfo.BillingPlanType? {
        record.billingPlanType.map { Product.SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }
    /// The commitment of a subscription that is billed monthly.
    public var commitmentInfo: CommitmentInfo? { record.commitmentInfo.flatMap(CommitmentInfo.init) }

    // MARK: The signed text

    /// The payload, as it was signed.
    public var jsonRepresentation: Data { Data(record.jsonRepresentation) }
    /// The digest that ties it to a device; empty if a server obtained it.
    public var deviceVerification: Data { record.deviceDigest }
    /// The salt of ``deviceVerification``; zeros if a server obtained it.
    public var deviceVerificationNonce: UUID { record.deviceNonce }

    // MARK: Calls

    /// The present status of the subscription it belongs to; `nil` for other products.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? {
        get async {
            binding.status(of: record.originalID).map { Product.SubscriptionInfo.Status($0, binding) }
        }
    }

    /// Completes the delivery of the transaction, if the store has not done so yet.
    ///
    /// The store commits a transaction before the app sees it, so that a crash loses nothing. See
    /// ``StoreKit/deliversInApp``.
    public func finish() async { await StoreKit.finish(TransactionKey(record), in: binding.store) }
}

extension Transaction: Hashable, CustomDebugStringConvertible {
    /// Returns whether two transactions have the same content.
    public static func == (left: Transaction, right: Transaction) -> Bool {
        left.record === right.record || left.record.jsonRepresentation == right.record.jsonRepresentation
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(record.id) }

    /// The payload as text.
    public var debugDescription: String { String(decoding: record.jsonRepresentation, as: UTF8.self) }
}

extension Storekeeper.Transaction.ID {
    /// The id as a number; 0 if it is none.
    var number: UInt64 { UInt64(rawValue) ?? 0 }
}

// MARK: - Transactions of the customer

extension Transaction {
    /// A sequence of transactions.
    public typealias Transactions = StoreSequence<VerificationResult<Transaction>>

    /// Returns a sequence of transactions that are read from a store; empty without one.
    static func list(
        in binding: StoreBinding? = StoreKit.binding,
        _ read: @escaping @Sendable (StoreBinding) async throws -> [Storekeeper.Transaction]
    ) -> Transactions {
        Transactions {
            guard let binding else { return [] }
            let found = await StoreBinding.reading { try await read(binding) }
            return (found ?? []).map { .verified(Transaction(record: $0, binding: binding)) }
        }
    }

    /// All transactions of the customer, newest purchase first, finished consumables included.
    public static var all: Transactions { list { try await $0.store.allTransactions } }

    /// Returns all transactions of a product, newest purchase first.
    public static func all(for productID: String) -> Transactions {
        list { try await $0.store.allTransactions.filter { $0.productID.rawValue == productID } }
    }

    /// The transactions that entitle the customer now.
    ///
    /// As in StoreKit, a grace period entitles, and the latest transaction of each non-renewing product is included,
    /// even if its access has ended.
    public static var currentEntitlements: Transactions { list { $0.store.currentEntitlements } }

    /// Returns the transactions that entitle the customer to a product now.
    public static func currentEntitlements(for productID: String) -> Transactions {
        list { $0.store.currentEntitlements.filter { $0.productID.rawValue == productID } }
    }

    /// Returns the transaction that entitles the customer to a product now.
    public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
        for await result in currentEntitlements(for: productID) { return result }
        return nil
    }

    /// Returns the latest transaction of a product, revoked ones included; `nil` before the first.
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
        await latest(for: Storekeeper.Product.ID(productID), in: StoreKit.binding)
    }

    /// Returns the latest transaction of a product in a store.
    static func latest(
        for id: Storekeeper.Product.ID, in binding: StoreBinding?
    ) async -> VerificationResult<Transaction>? {
        for await result in list(in: binding, { try await $0.store.latestTransaction(for: id).map { [$0] } ?? [] }) {
            return result
        }
        return nil
    }

    /// The transactions whose delivery is outstanding, oldest first; see ``StoreKit/deliversInApp``.
    public static var unfinished: Transactions { list { try await $0.store.unfinishedTransactions } }

    /// The outstanding transactions, then each that the store learns, without end.
    ///
    /// Purchases outside the app, renewals, refunds and other newer copies of known transactions; not the result of
    /// ``Product/purchase(options:)``. It begins with what the store learned after it was bound; several loops may read
    /// it at once.
    public static var updates: Transactions {
        .updates(
            of: StoreKit.binding,
            initial: { binding, cursor in
                let unfinished = await StoreBinding.reading { try await binding.store.unfinishedTransactions } ?? []
                for transaction in unfinished { cursor.sent[transaction.id.rawValue] = transaction.stateText }
                return unfinished.map { .verified(Transaction(record: $0, binding: binding)) }
            },
            elements: { update, binding, cursor in
                guard let record = update.transaction else { return [] }
                let known = cursor.sent.updateValue(record.stateText, forKey: record.id.rawValue)
                if known == record.stateText { return [] }
                if known == nil, await binding.isReturned(record) { return [] }
                return [.verified(Transaction(record: record, binding: binding))]
            })
    }
}
