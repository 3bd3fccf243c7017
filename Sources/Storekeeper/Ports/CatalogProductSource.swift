/// The products of a catalog, as a source of their descriptions.
public struct CatalogProductSource: ProductSource {
    /// What the app sells.
    package let catalog: Catalog

    /// Makes a source of a catalog.
    public init(_ catalog: Catalog) { self.catalog = catalog }

    /// The products of the catalog among those asked for, in its order.
    public func products(for ids: [Product.ID]) async throws -> [Product] {
        let asked = Set(ids)
        return catalog.products.filter { asked.contains($0.id) }
    }
}
