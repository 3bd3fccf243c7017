import FoundationEssentials

extension Catalog {
    /// The names, descriptions and translations to include in the JSON of a catalog.
    package enum Texts: Hashable, Sendable {
        /// Only the default names, without translations.
        case names
        /// The names and descriptions, with their translations into all languages.
        case all
        /// The names, descriptions, prices and periods in one language.
        case localized(LocaleID)

        var locale: LocaleID? { if case .localized(let locale) = self { locale } else { nil } }
    }

    /// Returns the catalog as `storekeeper products` prints it, without diagnostics.
    ///
    /// The result is a valid list of products: reading it returns the same products, groups and features.
    package func json(_ texts: Texts) -> JSONText { listing(texts).json }

    /// The catalog with its texts, as `storekeeper products` prints it.
    package func listing(_ texts: Texts) -> CatalogListing { CatalogListing(catalog: self, texts: texts) }
}

/// A catalog with its texts, as `storekeeper products` prints it.
package struct CatalogListing: JSONShaped {
    fileprivate let catalog: Catalog
    fileprivate let texts: Catalog.Texts

    package static let shape = JSONShape<Self>(
        "Products",
        [
            .member("version", "The version that the catalog file gives.") {
                $0.texts == .names ? nil : $0.catalog.version
            },
            .member("locale", "The requested language.") { $0.texts.locale?.identifier },
            .member("products") { row in
                row.catalog.products.map { ProductRow(product: $0, catalog: row.catalog, texts: row.texts) }
            },
            .member("subscriptionGroups") { row in
                row.catalog.groups.map { GroupRow(group: $0, texts: row.texts) }
            },
            .member("features") { $0.catalog.features },
        ])
}

extension Feature: JSONShaped {
    /// The feature as `storekeeper products` prints it.
    package static let shape = JSONShape<Feature>(
        "Feature",
        [
            .member("id") { $0.id }, .member("products") { $0.productIDs },
            .member("paidPeriods") { $0.paidPeriods ? true : nil },
            .member("originalVersionBefore") { $0.originalVersionBefore },
            .member("originalPurchaseBefore") { $0.originalPurchaseBefore },
        ])
}

/// A subscription group with its texts.
private struct GroupRow: JSONShaped {
    let group: SubscriptionGroup
    let texts: Catalog.Texts

    static let shape = JSONShape<Self>(
        "SubscriptionGroup",
        [
            .member("id") { $0.group.id }, .member("name") { $0.group.name },
            .member("displayName", "The name in the requested language.") { row in
                row.texts.locale.flatMap { row.group.displayName(in: $0) }
            },
            .member("localizations") { $0.texts == .all ? $0.group.localizations.ifAny : nil },
            .member("products", "The highest service first.") { $0.group.productIDs },
        ])
}

extension SubscriptionGroup.Localization: JSONShaped {
    package static let shape = JSONShape<SubscriptionGroup.Localization>(
        "GroupLocalization",
        [
            .member("locale") { $0.locale.identifier }, .member("displayName") { $0.displayName },
            .member("customAppName") { $0.customAppName }, .member("description") { $0.description },
        ])
}

extension Product.Localization: JSONShaped {
    package static let shape = JSONShape<Product.Localization>(
        "Localization",
        [
            .member("locale") { $0.locale.identifier }, .member("displayName") { $0.displayName },
            .member("description") { $0.description },
        ])
}

/// A product with its texts.
private struct ProductRow: JSONShaped {
    let product: Product
    let catalog: Catalog
    let texts: Catalog.Texts

    static let shape = JSONShape<Self>(
        "Product",
        [
            .member("id") { $0.product.id }, .member("type") { $0.product.type?.word },
            .member("displayName") { $0.localized { $0.displayName(in: $1) } ?? $0.defaultName },
            .member("description") {
                $0.texts == .all ? $0.product.description : $0.localized { $0.description(in: $1) }
            },
            .member("localizations") { $0.texts == .all ? $0.product.localizations.ifAny : nil },
            .member("price", "A decimal number.") { $0.product.price },
            .member("currency") { $0.product.currencyCode },
            .member("displayPrice", "The price in the requested language.") {
                $0.localized { $0.displayPrice(in: $1) }
            },
            .member("familyShareable") { $0.product.isFamilyShareable },
            .member("subscriptionGroupID") {
                $0.product.subscription?.subscriptionGroupID ?? $0.catalog.group(containing: $0.product.id)?.id
            },
            .member("groupLevel") { $0.product.subscription?.groupLevel },
            .member("period", "An ISO 8601 duration.") { $0.product.subscription?.subscriptionPeriod?.text },
            .member("periodText", "The period in the requested language.") {
                $0.localized { ($0.subscription?.subscriptionPeriod ?? $0.accessDuration)?.displayText(in: $1) }
            },
            .member("offers") { row in
                row.product.offers.map { OfferRow(offer: $0, product: row.product, texts: row.texts) }.ifAny
            },
            .member("billingPlans") { row in
                (row.product.subscription?.billingPlans ?? [])
                    .map { PlanRow(plan: $0, product: row.product, texts: row.texts) }.ifAny
            },
            .member("accessDuration") { $0.product.accessDuration?.text },
            .member("stacking") { $0.product.stacking == .extend ? $0.product.stacking.rawValue : nil },
            .member("members", "The products of which the product is a bundle.") { $0.product.members.ifAny },
            .member("grants", "Units by balance.", as: grantsSchema) { $0.grants },
        ])

    private static let grantsSchema = JSONSchema(
        type: "object", ["additionalProperties": .object(JSONSchema.integer.keywords)])

    private var grants: JSONText? {
        guard !product.grants.isEmpty else { return nil }
        return .members(
            Dictionary(
                uniqueKeysWithValues: product.grants.map {
                    (JSONText.MemberName($0.key.rawValue), JSONText.integer($0.value))
                }))
    }

    /// The name outside of any language; `nil` if the product is printed in one language.
    private var defaultName: String? { texts.locale == nil ? product.displayName : nil }

    /// Returns a text in the requested language; `nil` if no language is requested.
    private func localized(_ text: (Product, LocaleID) -> String?) -> String? {
        texts.locale.flatMap { text(product, $0) }
    }
}

/// A billing plan of a product with its texts.
private struct PlanRow: JSONShaped {
    let plan: BillingPlan
    let product: Product
    let texts: Catalog.Texts

    static let shape = JSONShape<Self>(
        "BillingPlan",
        [
            .member("type") { $0.plan.type.word }, .member("price") { $0.plan.price },
            .member("commitmentPrice") { $0.plan.commitmentPrice },
            .member("displayPrice") { $0.product.priceText($0.plan.price, $0.texts) },
            .member("enabled") { $0.plan.isEnabled ? nil : false },
        ])
}

/// An offer of a product with its texts.
private struct OfferRow: JSONShaped {
    let offer: SubscriptionOffer
    let product: Product
    let texts: Catalog.Texts

    static let shape = JSONShape<Self>(
        "Offer",
        [
            .member("kind", as: .words(of: SubscriptionOffer.Kind.self)) { $0.offer.kind.rawValue },
            .member("id") { $0.offer.id },
            .member("paymentMode", as: .words(of: SubscriptionOffer.PaymentMode.self)) {
                $0.offer.paymentMode?.rawValue
            },
            .member("period") { $0.offer.period?.text },
            .member("periodText") { row in row.texts.locale.flatMap { row.offer.period?.displayText(in: $0) } },
            .member("periodCount") { $0.offer.periodCount }, .member("price") { $0.offer.price },
            .member("displayPrice") { $0.product.priceText($0.offer.price, $0.texts) },
            .member("billingPlan") { $0.offer.billingPlanType?.word },
            .member(
                "eligibility",
                as: .array(of: .words(SubscriptionOffer.CustomerEligibility.allCases.map(\.word)))
            ) { $0.offer.eligibilityWords.ifAny },
            .member("stackable") { $0.offer.kind == .code || $0.offer.isStackable ? $0.offer.isStackable : nil },
            .member("eligible") { $0.offer.isEligible },
        ])
}

extension Product {
    /// Returns an amount in the product's currency and the requested language; `nil` if no language is requested.
    fileprivate func priceText(_ amount: Decimal?, _ texts: Catalog.Texts) -> String? {
        guard let amount, let locale = texts.locale else { return nil }
        return LocaleFormat(locale).price(amount, currency: currencyCode)
    }
}

extension SubscriptionOffer {
    /// The customers who may redeem the offer, in words and in a fixed order.
    package var eligibilityWords: [String] {
        CustomerEligibility.allCases.filter(eligibility.contains).map(\.word)
    }
}
