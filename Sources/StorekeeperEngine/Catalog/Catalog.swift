/// The products, groups and features of an app, merged from all files of the catalog.
public struct Catalog: Sendable {
    /// The products, in the order of the files.
    public let products: [Product]
    /// The subscription groups, in the order of the files.
    public let groups: [SubscriptionGroup]
    /// The features, in the order of the files.
    public let features: [Feature]
    /// The problems found in the files.
    public let diagnostics: [Diagnostic]
    /// The version that the author of the product list has given to the list; `nil` if no file has a version.
    public var version: String?
    /// The language of the products' default names and descriptions; `nil` if no file names it.
    package var locale: LocaleID?
    /// Members of the catalog files that this version of the package does not know.
    package var unknown = UnknownMembers()

    private let indexByID: [Product.ID: Int]
    private let groupIndexByProduct: [Product.ID: Int]

    /// A catalog without products.
    public static let empty = Catalog(products: [], groups: [], features: [])

    /// Creates a catalog.
    ///
    /// In a group in which no product has a level, the order of the group's products determines the levels.
    ///
    /// - Parameters:
    ///   - products: The products; of two products with the same id, only the first is stored.
    ///   - groups: The groups, which have no products in common; each lists its products highest service first.
    ///   - features: The features, each with its products.
    ///   - diagnostics: Known problems; the problems with the products' levels are added.
    public init(
        products: [Product], groups: [SubscriptionGroup], features: [Feature], diagnostics: [Diagnostic] = []
    ) {
        let ranked = ServiceLevels.ranked(products, by: groups)
        self.init(
            exactly: ranked, groups: groups, features: features,
            diagnostics: Diagnostic.sorted(diagnostics + ServiceLevels.diagnostics(of: ranked, in: groups)))
    }

    /// Creates a catalog in which a product has a level only if its description contains the level.
    package init(
        exactly products: [Product], groups: [SubscriptionGroup], features: [Feature], diagnostics: [Diagnostic]
    ) {
        var indexByID: [Product.ID: Int] = [:]
        var kept: [Product] = []
        for product in products where indexByID[product.id] == nil {
            indexByID[product.id] = kept.count
            kept.append(product)
        }
        self.products = kept
        self.groups = groups
        self.features = Self.adding(containers: kept.filter { !$0.members.isEmpty }, to: features)
        self.diagnostics = diagnostics
        self.indexByID = indexByID
        groupIndexByProduct = Dictionary(
            groups.enumerated().flatMap { index, group in group.productIDs.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Adds bundles and suites to the features of their members.
    private static func adding(containers: [Product], to features: [Feature]) -> [Feature] {
        guard !containers.isEmpty else { return features }
        return features.map { feature in
            var feature = feature
            let known = Set(feature.productIDs)
            feature.productIDs += containers.filter { product in
                !known.contains(product.id) && product.members.contains(where: known.contains)
            }
            .map(\.id)
            return feature
        }
    }

    /// Returns the product with an id; `nil` if the catalog has no such product.
    public func product(_ id: Product.ID) -> Product? { indexByID[id].map { products[$0] } }

    /// Returns the products of a type, in the order of the catalog.
    public func products(of type: Product.ProductType) -> [Product] { products.filter { $0.type == type } }

    /// Returns the products of a subscription group, the highest level of service first.
    ///
    /// - Parameter group: The id or name of the group; the result is empty for an unknown group.
    public func products(inGroup group: String) -> [Product] {
        self.group(named: group)?.productIDs.compactMap { product($0) } ?? []
    }

    /// Returns the group that contains a product; `nil` if no group contains it.
    package func group(containing id: Product.ID) -> SubscriptionGroup? { groupIndexByProduct[id].map { groups[$0] } }

    /// Returns the group with an id, a name or an alias.
    ///
    /// The text is first compared with all ids, then with all names, and then with all aliases. The first group that
    /// matches is returned.
    public func group(named name: String) -> SubscriptionGroup? {
        let word = SubscriptionGroup.ID(name)
        return groups.first { $0.id == word }
            ?? groups.first { $0.name.map { SubscriptionGroup.ID($0) } == word }
            ?? groups.first { $0.aliases.contains(word) }
    }

    /// Returns the feature with an id; `nil` if the catalog has no such feature.
    public func feature(_ id: Feature.ID) -> Feature? { features.first { $0.id == id } }
}

extension Catalog {
    /// Returns the type of a product; `nil` if the catalog does not contain the product or its type.
    func type(of id: Product.ID) -> Product.ProductType? { indexByID[id].flatMap { products[$0].type } }

    /// Returns whether the type of a product in the evidence differs from its type in the catalog.
    ///
    /// If the types differ, it is unknown which type is correct.
    package func contradicts(_ type: Product.ProductType, of id: Product.ID) -> Bool {
        self.type(of: id)?.isContradicted(by: type) ?? false
    }

    /// Returns the amount that one unit of a consumable adds to each balance.
    ///
    /// Without grants in the catalog, each unit adds 1 to a balance with the product's id.
    package func grants(of id: Product.ID) -> [BalanceID: Int64] {
        guard let grants = product(id)?.grants, !grants.isEmpty else { return [BalanceID(id.rawValue): 1] }
        return grants
    }

    /// The balances that purchases of consumables credit, each balance once, in the order of the products.
    package var balances: [BalanceID] {
        var seen: Set<BalanceID> = []
        return products.filter { $0.type == .consumable }.flatMap { grants(of: $0.id).keys.sorted() }
            .filter { seen.insert($0).inserted }
    }

    /// Returns whether the catalog has no grants for a consumable.
    package func hasNoGrants(_ id: Product.ID) -> Bool { product(id)?.grants.isEmpty ?? true }
}

extension Catalog {
    /// Returns the catalog, updated with newer descriptions of products; products that it does not contain yet are
    /// added.
    package func describing(_ described: [Product]) -> Catalog {
        var newest: [Product.ID: Product] = [:]
        for product in described { newest[product.id] = product }
        var products = self.products
        for index in products.indices {
            guard let product = newest.removeValue(forKey: products[index].id) else { continue }
            products[index] = products[index].describing(product)
        }
        let added = described.filter { newest.removeValue(forKey: $0.id) != nil }
        var groups = self.groups
        for product in added {
            guard let id = product.subscription?.subscriptionGroupID, group(containing: product.id) == nil else {
                continue
            }
            if let index = groups.firstIndex(where: { $0.id == id || $0.aliases.contains(id) }) {
                groups[index].productIDs.append(product.id)
            } else {
                groups.append(SubscriptionGroup(id: id, productIDs: [product.id]))
            }
        }
        var catalog = Catalog(
            exactly: products + added, groups: groups, features: features, diagnostics: diagnostics)
        (catalog.version, catalog.locale, catalog.unknown) = (version, locale, unknown)
        return catalog
    }
}

extension Product {
    /// Returns the product updated from a newer description; values that the newer description lacks are not changed.
    fileprivate func describing(_ newer: Product) -> Product {
        var product = newer
        product.type = newer.type ?? type
        product.displayName = newer.displayName ?? displayName
        product.description = newer.description ?? description
        if newer.price == nil { (product.price, product.currencyCode) = (price, currencyCode) }
        product.isFamilyShareable = newer.isFamilyShareable ?? isFamilyShareable
        product.subscription = newer.subscription ?? subscription
        product.accessDuration = newer.accessDuration ?? accessDuration
        if newer.accessDuration == nil { product.stacking = stacking }
        if newer.grants.isEmpty { product.grants = grants }
        if newer.members.isEmpty { product.members = members }
        if newer.localizations.isEmpty { product.localizations = localizations }
        if newer.unknown.isEmpty { product.unknown = unknown }
        return product
    }
}
