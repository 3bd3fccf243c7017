import FoundationEssentials

/// Writes a catalog as a list in this project's format.
///
/// Every product is a member of `products`, so that the order of the products is preserved. `subscriptions` contains
/// the groups, each with the ids of its products that have a level. The levels are also written explicitly, because an
/// explicit level takes precedence over the order of a list in another file. Members are named as in the documented
/// format, and are in an order that is easy to read.
struct ProductListWriter {
    private let catalog: Catalog
    private var encoder: CatalogEncoder

    /// Returns the list, and diagnostics about the values that the list cannot store.
    static func document(
        of catalog: Catalog, format: WrittenCatalog.Format, isEncodable: @escaping (String) -> Bool
    ) -> (root: DocumentValue, diagnostics: [Diagnostic]) {
        var writer = ProductListWriter(
            catalog: catalog, encoder: CatalogEncoder(format: format, isEncodable: isEncodable))
        let root = writer.root()
        return (root, Diagnostic.sorted(writer.encoder.diagnostics))
    }

    private mutating func root() -> DocumentValue {
        var root = DocumentDictionary()
        root.add("version", text: encoder.text(catalog.version, "a version", of: "version"))
        root.add("locale", text: encoder.text(catalog.locale?.identifier, "a language", of: "locale"))
        root.add("products", .array(catalog.products.compactMap { product($0) }))
        let groups = catalog.groups.compactMap { group($0) }
        if !groups.isEmpty { root.add("subscriptions", .array(groups)) }
        let features = features()
        if !features.members.isEmpty { root.add("features", .dictionary(features)) }
        root.add(unknown: catalog.unknown.list, of: "products", with: &encoder)
        return .dictionary(root)
    }

    // MARK: Products

    private mutating func product(_ product: Product) -> DocumentValue? {
        guard let id = encoder.id(product.id.rawValue) else {
            encoder.reportLoss("the product id, so the product is omitted", of: product.id.rawValue)
            return nil
        }
        var entry = DocumentDictionary()
        entry.add("id", text: id)
        entry.add("type", text: encoder.type(product.type, of: id)?.word)
        entry.add("displayName", text: encoder.text(product.displayName, "a name", of: id))
        entry.add("description", text: encoder.text(product.description, "a description", of: id))
        let localizations = encoder.localizations(product.localizations, of: id)
        if !localizations.isEmpty { entry.add("localizations", .array(localizations)) }
        let price = encoder.price(product.price, of: id)
        entry.add("price", text: price)
        entry.add("currency", text: currency(product.currencyCode, hasPrice: price != nil, of: id))
        entry.add("familyShareable", product.isFamilyShareable.map(DocumentValue.bool))
        if let subscription = product.subscription {
            let level = encoder.count(subscription.groupLevel, "the level", of: id)
            // A product without a level refers to its group itself, because the list in the group would give it a
            // level.
            if level == nil { entry.add("group", text: encoder.text(group(of: product), "a group", of: id)) }
            entry.add("level", number: level)
            entry.add("period", text: encoder.period(subscription.subscriptionPeriod, of: id))
            let plans = subscription.billingPlans.compactMap { plan($0, of: id) }
            if !plans.isEmpty { entry.add("billingPlans", .array(plans)) }
        }
        let offers = product.offers.map { offer($0, of: id) }
        if !offers.isEmpty { entry.add("offers", .array(offers)) }
        entry.add("accessDuration", text: encoder.period(product.accessDuration, of: id))
        if product.stacking != .parallel { entry.add("stacking", text: product.stacking.rawValue) }
        let members = product.members.compactMap { encoder.id($0.rawValue) }
        if members.count < product.members.count { encoder.reportLoss("the id of a member", of: id) }
        if !members.isEmpty { entry.add("members", .array(members.map(DocumentValue.string))) }
        let grants = grants(of: product)
        if !grants.members.isEmpty { entry.add("grants", .dictionary(grants)) }
        entry.add(unknown: product.unknown.list, of: id, with: &encoder)
        // A product with only an id is written as a string, unless a reader would infer a group from a string with this
        // id.
        return entry.members.count == 1 && CatalogMerge.group(inName: product.id) == nil
            ? .string(id) : .dictionary(entry)
    }

    private mutating func currency(_ code: String?, hasPrice: Bool, of id: String) -> String? {
        guard let code, hasPrice else { return nil }
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (65...90).contains($0) }) else {
            encoder.reportLoss("the currency \"\(code.prefix(40))\"", of: id)
            return nil
        }
        return code
    }

    private func group(of product: Product) -> String? {
        (catalog.group(containing: product.id)?.id ?? product.subscription?.subscriptionGroupID)?.rawValue
    }

    private mutating func grants(of product: Product) -> DocumentDictionary {
        var grants = DocumentDictionary()
        for (name, amount) in product.grants.sorted(by: { $0.key < $1.key }) {
            let balance = name.rawValue
            if !balance.isEmpty, encoder.isEncodable(balance), (1...ProductListReader.maximumGrant).contains(amount) {
                grants.add(balance, .number(String(amount)))
            } else {
                encoder.reportLoss("that it grants \(amount) of \"\(balance.prefix(40))\"", of: product.id.rawValue)
            }
        }
        return grants
    }

    // MARK: Offers

    private mutating func offer(_ offer: SubscriptionOffer, of id: String) -> DocumentValue {
        var entry = DocumentDictionary()
        entry.add("kind", text: offer.kind.rawValue)
        if offer.kind == .introductory, offer.id != nil {
            encoder.reportLoss("the id of an introductory offer", of: id)
        }
        if offer.kind != .introductory {
            entry.add("id", text: encoder.text(offer.id?.rawValue, "an offer's id", of: id))
        }
        entry.add("paymentMode", text: offer.paymentMode?.rawValue)
        entry.add("period", text: encoder.period(offer.period, of: id))
        if offer.periodCount != 1 {
            entry.add("periodCount", number: encoder.count(offer.periodCount, "the number of periods", of: id))
        }
        if offer.paymentMode == .freeTrial, offer.price != 0 {
            encoder.reportLoss("a price of a free offer other than 0", of: id)
        } else {
            entry.add("price", text: encoder.price(offer.price, "the offer's price", of: id))
        }
        entry.add("billingPlan", text: encoder.planType(offer.billingPlanType, of: id)?.word)
        let eligibility = SubscriptionOffer.CustomerEligibility.allCases.filter(offer.eligibility.contains)
        if !eligibility.isEmpty { entry.add("eligibility", .array(eligibility.map { .string($0.word) })) }
        if offer.isStackable { entry.add("stackable", .bool(true)) }
        entry.add("eligible", offer.isEligible.map(DocumentValue.bool))
        entry.add(unknown: offer.unknown.list, of: id, with: &encoder)
        return .dictionary(entry)
    }

    private mutating func plan(_ plan: BillingPlan, of id: String) -> DocumentValue? {
        guard let type = encoder.planType(plan.type, of: id) else { return nil }
        var entry = DocumentDictionary()
        entry.add("type", text: type.word)
        entry.add("price", text: encoder.price(plan.price, of: id))
        entry.add("commitmentPrice", text: encoder.price(plan.commitmentPrice, of: id))
        if !plan.isEnabled { entry.add("enabled", .bool(false)) }
        entry.add(unknown: plan.unknown.list, of: id, with: &encoder)
        return .dictionary(entry)
    }

    // MARK: Groups and features

    private mutating func group(_ group: SubscriptionGroup) -> DocumentValue? {
        let id = group.id.rawValue
        guard !id.isEmpty, encoder.isEncodable(id) else {
            encoder.reportLoss("the id of this group, so the group is omitted", of: id)
            return nil
        }
        var entry = DocumentDictionary()
        entry.add("group", text: id)
        entry.add("name", text: encoder.text(group.name, "a name", of: id))
        var aliases: [DocumentValue] = []
        for alias in group.aliases.sorted() {
            if let alias = encoder.text(alias.rawValue, "a further word", of: id) { aliases.append(.string(alias)) }
        }
        if !aliases.isEmpty { entry.add("aliases", .array(aliases)) }
        let localizations = encoder.localizations(group.localizations, of: id)
        if !localizations.isEmpty { entry.add("localizations", .array(localizations)) }
        // Products of one level form a nested list.
        var tiers: [(level: Int, products: [DocumentValue])] = []
        for id in group.productIDs {
            guard let level = catalog.product(id)?.subscription?.groupLevel, let id = encoder.id(id.rawValue) else {
                continue
            }
            if tiers.last?.level == level {
                tiers[tiers.count - 1].products.append(.string(id))
            } else {
                tiers.append((level, [.string(id)]))
            }
        }
        entry.add("products", .array(tiers.map { $0.products.count == 1 ? $0.products[0] : .array($0.products) }))
        entry.add(unknown: group.unknown.list, of: id, with: &encoder)
        return .dictionary(entry)
    }

    private mutating func features() -> DocumentDictionary {
        var features = DocumentDictionary()
        var names: Set<Feature.ID> = []
        for feature in catalog.features {
            guard let name = encoder.id(feature.id.rawValue), names.insert(feature.id).inserted else {
                encoder.reportLoss("the id of this feature, so the feature is omitted", of: feature.id.rawValue)
                continue
            }
            let products = DocumentValue.array(
                feature.productIDs.compactMap { encoder.id($0.rawValue) }.map(DocumentValue.string))
            var conditions = DocumentDictionary()
            if feature.paidPeriods { conditions.add("paidPeriods", .bool(true)) }
            if let version = feature.originalVersionBefore, AppVersion(version) != nil {
                conditions.add("originalVersionBefore", .string(version))
            }
            if let instant = feature.originalPurchaseBefore {
                conditions.add("originalPurchaseBefore", .string(instant.description))
            }
            guard !conditions.members.isEmpty else {
                features.add(name, products)
                continue
            }
            var long = DocumentDictionary()
            long.add("products", products)
            long.members += conditions.members
            features.add(name, .dictionary(long))
        }
        return features
    }
}
