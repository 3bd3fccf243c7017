import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// The names and prices of an app's products, as customers read them.
struct ProductNames: Sendable {
    let catalog: Catalog
    private let format: LocaleFormat
    private let locale: LocaleID

    /// Creates the names of an app's products, in the language of the app's catalog.
    ///
    /// If the catalog names no language, the names are in American English.
    init(of app: String, in store: SimulatedAppStore) {
        catalog = (try? store.catalog(of: app)) ?? .empty
        locale = catalog.locale ?? "en_US"
        format = LocaleFormat(locale)
    }

    /// Returns the name of a product, or its id if the product has no name.
    subscript(id: Product.ID) -> String { catalog.product(id)?.displayName(in: locale) ?? id.rawValue }

    /// Returns the id of a product as secondary text; `nil` if the id is used as the name.
    func secondary(_ id: Product.ID) -> String? { self[id] == id.rawValue ? nil : id.rawValue }

    /// Returns a product's name with its id, as lists of choices show it.
    func choice(_ id: Product.ID) -> String { secondary(id).map { "\(self[id]) (\($0))" } ?? id.rawValue }

    /// Returns an amount as customers read it.
    func price(_ amount: Decimal, _ currency: String?) -> String { format.price(amount, currency: currency) }

    /// Returns a length of time in words.
    func length(_ period: SubscriptionPeriod) -> String { period.displayText(in: locale) }

    /// Returns the price of an offer in words: `$1.99 a period for 3 periods`.
    func terms(of offer: SubscriptionOffer, currency: String?) -> String {
        let price = offer.price.map { self.price($0, currency) }
        let length = offer.period.map(self.length)
        let total = offer.periodCount == 1 ? length : length.map { "\(offer.periodCount) times \($0)" }
        switch offer.paymentMode {
        case .freeTrial: return ["free", total.map { "for \($0)" }].compactMap(\.self).joined(separator: " ")
        case .payAsYouGo:
            let periods = offer.periodCount == 1 ? "1 period" : "\(offer.periodCount) periods"
            return "\(price ?? "no price") a period for \(periods)"
        case .payUpFront:
            return [price ?? "no price", "once", total.map { "for \($0)" }].compactMap(\.self).joined(separator: " ")
        case .oneTime, nil: return price ?? "no price"
        }
    }
}
