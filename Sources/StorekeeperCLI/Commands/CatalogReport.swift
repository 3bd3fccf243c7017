import FoundationEssentials
import Storekeeper

/// A catalog, as `products` prints it.
enum CatalogReport {
    /// - Parameter diagnostics: Diagnostics in addition to the catalog's own.
    static func json(_ catalog: Catalog, diagnostics: [Diagnostic] = []) -> JSONText {
        .object([
            "products": .array(catalog.products.map { json($0, in: catalog) }),
            "subscriptionGroups": .array(
                catalog.groups.map { group in
                    .object([
                        "id": .text(group.id), "name": .text(group.name),
                        "products": .array(group.productIDs.map { .text($0) }),
                    ])
                }),
            "features": .array(
                catalog.features.map { feature in
                    .object([
                        "id": .text(feature.id), "products": .array(feature.productIDs.map { .text($0) }),
                    ])
                }),
            "diagnostics": .array(Diagnostic.sorted(catalog.diagnostics + diagnostics).map(\.json)),
        ])
    }

    private static func json(_ product: Product, in catalog: Catalog) -> JSONText {
        let subscription = product.subscription
        let offers = product.offers
        let plans = subscription?.billingPlans ?? []
        return .object([
            "id": .text(product.id), "type": .text(product.type?.word), "displayName": .text(product.displayName),
            "price": .money(product.price), "currency": .text(product.currencyCode),
            "familyShareable": product.isFamilyShareable.map(JSONText.bool) ?? .null,
            "subscriptionGroupID": .text(groupID(of: product, in: catalog)),
            "groupLevel": .whole(subscription?.groupLevel),
            "period": .text(subscription?.subscriptionPeriod?.text),
            "offers": offers.isEmpty ? .null : .array(offers.map(json)),
            "billingPlans": plans.isEmpty ? .null : .array(plans.map(json)),
            "accessDuration": .text(product.accessDuration?.text),
            "stacking": product.stacking == .extend ? .string(product.stacking.rawValue) : .null,
            "grants": product.grants.isEmpty ? .null : .members(grants(product)),
        ])
    }

    private static func grants(_ product: Product) -> [JSONText.MemberName: JSONText] {
        Dictionary(
            uniqueKeysWithValues: product.grants.map { (JSONText.MemberName($0.key.rawValue), .integer($0.value)) })
    }

    private static func json(_ plan: BillingPlan) -> JSONText {
        .object([
            "type": .string(plan.type.word), "price": .money(plan.price),
            "commitmentPrice": .money(plan.commitmentPrice), "enabled": plan.isEnabled ? .null : .bool(false),
        ])
    }

    private static func json(_ offer: SubscriptionOffer) -> JSONText {
        let eligibility = words(offer.eligibility)
        return .object([
            "kind": .string(offer.kind.rawValue), "id": .text(offer.id),
            "paymentMode": .text(offer.paymentMode?.rawValue), "period": .text(offer.period?.text),
            "periodCount": .whole(offer.periodCount), "price": .money(offer.price),
            "billingPlan": .text(offer.billingPlanType?.word),
            "eligibility": eligibility.isEmpty ? .null : .array(eligibility.map(JSONText.string)),
            "stackable": offer.kind == .code || offer.isStackable ? .bool(offer.isStackable) : .null,
            "eligible": offer.isEligible.map(JSONText.bool) ?? .null,
        ])
    }

    /// Returns the names of the customer groups in a fixed order.
    static func words(_ eligibility: Set<SubscriptionOffer.CustomerEligibility>) -> [String] {
        SubscriptionOffer.CustomerEligibility.allCases.filter(eligibility.contains).map(\.word)
    }

    private static func groupID(of product: Product, in catalog: Catalog) -> SubscriptionGroup.ID? {
        product.subscription?.subscriptionGroupID ?? catalog.group(containing: product.id)?.id
    }
}
