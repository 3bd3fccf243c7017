import Storekeeper

/// A catalog, as `products` prints it.
enum CatalogReport {
    /// Returns the catalog as a JSON document.
    ///
    /// - Parameters:
    ///   - texts: The texts that are printed.
    ///   - diagnostics: Diagnostics that are reported in addition to the catalog's diagnostics.
    static func json(_ catalog: Catalog, _ texts: Catalog.Texts, diagnostics: [Diagnostic] = []) -> JSONText {
        var members = CatalogListing.shape.members(of: catalog.listing(texts))
        members["diagnostics"] = .array(Diagnostic.sorted(catalog.diagnostics + diagnostics).map(\.json))
        return .object(members)
    }
}
