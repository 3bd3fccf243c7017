public import Storekeeper

extension AppStoreServerClient {
    /// The status of each of a customer's subscriptions; its texts are not yet verified.
    ///
    /// - Parameters:
    ///   - id: Any transaction of the customer, or their app transaction id.
    ///   - statuses: Only subscriptions in one of these; none: all.
    ///   - environment: Where it is; `nil` looks in one environment after the other.
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
    /// Is not sent again where its answer was lost: a second extension would add more days. Look at the subscription's
    /// renewal info then.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func extend(
        _ originalID: Transaction.ID, by change: RenewalExtension, in environment: AppStore.Environment
    ) async throws -> ExtensionAnswer {
        try await send(.extend(originalID, by: change), in: environment).value
    }

    /// Extends all active subscriptions to a product; what came of it is asked for with ``massExtendStatus(_:requestIdentifier:in:)``.
    ///
    /// Is not sent again where its answer was lost: ask for the status of the request then.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func massExtend(
        _ productID: Product.ID, by change: RenewalExtension, storefronts: [String]? = nil,
        in environment: AppStore.Environment
    ) async throws -> MassExtensionAnswer {
        try await send(.massExtend(productID, by: change, in: storefronts), in: environment).value
    }

    /// How far an extension of all subscriptions to a product has come.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func massExtendStatus(
        _ productID: Product.ID, requestIdentifier: String, in environment: AppStore.Environment
    ) async throws -> MassExtensionStatus {
        try await send(.massExtendStatus(productID, requestIdentifier: requestIdentifier), in: environment).value
    }
}
