public import Storekeeper

extension AppStoreServerClient {
    /// Returns the status of each of a customer's subscriptions; the signed texts are not yet verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - statuses: Only subscriptions with one of these statuses; empty for all.
    ///   - environment: The environment of the transaction; `nil` looks in one environment after the other.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func statuses(
        of id: String, only statuses: [SubscriptionStatusCode] = [], in environment: AppStore.Environment? = nil
    ) async throws -> StatusAnswer {
        let answer = try await send(.statuses(id, only: statuses), in: environment)
        try matchApp(answer.value.appAppleID)
        return answer.value
    }

    /// Extends one subscription.
    ///
    /// The request is not retried if its response was lost: a second extension would add more days. Check the
    /// subscription's renewal info in that case.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func extend(
        _ originalID: Transaction.ID, by change: RenewalExtension, in environment: AppStore.Environment
    ) async throws -> ExtensionAnswer {
        try await send(.extend(originalID, by: change), in: environment).value
    }

    /// Extends all active subscriptions to a product; get the result with
    /// ``massExtendStatus(_:requestIdentifier:in:)``.
    ///
    /// The request is not retried if its response was lost: ask for its status in that case.
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
