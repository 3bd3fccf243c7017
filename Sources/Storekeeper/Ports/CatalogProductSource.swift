/// A product source that describes the products of a catalog.
public struct CatalogProductSource: ProductSource {
    /// The catalog of the app.
    package let catalog: Catalog

    /// Creates a source of a catalog.
    public init(_ catalog: Catalog) { self.catalog = catalog }

    /// Returns the requested products that are in the catalog, in its order.
    public func products(for ids: [Product.ID]) async throws -> [Product] {
        let asked = Set(ids)
        return catalog.products.filter { asked.contains($0.id) }
    }
}
