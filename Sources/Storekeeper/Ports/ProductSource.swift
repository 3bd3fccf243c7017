/// Where descriptions of products come from: files, a simulator, the app's own service.
///
/// Trusted: it is the app's own. `ProductSourceConformance` in `StorekeeperTesting` checks an implementation.
public protocol ProductSource: Sendable {
    /// Describes products.
    ///
    /// - Parameter ids: The products asked for; duplicates count once.
    /// - Returns: What is known of them, in any order. An id that nobody knows is left out, which is no error.
    /// - Throws: Where the source cannot be reached; the last good descriptions then stay.
    func products(for ids: [Product.ID]) async throws -> [Product]
}
