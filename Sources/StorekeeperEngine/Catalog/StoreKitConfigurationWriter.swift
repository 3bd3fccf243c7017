import FoundationEssentials

/// Writes a catalog as a StoreKit configuration in version 4 of Xcode's format.
///
/// The members `internalID` and `identifier` are used only inside the file. Each is derived from the object that it
/// identifies, so that the output is deterministic. The settings are Xcode's defaults, except the locale and the
/// storefront. The storefront determines the currency of all prices.
struct StoreKitConfigurationWriter {
    private let catalog: Catalog
    private let storefront: Storefront
    private var encoder = CatalogEncoder(format: .storeKitConfiguration) { _ in true }
    private var usedIDs: Set<UInt32> = []
    private var pricesWithoutCurrency = 0
    /// The index of each product in the catalog.
    private let places: [Product.ID: Int]

    /// Returns the configuration, and diagnostics about the values that the configuration cannot store.
    static func document(of catalog: Catalog) -> (root: DocumentValue, diagnostics: [Diagnostic]) {
        var writer = StoreKitConfigurationWriter(catalog: catalog, storefront: Storefront(of: catalog))
        let root = writer.root()
        return (root, Diagnostic.sorted(writer.encoder.diagnostics))
    }

    private init(catalog: Catalog, storefront: Storefront) {
        self.catalog = catalog
        self.storefront = storefront
        places = Dictionary(
            catalog.products.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func root() -> DocumentValue {
        var nonRenewing: [DocumentValue] = []
        var others: [DocumentValue] = []
        for product in catalog.products where !isListed(product) {
            if let type = product.type, type.hasMembers {
                let what = type == .subscriptionSuite ? "suite" : "bundle"
                encoder.reportLoss(
                    "a subscription \(what), so it is omitted; keep it in a JSON or property list",
                    of: product.id.rawValue)
                continue
            }
            guard let entry = entry(product, group: nil) else { continue }
            if product.type == .nonRenewable { nonRenewing.append(entry) } else { others.append(entry) }
        }
        var root = DocumentDictionary()
        // The identifier is derived from the sorted ids, because the order of the file differs from the order of the
        // catalog.
        root.add("identifier", text: internalID(catalog.products.map(\.id.rawValue).sorted().joined(separator: "\n")))
        root.add("nonRenewingSubscriptions", .array(nonRenewing))
        root.add("products", .array(others))
        root.add("settings", .dictionary(settings))
        root.add("subscriptionGroups", .array(catalog.groups.compactMap { group($0) }))
        var version = DocumentDictionary()
        version.add("major", number: 4)
        version.add("minor", number: 0)
        root.add("version", .dictionary(version))
        root.add(unknown: catalog.unknown.configuration, of: "products", with: &encoder)
        if root["appPolicies"] == nil { root.add("appPolicies", .dictionary(Self.policies)) }
        for feature in catalog.features {
            encoder.reportLoss(
                "the products of a feature; keep them in a JSON or property list", of: feature.id.rawValue)
        }
        reportDefaults()
        return .dictionary(root)
    }

    /// Reports the values that are missing in the catalog and are written with their default.
    private mutating func reportDefaults() {
        let unshared = catalog.products.count { $0.isFamilyShareable == nil }
        if unshared > 0 {
            encoder.reportLoss(
                "that family sharing is not known (\(Self.products(unshared))): the file says 'not shareable'",
                of: "familyShareable",
                severity: .note)
        }
        let unnamed = catalog.products.count { $0.displayName == nil }
        if unnamed > 0 {
            encoder.reportLoss(
                "that a name is missing (\(Self.products(unnamed))): the id is read as the name", of: "displayName",
                severity: .note)
        }
        if pricesWithoutCurrency > 0 {
            encoder.reportLoss(
                "a price without a currency (\(Self.products(pricesWithoutCurrency))): the file says "
                    + storefront.currency,
                of: "_storefront")
        }
    }

    private static func products(_ count: Int) -> String { count == 1 ? "1 product" : "\(count) products" }

    // MARK: Groups

    /// Returns whether a product is listed in its group, which is possible only if the product has a level.
    private func isListed(_ product: Product) -> Bool {
        guard !(product.type?.hasMembers ?? false), let group = catalog.group(containing: product.id),
            encoder.id(group.id.rawValue) != nil
        else { return false }
        return product.subscription?.groupLevel.map((1...1_000_000).contains) ?? false
    }

    private mutating func group(_ group: SubscriptionGroup) -> DocumentValue? {
        let types = group.productIDs.map { catalog.product($0)?.type }
        // A group of bundles or suites would be an empty group of subscriptions.
        if !types.isEmpty, types.allSatisfy({ $0?.hasMembers ?? false }) { return nil }
        guard let id = encoder.id(group.id.rawValue) else {
            encoder.reportLoss("the id of this group, so its products are outside of it", of: group.id.rawValue)
            return nil
        }
        for alias in group.aliases.sorted() {
            encoder.reportLoss("the further name \"\(alias.rawValue.prefix(40))\"", of: id)
        }
        var entry = DocumentDictionary()
        entry.add("id", text: id)
        entry.add("localizations", .array(encoder.localizations(group.localizations, of: id)))
        entry.add("name", text: encoder.text(group.name, "a name", of: id))
        let products = group.productIDs.compactMap { catalog.product($0) }.filter(isListed)
        entry.add("subscriptions", .array(inWrittenOrder(products).compactMap { self.entry($0, group: id) }))
        entry.add(unknown: group.unknown.configuration, of: id, with: &encoder)
        return .dictionary(entry)
    }

    /// Returns the products of a group in the order in which they are written.
    ///
    /// The order of the catalog is preferred, so that reading the file returns the products in this order. A reader
    /// sorts a group's products by level, and products of one level by their order in the file. If the order of the
    /// catalog would change the order within the group, the products are written by level instead.
    private func inWrittenOrder(_ products: [Product]) -> [Product] {
        let inCatalog = Self.sorted(products) { places[$0.id] ?? .max }
        let byLevel = Self.sorted(products, by: \.groupLevel)
        let isKept = Self.sorted(inCatalog, by: \.groupLevel).map(\.id) == byLevel.map(\.id)
        return isKept ? inCatalog : byLevel
    }

    /// Returns products sorted by a number; products with equal numbers remain in their order.
    private static func sorted(_ products: [Product], by number: (Product) -> Int) -> [Product] {
        products.enumerated().map { (number: number($0.element), offset: $0.offset, product: $0.element) }
            .sorted { ($0.number, $0.offset) < ($1.number, $1.offset) }.map(\.product)
    }

    // MARK: Products

    private mutating func entry(_ product: Product, group: String?) -> DocumentValue? {
        guard let id = encoder.id(product.id.rawValue) else {
            encoder.reportLoss("the product id, so the product is omitted", of: product.id.rawValue)
            return nil
        }
        reportLostMembers(of: product)
        var entry = DocumentDictionary()
        entry.add("displayPrice", text: price(of: product))
        entry.add("familyShareable", .bool(product.isFamilyShareable ?? false))
        entry.add("internalID", text: internalID(id))
        entry.add("localizations", .array(localizations(of: product)))
        entry.add("productID", text: id)
        entry.add("referenceName", text: product.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? id)
        if let type = encoder.type(product.type, of: id) {
            entry.add("type", text: type.configurationWord)
        } else if product.type == nil {
            encoder.reportLoss("a product without a type: give it one, else Xcode cannot read the file", of: id)
        }
        if let subscription = product.subscription {
            add(subscription, of: product, group: group, to: &entry)
        } else if !product.codeOffers.isEmpty {
            let offers = product.codeOffers.enumerated().map {
                offer($1, of: id, currency: product.currencyCode, number: $0)
            }
            entry.add("codeOffers", .array(offers))
        }
        entry.add(unknown: product.unknown.configuration, of: id, with: &encoder)
        return .dictionary(entry)
    }

    /// Reports the values of a product that the configuration cannot store.
    private mutating func reportLostMembers(of product: Product) {
        if !product.members.isEmpty {
            encoder.reportLoss("the members of a product", of: product.id.rawValue)
        }
        if !product.grants.isEmpty {
            encoder.reportLoss(
                "the grants of a consumable; keep them in a JSON or property list", of: product.id.rawValue)
        }
        if product.accessDuration != nil {
            encoder.reportLoss(
                "the access duration of a purchase; keep it in a JSON or property list", of: product.id.rawValue)
        }
        if product.stacking != .parallel { encoder.reportLoss("how purchases stack", of: product.id.rawValue) }
    }

    private mutating func add(
        _ subscription: Product.SubscriptionInfo, of product: Product, group: String?,
        to entry: inout DocumentDictionary
    ) {
        let id = product.id.rawValue
        if let group {
            entry.add("subscriptionGroupID", text: group)
        } else if let group = catalog.group(containing: product.id)?.id ?? subscription.subscriptionGroupID {
            encoder.reportLoss("a product of the group \(group) without a level: it is outside of the group", of: id)
            entry.add("subscriptionGroupID", text: group.rawValue)
        }
        entry.add("groupNumber", number: encoder.count(subscription.groupLevel, "the level", of: id))
        entry.add("recurringSubscriptionPeriod", text: encoder.period(subscription.subscriptionPeriod, of: id))
        var offers: [SubscriptionOffer.Kind: [DocumentValue]] = [:]
        for offer in subscription.offers {
            let number = offers[offer.kind]?.count ?? 0
            offers[offer.kind, default: []].append(
                self.offer(offer, of: id, currency: product.currencyCode, number: number))
        }
        let introductory = subscription.offers.filter { $0.kind == .introductory }
        // The value of this key is the offer of the plan that is billed up front. Newer versions of Xcode use another
        // key for the list of all introductory offers.
        let first = introductory.firstIndex { $0 == subscription.introductoryOffer }
        entry.add("introductoryOffer", first.flatMap { offers[.introductory]?[$0] } ?? .null)
        if introductory.count > 1 { entry.add("introductoryOffers", .array(offers[.introductory] ?? [])) }
        entry.add("adHocOffers", .array(offers[.promotional] ?? []))
        entry.add("codeOffers", .array(offers[.code] ?? []))
        entry.add("winbackOffers", .array(offers[.winBack] ?? []))
        let plans = subscription.billingPlans.enumerated().compactMap { plan($1, of: product, number: $0) }
        if !plans.isEmpty { entry.add("billingPlans", .array(plans)) }
    }

    /// Returns the texts in all languages, completed so that reading them returns the product's name and description.
    private mutating func localizations(of product: Product) -> [DocumentValue] {
        let id = product.id.rawValue
        var texts = product.localizations
        var blank: [DocumentValue] = []
        let chosen = CatalogDraft.chosen(among: texts.map(\.locale), for: locale) ?? (texts.isEmpty ? nil : 0)
        let read = chosen.map { texts[$0] }
        if (read?.displayName ?? product.displayName) != product.displayName || read?.description != product.description
            || texts.isEmpty
        {
            // A name that equals the id is not written, because a reader uses the id as the name of a product without a
            // name.
            let isNamed = product.displayName.map { Product.ID($0) } != product.id
            let own = Product.Localization(
                locale: locale, displayName: isNamed ? product.displayName : nil, description: product.description)
            if own.isEmpty, !product.localizations.isEmpty {
                // Without an entry for the locale, a reader would use the texts of another locale.
                var entry = DocumentDictionary()
                entry.add("description", text: "")
                entry.add("displayName", text: "")
                entry.add("locale", text: locale.identifier)
                blank = [.dictionary(entry)]
            }
            if let place = texts.firstIndex(where: { $0.locale == locale }) {
                texts[place] = own
            } else {
                texts.insert(own, at: 0)
            }
        }
        return blank + encoder.localizations(texts, of: id, blank: "")
    }

    // MARK: Prices

    /// Returns the price of a product; `nil` if the price is not in the storefront's currency.
    private mutating func price(of product: Product) -> String? {
        guard let price = encoder.price(product.price, of: product.id.rawValue) else { return nil }
        if product.currencyCode == nil {
            pricesWithoutCurrency += 1
        } else if product.currencyCode != storefront.currency {
            encoder.reportLoss(
                "prices in \(product.currencyCode ?? "") together with prices in \(storefront.currency): they are omitted",
                of: product.id.rawValue)
            return nil
        }
        let plan = product.subscription?.billingPlans.first { $0.type == .billedUpfront && $0.isEnabled }?.price
        if let plan, plan != product.price {
            encoder.reportLoss("a price other than \(plan), that of the plan billed up front", of: product.id.rawValue)
        }
        return price
    }

    /// Returns the price of an offer or plan; `nil` if the price is not in the storefront's currency.
    private mutating func price(
        _ price: Decimal?, currency: String?, of id: String
    ) -> String? {
        guard currency == nil || currency == storefront.currency else { return nil }
        return encoder.price(price, of: id)
    }

    private mutating func plan(_ plan: BillingPlan, of product: Product, number: Int) -> DocumentValue? {
        guard let type = encoder.planType(plan.type, of: product.id.rawValue) else { return nil }
        var entry = DocumentDictionary()
        entry.add("billingPlanType", text: type.rawValue)
        let currency = product.currencyCode
        entry.add(
            "commitmentDisplayPrice", text: price(plan.commitmentPrice, currency: currency, of: product.id.rawValue))
        entry.add("displayPrice", text: price(plan.price, currency: currency, of: product.id.rawValue))
        entry.add("internalID", text: internalID("\(product.id)\nplan\(number)"))
        entry.add("isEnabled", .bool(plan.isEnabled))
        entry.add(unknown: plan.unknown.configuration, of: product.id.rawValue, with: &encoder)
        return .dictionary(entry)
    }

    private mutating func offer(
        _ offer: SubscriptionOffer, of id: String, currency: String?, number: Int
    ) -> DocumentValue {
        var entry = DocumentDictionary()
        if offer.paymentMode == .freeTrial, offer.price != 0 {
            encoder.reportLoss("a price of a free offer other than 0", of: id)
        } else if offer.paymentMode != .freeTrial {
            entry.add("displayPrice", text: price(offer.price, currency: currency, of: id))
        }
        entry.add("internalID", text: internalID("\(id)\n\(offer.kind.rawValue)\(number)"))
        let count = encoder.count(offer.periodCount, "the number of periods", of: id)
        entry.add("numberOfPeriods", number: count)
        entry.add("paymentMode", text: offer.paymentMode?.configurationWord)
        entry.add("subscriptionPeriod", text: encoder.period(offer.period, of: id))
        entry.add("billingPlanType", text: encoder.planType(offer.billingPlanType, of: id)?.rawValue)
        let name = encoder.text(offer.id?.rawValue, "an offer's id", of: id)
        if offer.kind == .introductory, offer.id != nil {
            encoder.reportLoss("the id of an introductory offer", of: id)
        } else if let name {
            if offer.kind != .code { entry.add("offerID", text: name) }
            entry.add("referenceName", text: name)
        }
        if offer.kind == .code {
            let words = SubscriptionOffer.CustomerEligibility.allCases.filter(offer.eligibility.contains)
            entry.add("eligibility", .array(words.map { .string($0.rawValue) }))
            entry.add("isStackable", .bool(offer.isStackable))
        } else if !offer.eligibility.isEmpty || offer.isStackable {
            encoder.reportLoss("the eligibility or stacking of an offer that is not an offer code", of: id)
        }
        if offer.kind == .winBack {
            entry.add("isEligible", offer.isEligible.map(DocumentValue.bool))
        } else if offer.isEligible != nil {
            encoder.reportLoss("the eligibility of an offer that is not a win-back offer", of: id)
        }
        entry.add(unknown: offer.unknown.configuration, of: id, with: &encoder)
        return .dictionary(entry)
    }

    // MARK: The rest of the file

    /// The language of the products' default names and descriptions.
    private var locale: LocaleID { catalog.locale.flatMap { encoder.id($0.identifier) == nil ? nil : $0 } ?? "en_US" }

    private var settings: DocumentDictionary {
        var settings = DocumentDictionary()
        for key in [
            "_askToBuyEnabled", "_billingGracePeriodEnabled", "_billingIssuesEnabled", "_disableDialogs",
            "_failTransactionsEnabled", "_renewalBillingIssuesEnabled",
        ] {
            settings.add(key, .bool(false))
        }
        settings.add("_locale", text: locale.identifier)
        settings.add("_storeKitErrors", .array([]))
        settings.add("_storefront", text: storefront.country)
        settings.add("_timeRate", number: 0)
        return settings
    }

    private static var policies: DocumentDictionary {
        var policy = DocumentDictionary()
        policy.add("locale", text: "en_US")
        policy.add("policyText", text: "")
        policy.add("policyURL", text: "")
        var policies = DocumentDictionary()
        policies.add("eula", text: "")
        policies.add("policies", .array([.dictionary(policy)]))
        return policies
    }

    /// Returns eight hexadecimal digits of the subject's FNV-1a hash, or of the next unused number if the hash is
    /// already used.
    private mutating func internalID(_ subject: String) -> String {
        var hash: UInt32 = 0x811C_9DC5
        for byte in subject.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        while !usedIDs.insert(hash).inserted { hash &+= 1 }
        let digits = String(hash, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// A country with a storefront that sells in the most frequent currency of a catalog's prices.
private struct Storefront {
    var country = "USA"
    var currency = "USD"

    init(of catalog: Catalog) {
        var counts: [String: Int] = [:]
        var order: [String] = []
        for product in catalog.products where product.price != nil {
            guard let code = product.currencyCode, StorefrontCurrency.country(forCurrency: code) != nil else {
                continue
            }
            if counts[code] == nil { order.append(code) }
            counts[code, default: 0] += 1
        }
        // If two currencies are equally frequent, the first currency in the catalog is used.
        let most = order.map { counts[$0] ?? 0 }.max()
        if let code = order.first(where: { counts[$0] == most }),
            let country = StorefrontCurrency.country(forCurrency: code)
        {
            (self.country, currency) = (country, code)
        }
    }
}

extension Product {
    /// The service level; the lowest possible level if the product has none.
    fileprivate var groupLevel: Int { subscription?.groupLevel ?? .max }
}

extension Product.ProductType {
    /// The raw string in a StoreKit configuration.
    fileprivate var configurationWord: String {
        switch self {
        case .consumable: "Consumable"
        case .nonConsumable: "NonConsumable"
        case .nonRenewable: "NonRenewingSubscription"
        default: "RecurringSubscription"
        }
    }
}

extension SubscriptionOffer.PaymentMode {
    /// The raw string in a StoreKit configuration.
    fileprivate var configurationWord: String { self == .freeTrial ? "free" : rawValue }
}
