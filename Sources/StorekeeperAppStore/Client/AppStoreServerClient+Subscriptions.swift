public import Storekeeper

extension AppStoreServerClient {
    /// Returns the status of each of a customer's subscriptions; the signed texts are not yet verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - statuses: The statuses of the subscriptions to return; empty for all.
    ///   - environment: The environment of the transaction; if it is `nil`, the servers are tried in order.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func statuses(
        of id: String, only statuses: [SubscriptionStatusCode] = [], in environment: AppStore.Environment? = nil
    ) async throws -> StatusAnswer {
        let answer = try await send(.statuses(id, only: statuses), in: environment)
        try matchApp(answer.value.appAppleID)
        return answer.value
    }

    /// Extends the current period of one subscription.
    ///
    /// If the response is lost, the request is not retried, because a second extension would add more days. In that
    /// case, check the subscription's renewal info.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func extend(
        _ originalID: Transaction.ID, by change: RenewalExtension, in environment: AppStore.Environment
    ) async throws -> ExtensionAnswer {
        try await send(.extend(originalID, by: change), in: environment).value
    }

    /// Extends the current periods of all active subscriptions to a product.
    ///
    /// ``massExtendStatus(_:requestIdentifier:in:)`` returns the result. If the response is lost, the request is not
    /// retried; in that case, ask for the status.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func massExtend(
        _ productID: Product.ID, by change: RenewalExtension, storefronts: [String]? = nil,
        in environment: AppStore.Environment
    ) async throws -> MassExtensionAnswer {
        try await send(.massExtend(productID, by: change, in: storefronts), in: environment).value
    }

    /// Returns the progress of an extension of all subscriptions to a product.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func massExtendStatus(
        _ productID: Product.ID, requestIdentifier: String, in environment: AppStore.Environment
    ) async throws -> MassExtensionStatus {
        try await send(.massExtendStatus(productID, requestIdentifier: requestIdentifier), in: environment).value
    }
}
