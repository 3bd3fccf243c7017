/// A source of product descriptions, such as files, a simulator or the app's own service.
///
/// Its descriptions are trusted, because the source belongs to the app. `ProductSourceConformance` in
/// `StorekeeperTesting` checks an implementation.
public protocol ProductSource: Sendable {
    /// Returns descriptions of products.
    ///
    /// - Parameter ids: The requested products; duplicates count once.
    /// - Returns: The known descriptions, in any order. An unknown id is left out and is not an error.
    /// - Throws: Any error if the source cannot be reached; the previous descriptions then stay in use.
    func products(for ids: [Product.ID]) async throws -> [Product]
}

/// A product source that describes the products of a catalog.
public struct CatalogProductSource: ProductSource {
    /// The catalog of the app.
    package let catalog: Catalog

    /// Creates a source of a catalog.
    public init(_ catalog: Catalog) { self.catalog = catalog }

    /// Returns the requested products that are in the catalog, in the catalog's order.
    public func products(for ids: [Product.ID]) async throws -> [Product] {
        let asked = Set(ids)
        return catalog.products.filter { asked.contains($0.id) }
    }
}
