import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

/// Groups and seats of multi-seat purchases.
///
/// Apple's documentation gives paths and names, but no numbers of its new errors: they are answered with
/// the general ones here.
///
/// - SeeAlso: Apple, "App Store Server API: Get Seat Info" and "Get Customer Groups".
extension ServerAPI {
    func seatInfo(_ id: String) throws -> JSONText {
        let (original, seats) = try group(id)
        let claims = claims(of: original, seats)
        return .object([
            "totalSeatCount": .whole(seats.quantity),
            // The purchaser occupies a seat, too.
            "availableSeatCount": .whole(max(0, seats.quantity - 1 - claims.count)),
            "assignedSeatClaimIds": .array(claims.map { .string($0.id.uuidString.lowercased()) }),
        ])
    }

    func claimSeat(_ id: String, _ body: [UInt8]) throws -> JSONText {
        let (original, seats) = try group(id)
        let json = try JSONObject.reading(body)
        guard let request = json["requestIdentifier"]?.string.flatMap(UUID.init(uuidString:)) else {
            throw APIError.invalidRequestIdentifier
        }
        let member = try json["appTransactionId"].map { try self.member($0.string) }
        let limit = seats.quantity - 1
        let before = claims(of: original, seats)
        if let known = before.first(where: { $0.request == request }) {
            return .object(["seatClaimId": .string(known.id.uuidString.lowercased())])
        }
        let claim = SeatClaims.Claim(id: UUID(), request: request, appTransactionID: member)
        try seatClaims.change(original) { claims throws(APIError) in
            claims.removeAll { seats.unclaimed.contains($0.id) }
            guard claims.count < limit else { throw .badRequest("no seat is available") }
            claims.append(claim)
        }
        return .object(["seatClaimId": .string(claim.id.uuidString.lowercased())])
    }

    func unclaimSeat(_ id: String, _ claim: String) throws -> JSONText? {
        let (original, seats) = try group(id)
        try seatClaims.change(original) { claims throws(APIError) in
            claims.removeAll { seats.unclaimed.contains($0.id) }
            guard let index = claims.firstIndex(where: { $0.id == UUID(uuidString: claim) }) else {
                throw .notFound(what: "The seat claim")
            }
            claims.remove(at: index)
        }
        return nil
    }

    func associateSeat(_ id: String, _ claim: String, _ body: [UInt8]) throws -> JSONText? {
        let (original, seats) = try group(id)
        let member = try member(JSONObject.reading(body)["appTransactionId"]?.string)
        try seatClaims.change(original) { claims throws(APIError) in
            claims.removeAll { seats.unclaimed.contains($0.id) }
            guard let index = claims.firstIndex(where: { $0.id == UUID(uuidString: claim) }) else {
                throw .notFound(what: "The seat claim")
            }
            claims[index].appTransactionID = member
        }
        return nil
    }

    func customerGroups(of id: String) throws -> JSONText {
        let member = try member(id)
        let groups = groups.filter { $0.members.contains(member) }
        return .object([
            "groups": .array(groups.map { .object(["groupId": .string($0.id), "groupType": .string("CONSUMER")]) })
        ])
    }

    func groupMembers(of id: String, _ query: QueryValues) throws -> JSONText {
        guard let group = groups.first(where: { $0.id == id }) else { throw APIError.notFound(what: "The group") }
        let limit = query.value("limit").map { Int($0) ?? 0 } ?? 100
        guard (1...100).contains(limit) else { throw APIError.badRequest("limit must be a whole number from 1 to 100") }
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

    /// The groups of the app: the purchaser of seats, and the members whom the app's server named.
    private var groups: [(id: String, members: [String])] {
        store.subscriptionsWithSeats(app: app).compactMap { original in
            guard let seats = store.seats(of: original), seats.isActive else { return nil }
            let members = claims(of: original, seats).compactMap(\.appTransactionID)
            return ("group-\(original.rawValue)", [seats.purchaser] + members.filter { $0 != seats.purchaser })
        }
    }

    /// Returns the subscription of a transaction, whose seats the app assigns.
    private func group(_ id: String) throws -> (original: Transaction.ID, seats: SimulatedAppStore.Seats) {
        let purchase = try purchase(id)
        guard let seats = store.seats(of: purchase.id), seats.invitations == .developer else {
            throw APIError.badRequest("the app does not invite the members of this purchase")
        }
        guard seats.isActive else { throw APIError.badRequest("the subscription is not active") }
        return (purchase.originalID, seats)
    }

    private func claims(of original: Transaction.ID, _ seats: SimulatedAppStore.Seats) -> [SeatClaims.Claim] {
        seatClaims.claims(of: original).filter { !seats.unclaimed.contains($0.id) }
    }

    /// Returns the app transaction id of a customer.
    private func member(_ id: String?) throws(APIError) -> String {
        guard let id, store.isAppTransaction(id, app: app) else { throw .notFound(what: "The app transaction id") }
        return id
    }
}
