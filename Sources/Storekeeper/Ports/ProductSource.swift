/// A source of product descriptions: files, a simulator, the app's own service.
///
/// Its descriptions are trusted, because the source belongs to the app. `ProductSourceConformance` in
/// `StorekeeperTesting` checks an implementation.
public protocol ProductSource: Sendable {
    /// Describes products.
    ///
    /// - Parameter ids: The requested products; duplicates count once.
    /// - Returns: The known descriptions, in any order. An unknown id is left out; that is not an error.
    /// - Throws: If the source cannot be reached; the last good descriptions are then kept.
    func products(for ids: [Product.ID]) async throws -> [Product]
}
