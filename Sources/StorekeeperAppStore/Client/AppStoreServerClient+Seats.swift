public import FoundationEssentials
public import Storekeeper

/// Groups and seats of multi-seat purchases, which so far exist in the sandbox only.
extension AppStoreServerClient {
    /// Returns the number of seats and the seat claims of a multi-seat subscription.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func seatInfo(
        of originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws -> SeatInfo {
        try await send(.seatInfo(originalID), in: environment).value
    }

    /// Claims a seat for a member, and returns the id of the claim.
    ///
    /// - Parameters:
    ///   - originalID: The original transaction id of the subscription.
    ///   - requestIdentifier: An id of your choice, which must be the same for each attempt to claim the same seat.
    ///   - appTransactionID: The app transaction id of the member, if it is known.
    ///   - environment: The environment of the subscription.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func claimSeat(
        of originalID: Transaction.ID, requestIdentifier: UUID, appTransactionID: String? = nil,
        in environment: AppStore.Environment
    ) async throws -> UUID {
        try await send(
            .claimSeat(originalID, requestIdentifier: requestIdentifier, appTransactionID: appTransactionID),
            in: environment
        ).value
    }

    /// Releases a claimed seat.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func unclaimSeat(
        _ claim: UUID, of originalID: Transaction.ID, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.unclaimSeat(claim, of: originalID), in: environment)
    }

    /// Tells the App Store which customer occupies a claimed seat.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func associateSeat(
        _ claim: UUID, of originalID: Transaction.ID, appTransactionID: String, in environment: AppStore.Environment
    ) async throws {
        _ = try await send(.associateSeat(claim, of: originalID, appTransactionID: appTransactionID), in: environment)
    }

    /// Returns the groups of a customer, who is identified by a transaction id or by the app transaction id.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func customerGroups(
        of appTransactionID: String, in environment: AppStore.Environment
    ) async throws -> [CustomerGroup] {
        try await send(.customerGroups(appTransactionID), in: environment).value
    }

    /// Returns a page of the members of a group.
    ///
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    public func groupMembers(
        of groupID: String, limit: Int? = nil, paginationToken: String? = nil, in environment: AppStore.Environment
    ) async throws -> GroupMembersAnswer {
        try await send(.groupMembers(groupID, limit: limit, paginationToken: paginationToken), in: environment).value
    }
}
