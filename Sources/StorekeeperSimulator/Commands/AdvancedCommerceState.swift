package import Storekeeper

/// How an Advanced Commerce purchase is described or changed.
///
/// - SeeAlso: Apple, "Advanced Commerce API".
public enum AdvancedCommerceChange: String, Hashable, Sendable, CaseIterable {
    /// Its items are described for the first time, or again; no notification follows.
    case description
    /// Names of the subscription or of items changed.
    case metadata
    /// Prices of items change with the next renewal.
    case price
    /// An ordinary subscription became one of Advanced Commerce.
    case migration
    /// Items were refunded.
    case refund
}

/// The Advanced Commerce state of a purchase: what its transaction and renewal info say, in one JSON object.
package struct AdvancedCommerceState: Sendable {
    /// An item.
    package struct Item: Sendable {
        /// The app's own id.
        package var sku: String
        /// The price, in milliunits.
        package var price: Int64?
        /// The price from the next renewal on, in milliunits.
        package var nextPrice: Int64?
        /// All members on the wire, except `SKU` and `price`.
        package var members: [String: JSONText]

        /// Creates an item.
        package init(sku: String, price: Int64?, members: [String: JSONText]) {
            self.sku = sku
            self.price = price
            self.members = members
        }

        /// Whether it was revoked.
        package var isRevoked: Bool { members["revocationDate"] != nil }

        func json(_ names: Set<String>) -> JSONText {
            var json = members.filter { names.contains($0.key) }
            json["SKU"] = .string(sku)
            json["price"] = .whole(price)
            return .object(json)
        }
    }

    /// All members on the wire, except `items`.
    package var members: [String: JSONText]
    /// The items.
    package var items: [Item]

    /// Creates a state.
    package init(members: [String: JSONText], items: [Item]) {
        self.members = members
        self.items = items
    }

    /// Reads a state, such as `{"items":[{"SKU":"pro","price":4990}]}`.
    ///
    /// - Throws: ``SimulatorError`` if the text is not such an object.
    package init(_ text: String) throws(SimulatorError) {
        let document = try? JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(Array(text.utf8))
        guard let object = document?.root.object, let list = object["items"]?.array.map(Array.init), !list.isEmpty
        else {
            throw SimulatorError(.invalidValue, "an Advanced Commerce purchase is a JSON object with 'items'")
        }
        members = [:]
        for member in object where member.name != "items" { members[member.name] = .value(member.value) }
        items = []
        for element in list {
            guard let item = element.object, let sku = item["SKU"]?.string else {
                throw SimulatorError(.invalidValue, "each item needs a 'SKU'")
            }
            var rest: [String: JSONText] = [:]
            for member in item where member.name != "SKU" && member.name != "price" {
                rest[member.name] = .value(member.value)
            }
            var read = Item(sku: sku, price: item["price"]?.int64, members: rest)
            read.nextPrice = item["priceIncreaseInfo"]?.object?["price"]?.int64
            items.append(read)
        }
    }

    /// The state as JSON text.
    package var text: String {
        var json = members
        json["items"] = .array(
            items.map { item in
                var members = item.members
                members["SKU"] = .string(item.sku)
                members["price"] = .whole(item.price)
                return .object(members)
            })
        return JSONText.object(json).text()
    }

    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceTransactionInfo".
    var transactionInfo: JSONText {
        var json = members.filter {
            [
                "descriptors", "estimatedTax", "taxExclusivePrice", "taxCode", "taxRate", "period",
                "requestReferenceId",
            ].contains($0.key)
        }
        json["items"] = .array(
            items.map { $0.json(["displayName", "description", "offer", "refunds", "revocationDate"]) })
        return .object(json)
    }

    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceRenewalInfo".
    var renewalInfo: JSONText {
        var json = members.filter {
            ["consistencyToken", "descriptors", "period", "requestReferenceId", "taxCode"].contains($0.key)
        }
        json["items"] = .array(
            items.filter { !$0.isRevoked }
                .map { $0.json(["displayName", "description", "offer", "priceIncreaseInfo"]) })
        return .object(json)
    }

    /// The state in the next period: without refunds and revoked items, at the new prices.
    var renewed: AdvancedCommerceState {
        var next = self
        next.items = items.filter { !$0.isRevoked }.map { item in
            var item = item
            item.price = item.nextPrice ?? item.price
            item.nextPrice = nil
            item.members["priceIncreaseInfo"] = nil
            item.members["refunds"] = nil
            return item
        }
        return next
    }
}

/// Who invites the members of a group that bought seats.
///
/// - SeeAlso: Apple, "App Store Server API: invitationManagement".
public enum SeatInvitations: String, Hashable, Sendable, CaseIterable {
    /// The App Store.
    case apple = "APPLE"
    /// The app.
    case developer = "DEVELOPER"
}
