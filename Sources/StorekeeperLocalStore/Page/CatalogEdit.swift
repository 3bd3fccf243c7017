import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// An addition to a catalog, read from a form of the page.
enum CatalogEdit: Equatable {
    /// Adds a product; for a subscription, `group` is the name of its group, which may be new.
    case product(Product, group: String?)
    /// Adds an offer to a product.
    case offer(SubscriptionOffer, of: Product.ID)

    /// The mistakes in a form, by the names of its fields.
    struct Mistakes: Error, Equatable {
        var byField: [String: String] = [:]
    }

    /// The types of products, in the order in which the form lists them.
    static let types: [Product.ProductType] = [.autoRenewable, .nonConsumable, .consumable, .nonRenewable]
    /// The subscription periods that App Store Connect offers.
    static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    // MARK: Reading forms

    /// Reads the form of a product.
    ///
    /// - Parameter value: Returns the value of a field; `nil` if the value is empty.
    static func product(in catalog: Catalog, _ value: (String) -> String?) throws(Mistakes) -> CatalogEdit {
        var mistakes = Mistakes()
        let id = trimmed(value("id"))
        let isFitting = id.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (97...122).contains(byte | 0x20) || [45, 46, 95].contains(byte)
        }
        if id.isEmpty {
            mistakes.byField["id"] = "Every product needs an id, such as com.example.gold.monthly."
        } else if !isFitting || id.utf8.count > 100 {
            mistakes.byField["id"] = "An id has up to 100 letters, digits, full stops, hyphens and underscores."
        } else if catalog.product(Product.ID(id)) != nil {
            mistakes.byField["id"] = "The catalog already has a product with this id."
        }
        let type = types.first { $0.word == value("type") }
        if type == nil { mistakes.byField["type"] = "Choose a type." }
        var product = Product(id: Product.ID(id), type: type)
        product.displayName = value("name").map { trimmed($0) }
        product.isFamilyShareable = value("family") == "yes"
        product.price = price(value("price"), "price", &mistakes)
        product.currencyCode =
            product.price == nil ? nil : catalog.products.lazy.compactMap(\.currencyCode).first ?? "USD"
        guard type == .autoRenewable else {
            try check(mistakes)
            return .product(product, group: nil)
        }
        let group = trimmed(value("group"))
        if group.isEmpty { mistakes.byField["group"] = "A subscription needs a group: choose one, or name a new one." }
        let period = period(value("period"), "period", &mistakes)
        var level = 1
        if let text = value("level") {
            level = Int(text) ?? 0
            if !(1...1000).contains(level) { mistakes.byField["level"] = "A level is a whole number from 1." }
        } else if let known = catalog.group(named: group) {
            level = 1 + (known.productIDs.compactMap { catalog.product($0)?.subscription?.groupLevel }.max() ?? 0)
        }
        try check(mistakes)
        product.subscription = Product.SubscriptionInfo(
            subscriptionGroupID: catalog.group(named: group)?.id ?? SubscriptionGroup.ID(group), groupLevel: level,
            subscriptionPeriod: period)
        return .product(product, group: group)
    }

    /// Reads the form of an offer.
    static func offer(in catalog: Catalog, _ value: (String) -> String?) throws(Mistakes) -> CatalogEdit {
        var mistakes = Mistakes()
        let product = value("product").flatMap { catalog.product(Product.ID($0)) }
        if product == nil { mistakes.byField["product"] = "Choose a product of the catalog." }
        let isSubscription = product?.subscription != nil
        let kind = value("kind").flatMap(SubscriptionOffer.Kind.init)
        if kind == nil { mistakes.byField["kind"] = "Choose a kind of offer." }
        if let kind, product != nil, !isSubscription, kind != .code {
            mistakes.byField["kind"] = "A product that is not a subscription has offer codes only."
        }
        let mode = value("mode").flatMap(SubscriptionOffer.PaymentMode.init)
        if mode == nil { mistakes.byField["mode"] = "Choose how it is paid." }
        let id = trimmed(value("id"))
        if let kind, kind != .introductory {
            if id.isEmpty {
                mistakes.byField["id"] = "An offer of this kind needs an id."
            } else if product?.offers.contains(where: { $0.kind == kind && $0.id?.rawValue == id }) == true {
                mistakes.byField["id"] = "The product already has an offer with this id."
            }
        } else if kind == .introductory, product?.offers.contains(where: { $0.kind == .introductory }) == true {
            mistakes.byField["kind"] = "The product already has an introductory offer."
        }
        var offer = SubscriptionOffer(kind: kind ?? .promotional)
        offer.id = kind == .introductory || id.isEmpty ? nil : SubscriptionOffer.ID(id)
        offer.paymentMode = mode
        if mode == .freeTrial {
            if value("price") != nil { mistakes.byField["price"] = "A free trial has no price: leave this empty." }
        } else {
            offer.price = price(value("price"), "price", &mistakes)
            if value("price") == nil { mistakes.byField["price"] = "Enter what the offer costs, such as 1.99." }
        }
        if isSubscription {
            if mode == .oneTime { mistakes.byField["mode"] = "A subscription is not paid once and for all." }
            if mode == .payAsYouGo, value("period") == nil {
                offer.period = product?.subscription?.subscriptionPeriod
            } else {
                offer.period = period(value("period"), "period", &mistakes)
            }
            if let text = value("periods") {
                offer.periodCount = Int(text) ?? 0
                if !(1...36).contains(offer.periodCount) {
                    mistakes.byField["periods"] = "The number of periods is a whole number from 1 to 36."
                }
            }
        }
        try check(mistakes)
        return .offer(offer, of: product?.id ?? Product.ID(""))
    }

    private static func check(_ mistakes: Mistakes) throws(Mistakes) {
        if !mistakes.byField.isEmpty { throw mistakes }
    }

    private static func trimmed(_ text: String?) -> String {
        String((text ?? "").drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private static func price(_ text: String?, _ field: String, _ mistakes: inout Mistakes) -> Decimal? {
        guard let text else { return nil }
        let parts = trimmed(text).split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
        guard areDigits, (1...2).contains(parts.count), parts[0].utf8.count <= 9,
            parts.count == 1 || parts[1].utf8.count <= 3,
            let number = Int64(parts.joined())
        else {
            mistakes.byField[field] = "A price is a number such as 9.99."
            return nil
        }
        return (0..<(parts.count == 1 ? 0 : parts[1].utf8.count)).reduce(Decimal(number)) { value, _ in value / 10 }
    }

    private static func period(_ text: String?, _ field: String, _ mistakes: inout Mistakes) -> SubscriptionPeriod? {
        guard let text else {
            mistakes.byField[field] = "Choose the length of a period."
            return nil
        }
        let period = SubscriptionPeriod(text)
        if !period.isValid { mistakes.byField[field] = "Choose the length of a period." }
        return period
    }

    // MARK: Applying

    /// The product that is added, or that receives the added offer.
    var productID: Product.ID {
        switch self {
        case .product(let product, _): product.id
        case .offer(_, let id): id
        }
    }

    /// Returns the catalog with the addition.
    func applied(to catalog: Catalog) -> Catalog {
        var (products, groups) = (catalog.products, catalog.groups)
        switch self {
        case .product(let product, let group):
            products.append(product)
            guard let group, let id = product.subscription?.subscriptionGroupID else { break }
            if let index = groups.firstIndex(where: { $0.id == id }) {
                let level = product.subscription?.groupLevel ?? .max
                let place = groups[index].productIDs.firstIndex { other in
                    (catalog.product(other)?.subscription?.groupLevel ?? .max) > level
                }
                groups[index].productIDs.insert(product.id, at: place ?? groups[index].productIDs.count)
            } else {
                groups.append(SubscriptionGroup(id: id, name: group, productIDs: [product.id]))
            }
        case .offer(let offer, let id):
            guard let index = products.firstIndex(where: { $0.id == id }) else { break }
            if products[index].subscription != nil {
                products[index].subscription?.offers.append(offer)
            } else {
                products[index].codeOffers.append(offer)
            }
        }
        return catalog.replacing(products: products, groups: groups)
    }

    /// Returns the name of the catalog file that contains the additions.
    ///
    /// A scenario reads this file after its other catalog files.
    static func fileName(for app: String, in scenario: Scenario) -> String {
        scenario.apps.count > 1 ? "\(app).catalog-edits.json" : "catalog-edits.json"
    }

    /// Returns the scenario of everything that has happened, with the addition in a separate catalog file.
    ///
    /// The other catalog files stay unchanged, including JSON keys that this version does not know.
    ///
    /// - Throws: `CatalogError` if the catalog with the addition is invalid.
    func scenario(editing app: String, of served: ServedScenario) throws -> Scenario {
        var scenario = served.saved
        guard let index = scenario.apps.firstIndex(where: { $0.bundleID == app }) else { return scenario }
        let written = applied(to: scenario.apps[index].catalog).written(as: .json)
        let name = Self.fileName(for: app, in: scenario)
        scenario.catalogFiles[name] = CatalogFile(name: name, bytes: written.bytes)
        while scenario.catalogs.count <= index { scenario.catalogs.append([]) }
        if !scenario.catalogs[index].contains(name) { scenario.catalogs[index].append(name) }
        let files = scenario.catalogs[index].compactMap { scenario.catalogFiles[$0] }
        scenario.apps[index].catalog = try Catalog(reading: files)
        return scenario
    }
}
