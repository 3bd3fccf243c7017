import FoundationEssentials

extension SubscriptionStatus: JSONDescribed {
    /// The status as `storekeeper entitlements` prints it, without the member `inBillingRetry`, which depends on the
    /// time.
    package var json: JSONText { .object(details) }

    /// Returns the complete JSON of the status at an instant.
    package func json(at instant: Instant) -> JSONText {
        var members = details
        members["inBillingRetry"] = isInBillingRetry(at: instant).map(JSONText.bool) ?? .null
        return .object(members)
    }

    /// The short JSON that is used for the highest status of a group.
    package var summary: JSONText { .object(outline) }

    private var outline: [String: JSONText] {
        [
            "productID": .string(transaction.productID.rawValue), "state": .string(state.rawValue),
            "originalTransactionID": .string(transaction.originalID.rawValue), "entitled": .bool(isEntitled),
            "groupLevel": .whole(groupLevel), "ownership": .string(transaction.ownershipType.word),
        ]
    }

    private var details: [String: JSONText] {
        var members = outline
        members["willAutoRenew"] = renewalInfo?.autoRenewStatus?.isOn.map { .bool($0) } ?? .null
        members["autoRenewProductID"] = .text(renewalInfo?.autoRenewProductID)
        members["expires"] = .time(transaction.expiresAt)
        members["gracePeriodExpires"] = .time(gracePeriodExpiresAt)
        members["expirationReason"] = .text(expirationReason?.word)
        members["priceIncrease"] = .text(renewalInfo?.priceIncreaseStatus?.word)
        members["renewalPrice"] = .money(renewalInfo?.renewalPrice)
        members["currency"] = .text(renewalInfo?.renewalPrice == nil ? nil : renewalInfo?.currencyCode)
        return members
    }
}

extension SubscriptionStatus: CustomStringConvertible {
    /// The product and its state, such as `gold.monthly is inGracePeriod, gives access`.
    public var description: String {
        "\(transaction.productID) is \(state.rawValue), gives \(isEntitled ? "access" : "no access")"
    }
}
