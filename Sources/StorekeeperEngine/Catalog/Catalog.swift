/// What an app sells, merged from all its files.
public struct Catalog: Sendable {
    /// The products, in the order of the files.
    public let products: [Product]
    /// The subscription groups, in the order of the files.
    public let groups: [SubscriptionGroup]
    /// The features, in the order of the files.
    public let features: [Feature]
    /// What is the matter with the files.
    public let diagnostics: [Diagnostic]

    private let indexByID: [Product.ID: Int]
    private let groupIndexByProduct: [Product.ID: Int]

    /// A catalog without products.
    public static let empty = Catalog(products: [], groups: [], features: [])

    /// Makes a catalog.
    ///
    /// - Parameters:
    ///   - products: Each id once; of two with one id the first stays.
    ///   - groups: Groups that share no product.
    ///   - features: What the app asks about, each with its products.
    ///   - diagnostics: What reading the files found.
    public init(
        products: [Product], groups: [SubscriptionGroup], features: [Feature], diagnostics: [Diagnostic] = []
    ) {
        var indexByID: [Product.ID: Int] = [:]
        var kept: [Product] = []
        for product in products where indexByID[product.id] == nil {
            indexByID[product.id] = kept.count
            kept.append(product)
        }
        self.products = kept
        self.groups = groups
        self.features = features
        self.diagnostics = diagnostics
        self.indexByID = indexByID
        groupIndexByProduct = Dictionary(
            groups.enumerated().flatMap { index, group in group.productIDs.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The product with an id.
    public func product(_ id: Product.ID) -> Product? { indexByID[id].map { products[$0] } }

    /// The group a product belongs to.
    package func group(containing id: Product.ID) -> SubscriptionGroup? { groupIndexByProduct[id].map { groups[$0] } }

    /// The group with an id, or else the first with a name, or else the first for which a file has that word.
    public func group(named name: String) -> SubscriptionGroup? {
        let word = SubscriptionGroup.ID(name)
        return groups.first { $0.id == word }
            ?? groups.first { $0.name.map { SubscriptionGroup.ID($0) } == word }
            ?? groups.first { $0.aliases.contains(word) }
    }

    /// The feature with an id.
    public func feature(_ id: Feature.ID) -> Feature? { features.first { $0.id == id } }
}

extension Catalog {
    /// The type of a product; `nil` if the catalog does not say.
    func type(of id: Product.ID) -> Product.ProductType? { indexByID[id].flatMap { products[$0].type } }

    /// Whether the evidence says another type for a product than the catalog: then neither can be relied on.
    package func contradicts(_ type: Product.ProductType, of id: Product.ID) -> Bool {
        self.type(of: id).map { $0 != type } ?? false
    }

    /// What one unit of a consumable adds to which balance; without a word in the catalog 1 to one of its own name.
    package func grants(of id: Product.ID) -> [BalanceID: Int64] {
        guard let grants = product(id)?.grants, !grants.isEmpty else { return [BalanceID(id.rawValue): 1] }
        return grants
    }

    /// The balances that consumables add to, each once, in the order of the products.
    package var balances: [BalanceID] {
        var seen: Set<BalanceID> = []
        return products.filter { $0.type == .consumable }.flatMap { grants(of: $0.id).keys.sorted() }
            .filter { seen.insert($0).inserted }
    }

    /// Whether a consumable has no word in the catalog about what it adds to which balance.
    package func hasNoGrants(_ id: Product.ID) -> Bool { product(id)?.grants.isEmpty ?? true }
}
