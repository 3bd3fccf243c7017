public import FoundationEssentials
import Storekeeper

/// A product that an app sells.
///
/// - SeeAlso: Apple, "StoreKit: Product".
public struct Product: Identifiable, Sendable {
    /// The underlying product, as the product source describes it.
    let record: Storekeeper.Product
    let binding: StoreBinding

    /// The id of the product.
    public var id: String { record.id.rawValue }
    /// The type.
    public var type: ProductType { ProductType(rawValue: record.type?.rawValue ?? "") }
    /// The name that customers see; empty if the catalog has none.
    public var displayName: String { record.displayName ?? "" }
    /// The description that customers see; empty if the catalog has none.
    public var description: String { record.description ?? "" }
    /// The price in units of the currency; 0 if the catalog has no price.
    public var price: Decimal { record.price ?? 0 }
    /// The price as text; empty if the catalog has no price.
    public var displayPrice: String { record.price.map(priceFormatStyle.format) ?? "" }
    /// The format style of ``displayPrice``, which can format other amounts in the same currency.
    public var priceFormatStyle: PriceFormatStyle { PriceFormatStyle(currencyCode: record.currencyCode ?? "") }
    /// Whether a purchase can be shared with the family.
    public var isFamilyShareable: Bool { record.isFamilyShareable ?? false }
    /// The details of an auto-renewable subscription.
    public var subscription: SubscriptionInfo? { SubscriptionInfo(self) }

    /// Returns the products with the given ids; ids without a product are left out.
    ///
    /// - Throws: ``StoreKitError`` if no store is bound, or if the source of products fails.
    public static func products(for identifiers: some Collection<String>) async throws -> [Product] {
        let binding = try StoreKit.required()
        do {
            return try await binding.products(for: identifiers.map { Storekeeper.Product.ID($0) })
                .map { Product(record: $0, binding: binding) }
        } catch {
            throw StoreKitError(error)
        }
    }

    /// The latest transaction of the product, which may be revoked; `nil` if the product has no transaction.
    public var latestTransaction: VerificationResult<Transaction>? {
        get async { await Transaction.latest(for: record.id, in: binding) }
    }

    /// The transaction that entitles the customer to the product now.
    public var currentEntitlement: VerificationResult<Transaction>? {
        get async {
            for await result in currentEntitlements { return result }
            return nil
        }
    }

    /// The transactions that entitle the customer to the product now.
    public var currentEntitlements: Transaction.Transactions {
        let id = record.id
        return Transaction.list(in: binding) { $0.store.currentEntitlements.filter { $0.productID == id } }
    }

    /// The type of a product.
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        /// The App Store's name for the type, such as `Consumable`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A product that can be bought repeatedly, and that is used up.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// A product that is bought once and owned permanently.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// A product that gives access for a limited time, which the app measures.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// A subscription that renews until it is cancelled.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")

        /// The type in English.
        public var localizedDescription: String { rawValue }
    }

    /// Formats amounts in the currency of a product.
    public struct PriceFormatStyle: FormatStyle, Sendable {
        /// The currency, by ISO 4217.
        public let currencyCode: String

        /// Returns the text of an amount with its currency, in the format of the United States.
        public func format(_ value: Decimal) -> String {
            LocaleFormat("en_US").price(value, currency: currencyCode.isEmpty ? nil : currencyCode)
        }
    }
}

extension Product: Hashable, CustomDebugStringConvertible {
    /// Returns whether two products have equal properties.
    public static func == (left: Product, right: Product) -> Bool { left.record == right.record }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(record.id) }

    /// The id and the type.
    public var debugDescription: String { "\(id) (\(type.rawValue))" }
}
