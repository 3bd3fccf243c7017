public import FoundationEssentials
public import Storekeeper

// Groups and seats of multi-seat purchases (App Store Server API 1.22 and 1.23), which so far exist in the sandbox
// only. Apple's libraries do not support these calls yet; the paths and the JSON names follow Apple's documentation.

/// The number of seats and the seat claims of a multi-seat subscription.
///
/// - SeeAlso: Apple, "App Store Server API: GetSeatInfoResponse".
public struct SeatInfo: Hashable, Sendable {
    /// The number of seats.
    public let totalSeatCount: Int64
    /// The number of seats that can be claimed.
    public let availableSeatCount: Int64
    /// The ids of the claims; after a renewal with fewer seats, there can be more claims than seats.
    public let assignedSeatClaimIDs: [UUID]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        totalSeatCount = try reader.requiredWhole("totalSeatCount")
        availableSeatCount = try reader.requiredWhole("availableSeatCount")
        assignedSeatClaimIDs = try reader.texts("assignedSeatClaimIds").compactMap(UUID.init(uuidString:))
        unknownMembers = reader.unknownMembers
    }
}

/// A group to which a customer belongs.
///
/// - SeeAlso: Apple, "App Store Server API: GroupEntry".
public struct CustomerGroup: Hashable, Sendable {
    /// The role of a customer for a product.
    ///
    /// - SeeAlso: Apple, "App Store Server API: RoleEntry".
    public struct Role: Hashable, Sendable {
        /// The product.
        public let productID: Product.ID
        /// The role, as the App Store spells it, such as `ADMIN` or `NONE`.
        public let role: String
    }

    /// The id of the group.
    public let id: String
    /// The type of the group, as the App Store spells it: `ORGANIZATION` or `CONSUMER`.
    public let type: String?
    /// The customer's role for each product; empty if the group is not an organization.
    public let roles: [Role]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ reader: inout AnswerReader) throws(AppStoreServerError) {
        id = try reader.requiredText("groupId")
        type = try reader.text("groupType")
        roles = try reader.objects("roles") { entry throws(AppStoreServerError) in
            Role(productID: Product.ID(try entry.requiredText("productId")), role: try entry.requiredText("role"))
        }
        unknownMembers = reader.unknownMembers
    }
}

/// A page of the members of a group.
///
/// - SeeAlso: Apple, "App Store Server API: GetGroupMembersResponse".
public struct GroupMembersAnswer: Hashable, Sendable {
    /// The members, by their app transaction ids.
    public let appTransactionIDs: [String]
    /// Whether another page follows.
    public let hasMore: Bool
    /// The token of the next page.
    public let paginationToken: String?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        appTransactionIDs = try reader.objects("members") { entry throws(AppStoreServerError) in
            try entry.requiredText("appTransactionId")
        }
        hasMore = try reader.requiredBool("hasMore")
        paginationToken = try reader.text("paginationToken")
        unknownMembers = reader.unknownMembers
    }
}

extension AppStoreServerRequest where Answer == SeatInfo {
    /// Asks for the number of seats and the seat claims of a subscription.
    ///
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get Seat Info".
    public static func seatInfo(_ originalID: Transaction.ID) throws(AppStoreServerError) -> Self {
        Self(
            .seatInfo, .get, path: try seats(originalID),
            json: { json throws(AppStoreServerError) in try SeatInfo(json) })
    }
}

extension AppStoreServerRequest where Answer == UUID {
    /// Asks to claim a seat for a member; the response is the id of the claim.
    ///
    /// - Parameters:
    ///   - originalID: The original transaction id of the subscription.
    ///   - requestIdentifier: An id of your choice, which must be the same for each attempt to claim the same seat.
    ///   - appTransactionID: The app transaction id of the member, if it is known.
    /// - Throws: `invalidRequest` if an id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Claim Seat".
    public static func claimSeat(
        _ originalID: Transaction.ID, requestIdentifier: UUID, appTransactionID: String? = nil
    ) throws(AppStoreServerError) -> Self {
        Self(
            .claimSeat, .post, path: try seats(originalID),
            body: .object([
                "requestIdentifier": .string(requestIdentifier.uuidString.lowercased()),
                "appTransactionId": .text(appTransactionID),
            ]),
            json: { json throws(AppStoreServerError) in
                var reader = try AnswerReader(json)
                guard let id = try reader.uuid("seatClaimId") else {
                    throw AppStoreServerError(.malformedResponse, "the response's seatClaimId is missing")
                }
                return id
            })
    }
}

extension AppStoreServerRequest where Answer == Void {
    /// Releases a claimed seat.
    ///
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Unclaim Seat".
    public static func unclaimSeat(_ claim: UUID, of originalID: Transaction.ID) throws(AppStoreServerError) -> Self {
        Self(.unclaimSeat, .delete, path: try seats(originalID) + [claim.uuidString.lowercased()]) { _, _ in }
    }

    /// Tells the App Store which customer occupies a claimed seat.
    ///
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Associate Seat".
    public static func associateSeat(
        _ claim: UUID, of originalID: Transaction.ID, appTransactionID: String
    ) throws(AppStoreServerError) -> Self {
        Self(
            .associateSeat, .post, path: try seats(originalID) + [claim.uuidString.lowercased(), "associate"],
            body: .object(["appTransactionId": .string(appTransactionID)])
        ) { _, _ in }
    }
}

extension AppStoreServerRequest where Answer == [CustomerGroup] {
    /// Asks for the groups of a customer, who is identified by a transaction id or by the app transaction id.
    ///
    /// - Throws: `invalidRequest` if the id is not valid.
    /// - SeeAlso: Apple, "App Store Server API: Get Customer Groups".
    public static func customerGroups(_ appTransactionID: String) throws(AppStoreServerError) -> Self {
        Self(
            .customerGroups, .get,
            path: ["groups", "v1", "currentGroups", try digits(appTransactionID, "app transaction id")],
            json: { json throws(AppStoreServerError) in
                var reader = try AnswerReader(json)
                return try reader.objects("groups") { entry throws(AppStoreServerError) in
                    try CustomerGroup(&entry)
                }
            })
    }
}

extension AppStoreServerRequest where Answer == GroupMembersAnswer {
    /// Asks for a page of the members of a group.
    ///
    /// - Parameters:
    ///   - groupID: The group.
    ///   - limit: The maximum size of a page, 1 to 100; `nil` for the App Store's default.
    ///   - paginationToken: The token of the previous page; `nil` for the first page.
    /// - Throws: `invalidRequest` if the limit is out of range, or if the id is empty or too long.
    /// - SeeAlso: Apple, "App Store Server API: Get Group Members".
    public static func groupMembers(
        _ groupID: String, limit: Int? = nil, paginationToken: String? = nil
    ) throws(AppStoreServerError) -> Self {
        guard limit.map({ (1...100).contains($0) }) ?? true else {
            throw AppStoreServerError(.invalidRequest, "a page has 1 to 100 members")
        }
        return Self(
            .groupMembers, .get, path: ["groups", "v1", "group", try part(groupID, "group id")],
            query: (limit.map { [QueryParameter("limit", String($0))] } ?? [])
                + (paginationToken.map { [QueryParameter("paginationToken", $0)] } ?? []),
            json: { json throws(AppStoreServerError) in try GroupMembersAnswer(json) })
    }
}

extension AppStoreServerRequest {
    fileprivate static func seats(_ originalID: Transaction.ID) throws(AppStoreServerError) -> [String] {
        ["groups", "v1", "transactions", try digits(originalID.rawValue, "original transaction id"), "seats"]
    }
}
