public import Storekeeper

/// Requests that change purchases of generic products; the signed texts in the responses are not yet verified.
///
/// If a response is lost, the request is not retried, because the App Store may have performed it. To find out, ask for
/// the subscription's status.
///
/// - SeeAlso: Apple, "Advanced Commerce API".
extension AppStoreServerClient {
    /// Turns off the renewal of a subscription.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func cancelSubscription(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, storefront: String? = nil,
        in environment: AppStore.Environment
    ) async throws -> AdvancedCommerceAnswer {
        try await send(.cancelSubscription(id, info, storefront: storefront), in: environment).value
    }

    /// Ends a subscription immediately, with a refund.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the subscription.
    ///   - info: The identification of the request.
    ///   - type: The way in which the amount of the refund is determined.
    ///   - reason: The reason for the refund.
    ///   - refundRiskingPreference: Whether the App Store may decline the refund on the basis of its own data.
    ///   - storefront: The storefront, ISO 3166-1 alpha-3; `nil` for the customer's storefront.
    ///   - environment: The environment of the subscription.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func revokeSubscription(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, type: AdvancedCommerce.RefundType,
        reason: AdvancedCommerce.RefundReason, refundRiskingPreference: Bool, storefront: String? = nil,
        in environment: AppStore.Environment
    ) async throws -> AdvancedCommerceAnswer {
        try await send(
            .revokeSubscription(
                id, info, type: type, reason: reason, refundRiskingPreference: refundRiskingPreference,
                storefront: storefront), in: environment
        ).value
    }

    /// Changes the name and description of a subscription or of its items.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the subscription.
    ///   - info: The identification of the request.
    ///   - descriptors: The new name and description of the subscription; `nil` does not change them.
    ///   - items: The items to change.
    ///   - taxCode: The new tax code; `nil` does not change it.
    ///   - storefront: The storefront, ISO 3166-1 alpha-3; `nil` for the customer's storefront.
    ///   - environment: The environment of the subscription.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func changeMetadata(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo,
        descriptors: AdvancedCommerce.DescriptorsChange? = nil, items: [AdvancedCommerce.ItemMetadata] = [],
        taxCode: String? = nil, storefront: String? = nil, in environment: AppStore.Environment
    ) async throws -> AdvancedCommerceAnswer {
        try await send(
            .changeMetadata(
                id, info, descriptors: descriptors, items: items, taxCode: taxCode, storefront: storefront),
            in: environment
        ).value
    }

    /// Changes the prices of items from the next renewal on.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func changePrice(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, items: [AdvancedCommerce.ItemPrice],
        currency: String? = nil, storefront: String? = nil, in environment: AppStore.Environment
    ) async throws -> AdvancedCommerceAnswer {
        try await send(
            .changePrice(id, info, items: items, currency: currency, storefront: storefront), in: environment
        ).value
    }

    /// Moves a subscription that was bought as an ordinary product to Advanced Commerce.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func migrateSubscription(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, _ migration: AdvancedCommerce.Migration,
        storefront: String? = nil, in environment: AppStore.Environment
    ) async throws -> AdvancedCommerceAnswer {
        try await send(.migrateSubscription(id, info, migration, storefront: storefront), in: environment).value
    }

    /// Requests a refund of items.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func requestRefund(
        _ id: Transaction.ID, _ info: AdvancedCommerce.RequestInfo, items: [AdvancedCommerce.ItemRefund],
        refundRiskingPreference: Bool, currency: String? = nil, storefront: String? = nil,
        in environment: AppStore.Environment
    ) async throws -> AdvancedCommerceAnswer {
        try await send(
            .requestRefund(
                id, info, items: items, refundRiskingPreference: refundRiskingPreference, currency: currency,
                storefront: storefront), in: environment
        ).value
    }
}
