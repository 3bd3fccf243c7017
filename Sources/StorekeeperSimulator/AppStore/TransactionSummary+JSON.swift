package import Storekeeper

extension TransactionSummary {
    /// The transaction as a JSON document.
    package var document: JSONText {
        .object([
            "id": .string(id.rawValue), "originalID": .text(originalID?.rawValue), "productID": .text(productID),
            "person": .string(person.rawValue), "app": .string(app), "begun": .time(begunAt),
            "purchased": .time(purchasedAt),
            "expires": .time(expiresAt), "revoked": .time(revokedAt), "quantity": .whole(quantity),
            "state": .string(state.rawValue), "isFamilyShared": .bool(isFamilyShared), "isRenewal": .bool(isRenewal),
            "isFinished": .bool(isFinished), "isRefundRequested": .bool(isRefundRequested),
            "awaitsPriceConsent": .bool(awaitsPriceConsent), "orderID": .text(orderID),
        ])
    }
}
