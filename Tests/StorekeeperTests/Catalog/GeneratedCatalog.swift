import FoundationEssentials
import StorekeeperTesting

@testable import StorekeeperEngine

/// A random catalog, of the kind that readers return.
struct GeneratedCatalog {
    /// The number of cases that a shard of a property tries.
    static var count: Int { PropertySettings.environment.count(of: 60) }

    let catalog: Catalog

    /// - Parameter isLocalized: Whether the catalog has texts in several languages, a version and unknown members.
    init(seed: UInt64, isLocalized: Bool = false) {
        var maker = Builder(random: SplitMix64(seed: seed &* 0x5851_F42D_4C95_7F2D &+ 1), isLocalized: isLocalized)
        catalog = maker.catalog()
    }

    /// Returns the part of a catalog that a configuration can contain, in the form in which a reader returns it.
    static func asConfiguration(_ catalog: Catalog) -> Catalog {
        var counts: [String: Int] = [:]
        for product in catalog.products where product.price != nil {
            counts[product.currencyCode ?? "-", default: 0] += 1
        }
        counts["-"] = nil
        let order = catalog.products.compactMap { $0.price == nil ? nil : $0.currencyCode }
        let most = counts.values.max() ?? 0
        let currency = order.first { counts[$0] == most } ?? "USD"
        func read(_ product: Product) -> Product {
            var product = product
            product.displayName = product.displayName ?? product.id.rawValue
            let own = Product.Localization(
                locale: "en_US",
                displayName: product.displayName == product.id.rawValue ? nil : product.displayName,
                description: product.description)
            if product.localizations.isEmpty, !own.isEmpty { product.localizations = [own] }
            product.isFamilyShareable = product.isFamilyShareable ?? false
            let isForeign = product.currencyCode != nil && product.currencyCode != currency
            if isForeign { product.price = nil }
            product.currencyCode = product.price == nil ? nil : currency
            product.grants = [:]
            product.accessDuration = nil
            product.stacking = .parallel
            let offers = product.subscription?.offers ?? []
            let kinds: [SubscriptionOffer.Kind] = [.introductory, .promotional, .code, .winBack]
            product.subscription?.offers = kinds.flatMap { kind in offers.filter { $0.kind == kind } }.map { offer in
                var offer = offer
                if offer.kind != .code { (offer.eligibility, offer.isStackable) = ([], false) }
                if offer.kind != .winBack { offer.isEligible = nil }
                if isForeign, offer.paymentMode != .freeTrial { offer.price = nil }
                return offer
            }
            for index in (product.subscription?.billingPlans ?? []).indices where isForeign {
                product.subscription?.billingPlans[index].price = nil
                product.subscription?.billingPlans[index].commitmentPrice = nil
            }
            let plan = product.subscription?.billingPlans.first { $0.type == .billedUpfront && $0.isEnabled }
            if let price = plan?.price { (product.price, product.currencyCode) = (price, currency) }
            return product
        }
        let listed = Set(
            catalog.groups.flatMap(\.productIDs).filter { catalog.product($0)?.subscription?.groupLevel != nil })
        let loose = catalog.products.filter { !listed.contains($0.id) }
        let grouped = catalog.groups.flatMap { group -> [Product.ID] in
            let members = group.productIDs.filter(listed.contains)
            let inCatalog = catalog.products.map(\.id).filter { members.contains($0) }
            let levels = inCatalog.map { catalog.product($0)?.subscription?.groupLevel ?? .max }
            let byLevel = inCatalog.indices.sorted { (levels[$0], $0) < (levels[$1], $1) }.map { inCatalog[$0] }
            // If the sorted products do not have the order of the group, because products of one level are in another
            // order, the order of the group is used.
            return byLevel == members ? inCatalog : members
        }
        let products =
            loose.filter { $0.type == .nonRenewable } + loose.filter { $0.type != .nonRenewable }
            + grouped.compactMap { catalog.product($0) }
        let groups = catalog.groups.map { group -> SubscriptionGroup in
            var read = SubscriptionGroup(id: group.id, name: group.name, productIDs: group.productIDs)
            read.localizations = group.localizations
            return read
        }
        return Catalog(products: products.map(read), groups: groups, features: [])
    }
}

/// Makes the parts of a catalog.
private struct Builder {
    var random: SplitMix64
    let isLocalized: Bool

    private static let letters = Array("abcXYZ019._-é ßñ漢🚗<>&\"'\\/\t\u{7F}\u{2028}")

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func text() -> String {
        String(
            (0...Int.random(in: 0...8, using: &random)).compactMap { _ in Self.letters.randomElement(using: &random) })
    }

    /// Returns a text without surrounding white space.
    mutating func name(_ number: Int) -> String { "n\(text())\(number)" }

    mutating func price() -> Decimal {
        let digits = Int64.random(in: 0...99_999, using: &random)
        return Decimal(sign: .plus, exponent: -Int.random(in: 0...3, using: &random), significand: Decimal(digits))
    }

    mutating func period() -> SubscriptionPeriod {
        SubscriptionPeriod(
            ["P1D", "P7D", "P1W", "P2W", "P1M", "P3M", "P1Y", "P1M2D", "odd"].randomElement(using: &random) ?? "P1M")
    }

    mutating func plan() -> BillingPlanType? {
        [nil, .billedUpfront, .monthly, BillingPlanType(rawValue: "WEEKLY")].randomElement(using: &random) ?? nil
    }

    mutating func offer(_ number: Int) -> SubscriptionOffer {
        let kinds: [SubscriptionOffer.Kind] = [.introductory, .promotional, .code, .winBack]
        var offer = SubscriptionOffer(kind: kinds.randomElement(using: &random) ?? .code)
        if offer.kind != .introductory, chance(90) { offer.id = SubscriptionOffer.ID(name(number)) }
        offer.paymentMode = chance(90) ? SubscriptionOffer.PaymentMode.allCases.randomElement(using: &random) : nil
        offer.period = chance(90) ? period() : nil
        offer.periodCount = chance(40) ? Int.random(in: 1...12, using: &random) : 1
        offer.price = offer.paymentMode == .freeTrial ? 0 : chance(80) ? price() : nil
        offer.billingPlanType = plan()
        if chance(40) {
            offer.eligibility = Set(SubscriptionOffer.CustomerEligibility.allCases.filter { _ in chance(50) })
            offer.isStackable = chance(50)
        }
        if chance(30) { offer.isEligible = chance(50) }
        return offer
    }

    mutating func product(_ number: Int) -> Product {
        var product = Product(id: Product.ID(name(number)))
        product.type = chance(85) ? [.consumable, .nonConsumable, .nonRenewable].randomElement(using: &random) : nil
        if chance(60) { product.displayName = text() }
        if chance(30) { product.description = text() }
        if isLocalized {
            for locale in ["de", "en_US", "zh-Hant"] as [LocaleID] where chance(40) {
                let description = chance(50) ? text() : nil
                product.localizations.append(
                    .init(locale: locale, displayName: text(), description: description))
            }
            if chance(30) { product.unknown.list = [.init(name: "new\(number)", value: .array([.string(text())]))] }
        }
        if chance(70) {
            product.price = price()
            product.currencyCode = ["USD", "USD", "EUR", "JPY", nil].randomElement(using: &random) ?? nil
        }
        if chance(50) { product.isFamilyShareable = chance(50) }
        if product.type == .consumable, chance(50) {
            product.grants = ["purse": Int64.random(in: 1...1000, using: &random), BalanceID(name(0)): 1]
        }
        if product.type == .nonRenewable {
            if chance(60) { product.accessDuration = period() }
            product.stacking = chance(30) ? .extend : .parallel
        }
        return product
    }

    mutating func subscription(_ number: Int, group: SubscriptionGroup.ID?, level: Int?) -> Product {
        var product = product(number)
        product.type = .autoRenewable
        (product.grants, product.accessDuration, product.stacking) = ([:], nil, .parallel)
        var info = Product.SubscriptionInfo(subscriptionGroupID: group, groupLevel: level)
        if chance(80) { info.subscriptionPeriod = period() }
        for number in 0..<Int.random(in: 0...3, using: &random) { info.offers.append(offer(number)) }
        if chance(30) {
            info.billingPlans = [
                BillingPlan(type: .billedUpfront, price: product.price, commitmentPrice: chance(50) ? price() : nil),
                BillingPlan(type: plan() ?? .monthly, price: price(), isEnabled: false),
            ]
        }
        product.subscription = info
        return product
    }

    mutating func catalog() -> Catalog {
        var products = (0..<Int.random(in: 0...4, using: &random)).map { product($0) }
        var groups: [SubscriptionGroup] = []
        for number in 0..<Int.random(in: 0...3, using: &random) {
            var group = SubscriptionGroup(id: SubscriptionGroup.ID(name(number)), productIDs: [])
            if chance(60) { group.name = "g\(number)" }
            if chance(30) { group.aliases = ["alias\(number)", "other\(number)"] }
            var level = 0
            var members: [Product] = []
            for member in 0..<Int.random(in: 0...4, using: &random) {
                level += chance(60) || level == 0 ? Int.random(in: 1...2, using: &random) : 0
                // Products without a level are the last products of a group.
                let isRanked = members.last.map { $0.subscription?.groupLevel != nil } ?? true && chance(90)
                members.append(
                    subscription(100 * (number + 1) + member, group: group.id, level: isRanked ? level : nil))
            }
            group.productIDs = members.map(\.id)
            groups.append(group)
            products += members
        }
        if chance(30) { products.append(subscription(900, group: nil, level: chance(50) ? 3 : nil)) }
        // The products are shuffled, except that products without a level keep their order.
        let unranked = Set(products.filter { $0.subscription != nil && $0.subscription?.groupLevel == nil }.map(\.id))
        var shuffled = products.filter { !unranked.contains($0.id) }.shuffled(using: &random)
        for product in products where unranked.contains(product.id) { shuffled.append(product) }
        let features = (0..<Int.random(in: 0...3, using: &random)).map { number in
            Feature(
                id: Feature.ID(name(number)), productIDs: shuffled.filter { _ in chance(40) }.map(\.id),
                paidPeriods: chance(20), originalVersionBefore: chance(20) ? "1.\(number)" : nil,
                originalPurchaseBefore: chance(20) ? Instant("2025-03-01") : nil)
        }
        var catalog = Catalog(products: shuffled, groups: groups, features: features)
        if isLocalized, chance(50) { catalog.version = text() }
        return catalog
    }
}
