public import FoundationEssentials

extension Store {
    /// Opens a customer's store with the catalog of a file or folder.
    ///
    /// - Parameters:
    ///   - customer: The customer.
    ///   - catalog: The URL of a catalog file, or of a folder with several catalog files; see
    ///     ``/StorekeeperEngine/Catalog``.
    ///   - configuration: The policy and the settings; its catalog is replaced with the catalog of the file or folder.
    ///   - vault: The durable storage.
    ///   - verifier: The verifier of evidence.
    ///   - backend: The source of evidence; `nil` if the app calls ``ingest(_:isComplete:)`` itself.
    ///   - clock: The clock.
    ///   - deliver: The handler that delivers the content of each purchase, at least once; `nil` if the app delivers no
    ///     content.
    ///   - report: The closure that receives the store's reports of problems. The store waits until the closure
    ///     returns, so the closure should be quick.
    /// - Throws: `CatalogError` if the catalog cannot be read; ``VaultError`` if the vault cannot be read.
    public static func open(
        customer: CustomerID, catalog: URL, configuration: StoreConfiguration = StoreConfiguration(),
        vault: any Vault, verifier: any TransactionVerifier, backend: (any StoreBackend)? = nil,
        clock: any StoreClock = WallClock(), deliver: DeliveryHandler? = nil,
        report: @escaping @Sendable (StoreReport) -> Void = { _ in }
    ) async throws -> Store {
        var configuration = configuration
        configuration.catalog = try Catalog(contentsOf: catalog)
        return try await open(
            customer: customer, configuration: configuration, vault: vault, verifier: verifier, backend: backend,
            clock: clock, deliver: deliver, report: report)
    }
}

/// Members about the catalog, with the names that StoreKit 2 and the Swift package StoreHelper use.
extension Store {
    /// The products of the catalog, in the order of the catalog's files.
    public nonisolated var products: [Product] { snapshot.resolution.catalog.products }

    /// Returns the product with an id; `nil` if the catalog does not contain it.
    public nonisolated func product(for id: Product.ID) -> Product? { snapshot.resolution.catalog.product(id) }

    /// Returns the products of a type, in the order of the catalog.
    public nonisolated func products(of type: Product.ProductType) -> [Product] {
        snapshot.resolution.catalog.products(of: type)
    }

    /// Returns the products of a subscription group, highest service level first.
    ///
    /// - Parameter group: The group, by its id or name; an unknown group has no products.
    public nonisolated func products(inGroup group: String) -> [Product] {
        snapshot.resolution.catalog.products(inGroup: group)
    }
}
