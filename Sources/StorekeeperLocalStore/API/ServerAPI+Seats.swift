import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// Requests about the groups and seats of multi-seat purchases.
///
/// Apple publishes the names of the errors of App Store Server API 1.23, but not their numbers. This API therefore uses
/// the general numbers 4000000 and 4040000 for `NoAvailableSeatsError`, `SeatClaimIdNotFoundError`,
/// `AppTransactionIdNotFoundError` and `TransactionNotDevManagedGroupError`.
///
/// - SeeAlso: Apple, "App Store Server API: Get Seat Info" and "Get Customer Groups".
extension ServerAPI {
    func seatInfo(_ id: String) throws -> JSONText {
        let (_, seats) = try group(id)
        return .object([
            "totalSeatCount": .whole(seats.quantity),
            "availableSeatCount": .whole(seats.available),
            "assignedSeatClaimIds": .array(seats.claims.map { .string($0.id.uuidString.lowercased()) }),
        ])
    }

    func claimSeat(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let (original, seats) = try group(id)
        let json = try JSONObject.reading(body)
        guard let request = json["requestIdentifier"]?.string.flatMap(UUID.init(uuidString:)) else {
            throw APIError.invalidRequestIdentifier
        }
        let member = try json["appTransactionId"].map { try self.member($0.string) }
        /// Returns the seat claim of the request, or else the earlier seat claim of the same member.
        func claim(in seats: SimulatedAppStore.Seats?) -> SimulatedAppStore.Seats.Claim? {
            seats?.claims.first { $0.request == request }
                ?? member.flatMap { seats?.claim(of: $0.appTransactionID) }
        }
        if claim(in: seats) == nil {
            try change(
                .claimSeat(SeatClaim(id: UUID(), request: request, member: member?.name), of: .id(original)),
                or: .noAvailableSeats)
        }
        guard let claim = claim(in: store.seats(of: original)) else { throw APIError.noAvailableSeats }
        return .object(["seatClaimId": .string(claim.id.uuidString.lowercased())])
    }

    func unclaimSeat(_ id: String, _ claim: String) throws -> JSONText? {
        let (original, seats) = try group(id)
        try change(.releaseSeat(try self.claim(claim, of: seats), of: .id(original)), or: .seatClaimNotFound)
        return nil
    }

    func associateSeat(_ id: String, _ claim: String, _ body: [UInt8]) throws -> JSONText? {
        let (original, seats) = try group(id)
        let member = try member(JSONObject.reading(body)["appTransactionId"]?.string)
        let claim = try self.claim(claim, of: seats)
        if let other = seats.claim(of: member.appTransactionID), other.id != claim {
            throw APIError.badRequest("the member occupies another seat")
        }
        try change(.associateSeat(claim, with: member.name, of: .id(original)), or: .seatClaimNotFound)
        return nil
    }

    /// Returns the customer groups that a customer belongs to.
    ///
    /// - Parameter id: The id of a transaction, or of the app transaction, of the customer.
    func customerGroups(of id: String) throws -> JSONText {
        try Self.check(id)
        guard let member = store.customer(with: id, app: app)?.appTransactionID else {
            throw APIError.transactionIDNotFound
        }
        let groups = groups.filter { $0.members.contains(member) }
        return .object([
            "groups": .array(groups.map { .object(["groupId": .string($0.id), "groupType": .string("CONSUMER")]) })
        ])
    }

    func groupMembers(of id: String, _ query: QueryValues) throws -> JSONText {
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy({ $0 < 0x80 && $0 > 0x20 }) else {
            throw APIError.invalidGroupID
        }
        guard let group = groups.first(where: { $0.id == id }) else { throw APIError.groupNotFound }
        let limit = query.value("limit").map { Int($0) ?? 0 } ?? 100
        guard (1...100).contains(limit) else { throw APIError.invalidLimit }
        var token = PageToken(subject: "groups/\(id)", query: [], place: nil)
        if let text = query.value("paginationToken") {
            guard let given = PageToken(text), given.isOfSameRequest(as: token) else {
                throw APIError.invalidPaginationToken
            }
            token = given
        }
        let rest = group.members.dropFirst(token.place ?? 0)
        let page = rest.prefix(limit)
        token.place = page.endIndex
        return .object([
            "members": .array(page.map { .object(["appTransactionId": .string($0)]) }),
            "hasMore": .bool(rest.count > page.count),
            "paginationToken": rest.count > page.count ? .string(token.text) : .null,
        ])
    }

    // MARK: Parts

    /// The customer groups of the app, one for each active subscription with seats.
    ///
    /// The members of a group are the purchaser of the seats, and the customers whom the app's server named.
    private var groups: [(id: String, members: [String])] {
        store.subscriptionsWithSeats(app: app).compactMap { original in
            guard let seats = store.seats(of: original), seats.isActive else { return nil }
            let members = seats.claims.compactMap(\.appTransactionID)
            return ("group-\(original.rawValue)", [seats.purchaser] + members.filter { $0 != seats.purchaser })
        }
    }

    /// Returns the subscription of a transaction, with its seats.
    ///
    /// - Throws: `APIError` if the app does not assign the seats, or if the subscription is not active.
    private func group(_ id: String) throws -> (original: Transaction.ID, seats: SimulatedAppStore.Seats) {
        let purchase = try purchase(id)
        guard let seats = store.seats(of: purchase.id), seats.invitations == .developer else {
            throw APIError.badRequest("the app does not invite the members of this purchase")
        }
        guard seats.isActive else { throw APIError.badRequest("the subscription is not active") }
        return (purchase.originalID, seats)
    }

    private func claim(_ text: String, of seats: SimulatedAppStore.Seats) throws(APIError) -> UUID {
        guard let id = UUID(uuidString: text), seats.claims.contains(where: { $0.id == id }) else {
            throw .seatClaimNotFound
        }
        return id
    }

    /// Performs a command; throws `refusal` if another request has made the command impossible in the meantime.
    private func change(_ command: SimulatorCommand, or refusal: APIError) throws(APIError) {
        do throws(SimulatorError) { try store.perform(command, app: app) } catch { throw refusal }
    }

    /// Returns the customer with an app transaction id.
    private func member(_ id: String?) throws(APIError) -> SimulatedAppStore.ServerCustomer {
        guard let id, store.isAppTransaction(id, app: app), let customer = store.customer(with: id, app: app) else {
            throw .notFound(what: "The app transaction id")
        }
        return customer
    }
}

extension SimulatedAppStore.Seats {
    /// Returns the seat claim of a member; `nil` if the member has no seat.
    fileprivate func claim(of appTransactionID: String) -> Claim? {
        claims.first { $0.appTransactionID == appTransactionID }
    }
}
