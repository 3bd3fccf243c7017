package import Storekeeper

extension Happening {
    /// The JSON members of the happening, except its id, time and customer.
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
                "type": .string(offer.word), "id": .text(offer.id),
                "paymentMode": .text(offer.paymentMode?.rawValue),
            ])
        }
        return members
    }

    /// The happening as a JSON document.
    package var document: JSONText {
        .object(
            members.merging(["id": .whole(id), "at": .time(at), "person": .text(customer?.rawValue)]) { $1 })
    }
}
