import Storekeeper

/// All answers about a customer at an instant, as `entitlements` prints them.
struct EntitlementsReport {
    let inquiry: Inquiry
    /// The answers that products are listed for; `nil`: all.
    let only: Set<String>?

    private var resolution: Resolution { inquiry.resolution }
    private var at: Instant { inquiry.at }

    /// The products to be listed.
    var products: [ProductTimeline] {
        resolution.products.filter { only?.contains($0.timeline.value(at: at).word) ?? true }
    }

    /// The document.
    var json: JSONText {
        .object([
            "at": .time(at), "verified": .bool(inquiry.isVerified),
            "nextChange": .time(inquiry.nextChange),
            "products": .array(products.map(json)), "groups": .array(resolution.groups.map(json)),
            "features": .array(resolution.features.map(json)), "consumables": .array(inquiry.balances.map(json)),
            "diagnostics": .array(inquiry.diagnostics.map(\.json)),
        ])
    }

    private func json(_ product: ProductTimeline) -> JSONText {
        let answer = product.timeline.value(at: at)
        let run = product.timeline.run(at: at)
        let transaction = answer.basis?.transaction
        return .object([
            "id": .string(product.id), "type": .text(product.type?.word), "answer": .string(answer.word),
            "reason": .string(answer.reasonWord), "ownership": .text(transaction?.ownershipType.word),
            "transactionID": .text(transaction?.id.rawValue),
            "originalTransactionID": .text(transaction?.originalID.rawValue), "since": .time(run.from),
            "until": .time(run.to), "environment": .text(transaction?.environment.rawValue),
            "subscriptionGroupID": .text(resolution.group(containing: product.id)?.id),
            "groupLevel": .whole(resolution.catalog.product(product.id)?.subscription?.groupLevel),
        ])
    }

    private func json(_ timeline: GroupTimeline) -> JSONText {
        .object([
            "id": .string(timeline.group.id),
            "highest": timeline.highest(at: at).map { .object(summary(of: $0)) } ?? .null,
            "statuses": .array(timeline.statuses(at: at).map(json)),
        ])
    }

    private func summary(of status: SubscriptionStatus) -> [String: JSONText] {
        [
            "productID": .string(status.transaction.productID), "state": .string(status.state.rawValue),
            "originalTransactionID": .string(status.transaction.originalID.rawValue),
            "entitled": .bool(status.isEntitled), "groupLevel": .whole(status.groupLevel),
            "ownership": .string(status.transaction.ownershipType.word),
        ]
    }

    private func json(_ status: SubscriptionStatus) -> JSONText {
        let info = status.renewalInfo?.renewalInfo
        var members = summary(of: status)
        members["willAutoRenew"] = info?.autoRenewStatus?.isOn.map { .bool($0) } ?? .null
        members["autoRenewProductID"] = .text(info?.autoRenewProductID)
        members["expires"] = .time(status.transaction.expiresAt)
        members["gracePeriodExpires"] = .time(status.gracePeriodExpiresAt)
        members["inBillingRetry"] = status.isInBillingRetry(at: at).map(JSONText.bool) ?? .null
        members["expirationReason"] = .text(status.expirationReason?.word)
        return .object(members)
    }

    private func json(_ feature: FeatureTimeline) -> JSONText {
        let answer = feature.timeline.value(at: at)
        return .object([
            "id": .string(feature.id), "answer": .string(answer.answer.word),
            "reason": .string(answer.answer.reasonWord), "by": .text(answer.productID),
            "until": .time(feature.timeline.run(at: at).to),
        ])
    }

    private func json(_ balance: Balance) -> JSONText {
        .object([
            "id": .string(balance.id), "credited": .integer(balance.credited), "spent": .integer(balance.spent),
            "clawedBack": .integer(balance.clawedBack), "restored": .integer(balance.restored),
            "balance": .integer(balance.amount),
        ])
    }
}
