import FoundationEssentials
import Storekeeper

/// A catalog as `products` prints it.
enum CatalogReport {
    static func json(_ catalog: Catalog) -> JSONText {
        .object([
            "products": .array(catalog.products.map { json($0, in: catalog) }),
            "subscriptionGroups": .array(
                catalog.groups.map { group in
                    .object([
                        "id": .string(group.id), "name": .text(group.name),
                        "products": .array(group.productIDs.map(JSONText.string)),
                    ])
                }),
            "features": .array(
                catalog.features.map { feature in
                    .object([
                        "id": .string(feature.id), "products": .array(feature.productIDs.map(JSONText.string)),
                    ])
                }),
            "diagnostics": .array(Diagnostic.sorted(catalog.diagnostics).map(\.json)),
        ])
    }

    private static func json(_ product: Product, in catalog: Catalog) -> JSONText {
        let subscription = product.subscription
        let offers = subscription?.offers ?? []
        return .object([
            "id": .string(product.id), "type": .text(product.type?.word), "displayName": .text(product.displayName),
            "price": .money(product.price), "currency": .text(product.currencyCode),
            "familyShareable": product.isFamilyShareable.map(JSONText.bool) ?? .null,
            "subscriptionGroupID": .text(groupID(of: product, in: catalog)),
            "groupLevel": .whole(subscription?.groupLevel),
            "period": .text(subscription?.subscriptionPeriod?.text),
            "offers": offers.isEmpty ? .null : .array(offers.map(json)),
            "accessDuration": .text(product.accessDuration?.text),
            "stacking": product.stacking == .extend ? .string(product.stacking.rawValue) : .null,
            "grants": product.grants.isEmpty ? .null : .object(product.grants.mapValues(JSONText.integer)),
        ])
    }

    private static func json(_ offer: SubscriptionOffer) -> JSONText {
        .object([
            "kind": .string(offer.kind.rawValue), "id": .text(offer.id),
            "paymentMode": .text(offer.paymentMode?.rawValue), "period": .text(offer.period?.text),
            "periodCount": .whole(offer.periodCount), "price": .money(offer.price),
        ])
    }

    private static func groupID(of product: Product, in catalog: Catalog) -> String? {
        product.subscription?.subscriptionGroupID ?? catalog.group(containing: product.id)?.id
    }

    static func lines(_ catalog: Catalog, _ style: TerminalStyle) -> [String] {
        var sections: [[String]] = []
        var products = TextTable("PRODUCT", "TYPE", "GROUP", "LEVEL", "PRICE", "PERIOD", "OFFERS")
        for product in catalog.products {
            let subscription = product.subscription
            products.add(
                product.id, product.type?.word ?? "", groupID(of: product, in: catalog) ?? "",
                subscription?.groupLevel.map(String.init) ?? "", price(product.price, product.currencyCode),
                (subscription?.subscriptionPeriod ?? product.accessDuration)?.text ?? "",
                subscription?.offers.map { words($0, product.currencyCode) }.joined(separator: ", ") ?? "")
        }
        if !products.isEmpty { sections.append(products.lines(style)) }

        var groups = TextTable("GROUP", "NAME", "PRODUCTS, HIGHEST SERVICE FIRST")
        for group in catalog.groups { groups.add(group.id, group.name ?? "", ranking(of: group, in: catalog)) }
        if !groups.isEmpty { sections.append(groups.lines(style)) }

        var features = TextTable("FEATURE", "PRODUCTS THAT GIVE IT")
        for feature in catalog.features { features.add(feature.id, feature.productIDs.joined(separator: ", ")) }
        if !features.isEmpty { sections.append(features.lines(style)) }

        guard !sections.isEmpty else { return ["The catalog is empty."] }
        return Array(sections.joined(separator: [""]))
    }

    private static func price(_ price: Decimal?, _ currency: String?) -> String {
        price.map { $0.description + (currency.map { " " + $0 } ?? "") } ?? ""
    }

    /// Such as `introductory P1W free trial` or `loyal 3 × P1M at 4.99 USD`.
    private static func words(_ offer: SubscriptionOffer, _ currency: String?) -> String {
        var words = [offer.id.map { "\(offer.kind.rawValue) \"\($0)\"" } ?? offer.kind.rawValue]
        if let period = offer.period {
            words.append(offer.periodCount > 1 ? "\(offer.periodCount) × \(period.text)" : period.text)
        }
        if offer.paymentMode == .freeTrial {
            words.append("free")
        } else if let amount = offer.price {
            words.append("at \(price(amount, currency))")
        }
        return words.joined(separator: " ")
    }

    /// The products of a group; `=` stands between those of one level, `>` before a lower one.
    private static func ranking(of group: SubscriptionGroup, in catalog: Catalog) -> String {
        var text = ""
        var last: Int?
        for (position, id) in group.productIDs.enumerated() {
            let level = catalog.product(id)?.subscription?.groupLevel
            if position > 0 { text += level != nil && level == last ? " = " : " > " }
            text += id
            last = level
        }
        return text
    }
}
