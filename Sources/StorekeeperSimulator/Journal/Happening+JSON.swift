package import Storekeeper

extension Happening {
    /// What is told of it in JSON, but for its place, its time and whom it happened to.
    package var members: [String: JSONText] {
        var members: [String: JSONText] = [
            "what": .string("\(kind)"), "app": .text(app), "productID": .text(productID),
            "transactionID": .text(transactionID?.rawValue),
            "originalTransactionID": .text(originalTransactionID?.rawValue), "expires": .time(expiresAt),
            "note": .text(note), "notification": .text(notification), "status": .whole(status),
            "price": .money(price), "currency": .text(currency), "revocationReason": .text(revocationReason),
            "revocationPercentage": .whole(revocationPercentage),
        ]
        if let offer {
            members["offer"] = .object([
                "type": .string(offer.kind.rawValue), "id": .text(offer.id),
                "paymentMode": .text(offer.paymentMode?.rawValue),
            ])
        }
        return members
    }

    /// All of it as a JSON document.
    package var document: JSONText {
        .object(
            members.merging(["id": .whole(id), "at": .time(at), "person": .text(customer?.rawValue)]) { $1 })
    }
}
