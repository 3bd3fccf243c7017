public import FoundationEssentials
public import Storekeeper

/// A purchase or a renewal, which may be shared by a family member.
///
/// - SeeAlso: Apple, "StoreKit: Transaction".
public struct Transaction: StoreSigned, Identifiable {
    /// The underlying transaction from the store.
    let record: Storekeeper.Transaction
    let binding: StoreBinding

    /// The signed record on which this transaction is based, including its JWS.
    public var signedFact: (any SignedFact)? { record }

    // MARK: Identity

    /// The id; 0 if the App Store's id is not a number.
    public var id: UInt64 { record.id.number }
    /// The id of the first transaction of its chain.
    public var originalID: UInt64 { record.originalID.number }
    /// The id of the billing event of a subscription, which is the same on all devices.
    public var webOrderLineItemID: String? { record.webOrderLineItemID }
    /// The id of the product.
    public var productID: String { record.productID.rawValue }
    /// The type of the product.
    public var productType: Product.ProductType { Product.ProductType(rawValue: record.productType.rawValue) }
    /// The id of the group of an auto-renewable subscription.
    public var subscriptionGroupID: String? { record.subscriptionGroupID?.rawValue }
    /// The bundle id of the app.
    public var appBundleID: String { record.appBundleID }
    /// The id of the customer's app transaction; empty if an older record does not contain it.
    public var appTransactionID: String { record.appTransactionID ?? "" }
    /// The app's own id for the customer.
    public var appAccountToken: UUID? { record.appAccountToken }
    /// The environment.
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: record.environment.rawValue) }
    /// The environment as text.
    public var environmentStringRepresentation: String { record.environment.rawValue }

    // MARK: Dates

    /// The time at which the transaction was charged; for a renewal, the start of the period.
    public var purchaseDate: Date { record.purchaseDate }
    /// The time at which the first transaction of the chain was charged.
    public var originalPurchaseDate: Date { record.originalPurchaseDate }
    /// The end of the period of an auto-renewable subscription.
    public var expirationDate: Date? { record.expirationDate }
    /// The time at which the transaction was revoked by a refund or by the end of sharing.
    public var revocationDate: Date? { record.revocationDate }
    /// The time of signing.
    public var signedDate: Date { record.signedDate }

    // MARK: The purchase

    /// The number of units bought.
    public var purchasedQuantity: Int { record.purchasedQuantity }
    /// Whether the customer changed to another product before the end of the period.
    public var isUpgraded: Bool { record.isUpgraded }
    /// The way in which the customer acquired the transaction.
    public var ownershipType: OwnershipType { OwnershipType(rawValue: record.ownershipType.rawValue) }
    /// The cause of the transaction; `purchase` if an older record does not contain the cause.
    public var reason: Reason { record.reason.map { Reason(rawValue: $0.rawValue) } ?? .purchase }
    /// The text of ``reason``.
    public var reasonStringRepresentation: String { reason.rawValue }
    /// The reason for the refund.
    public var revocationReason: RevocationReason? {
        record.revocationReason.map { RevocationReason(rawValue: Int($0.rawValue)) }
    }
    /// The way in which the transaction was revoked.
    public var revocationType: RevocationType? {
        record.revocationType.map { RevocationType(rawValue: $0.rawValue) }
    }
    /// The refunded share in percent; `nil` without a refund, or if the record does not contain the share.
    public var revocationPercentage: Decimal? { record.revocationPercentage.map(Decimal.init(thousandths:)) }
    /// The offer that applied to the transaction.
    public var offer: Offer? { record.offer.map(Offer.init) }
    /// The type of the offer that applied to the transaction.
    public var offerType: OfferType? { offer?.type }
    /// The id of the offer that applied to the transaction.
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
    /// The App Store in which the product was bought.
    public var storefront: Storefront { Storefront(record) }
    /// The country or region of the App Store, by ISO 3166-1 alpha-3.
    public var storefrontCountryCode: String { storefront.countryCode }
    /// The billing plan of the subscription.
    public var billingPlanType: Product.SubscriptionInfo.BillingPlanType? {
        record.billingPlanType.map { Product.SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }
    /// The position in the commitment of a subscription that is billed monthly.
    public var commitmentInfo: CommitmentInfo? { record.commitmentInfo.flatMap(CommitmentInfo.init) }

    // MARK: The signed text

    /// The payload, as it was signed.
    public var jsonRepresentation: Data { Data(record.jsonRepresentation) }
    /// The digest that ties the transaction to a device; empty if a server obtained the transaction.
    public var deviceVerification: Data { record.deviceDigest }
    /// The salt of ``deviceVerification``; zeros if a server obtained the transaction.
    public var deviceVerificationNonce: UUID { record.deviceNonce }

    // MARK: Calls

    /// The present status of the transaction's subscription; `nil` for other products.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? {
        get async {
            binding.status(of: record.originalID).map { Product.SubscriptionInfo.Status($0, binding) }
        }
    }

    /// Completes the delivery of the transaction, if the delivery is still outstanding.
    ///
    /// The store writes a transaction to the vault before the app receives it, so that a crash does not lose the
    /// transaction. See ``StoreKit/deliversInApp``.
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
    /// The id as a number; 0 if the id is not a number.
    var number: UInt64 { UInt64(rawValue) ?? 0 }
}

// MARK: - Transactions of the customer

extension Transaction {
    /// A sequence of transactions.
    public typealias Transactions = StoreSequence<VerificationResult<Transaction>>

    /// Returns a sequence of transactions that are read from a store; the sequence is empty if no store is bound.
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

    /// All transactions of the customer, including finished consumables, with the newest purchase first.
    public static var all: Transactions { list { try await $0.store.allTransactions } }

    /// Returns all transactions of a product, with the newest purchase first.
    public static func all(for productID: String) -> Transactions {
        list { try await $0.store.allTransactions.filter { $0.productID.rawValue == productID } }
    }

    /// The transactions that currently entitle the customer to products.
    ///
    /// As in StoreKit, a subscription in a grace period is included. The latest transaction of each non-renewing
    /// product is included even if the access has ended.
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

    /// Returns the latest transaction of a product, which may be revoked; `nil` if the product has no transaction.
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

    /// The transactions with an outstanding delivery, with the oldest first; see ``StoreKit/deliversInApp``.
    public static var unfinished: Transactions { list { try await $0.store.unfinishedTransactions } }

    /// An endless sequence of the transactions with an outstanding delivery, followed by each new or changed
    /// transaction.
    ///
    /// The sequence contains purchases made outside of the app, renewals, and changed copies of transactions, for
    /// example after a refund. The sequence does not contain the result of ``Product/purchase(options:)``. Transactions
    /// that the store received before it was bound are not sent, unless their delivery is outstanding. Several loops
    /// may read the sequence at the same time.
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
