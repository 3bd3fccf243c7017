import FoundationEssentials

extension SubscriptionStatus: JSONDescribed {
    /// The status as `storekeeper entitlements` prints it, without the member `inBillingRetry`, which depends on the
    /// time.
    package var json: JSONText { DatedStatus(self, at: nil).json }

    /// The members that are also printed for the highest status of a group.
    package static let outline = JSONShape<SubscriptionStatus>([
        .member("productID") { $0.transaction.productID },
        .member("state", as: .words(of: RenewalState.self)) { $0.state.rawValue },
        .member("originalTransactionID") { $0.transaction.originalID }, .member("entitled") { $0.isEntitled },
        .member("groupLevel") { $0.groupLevel }, .member("ownership") { $0.transaction.ownershipType.word },
    ])
}

/// A status as `storekeeper entitlements` prints it.
package struct DatedStatus: JSONShaped {
    private let status: SubscriptionStatus
    private let at: Instant?
    private let isOutline: Bool

    /// Creates the row of a status.
    ///
    /// - Parameters:
    ///   - instant: The instant that `inBillingRetry` is about; `nil` to omit the member.
    ///   - isOutline: Whether only the members of ``SubscriptionStatus/outline`` are printed.
    package init(_ status: SubscriptionStatus, at instant: Instant?, isOutline: Bool = false) {
        (self.status, at, self.isOutline) = (status, instant, isOutline)
    }

    package static let shape = JSONShape<Self>(
        "Status", with: SubscriptionStatus.outline.members { $0.status },
        [
            .member("willAutoRenew") { $0.details?.renewalInfo?.autoRenewStatus?.isOn },
            .member("autoRenewProductID") { $0.details?.renewalInfo?.autoRenewProductID },
            .member("expires") { $0.details?.transaction.expiresAt },
            .member("gracePeriodExpires") { $0.details?.gracePeriodExpiresAt },
            .member("inBillingRetry") { row in row.at.flatMap { row.details?.isInBillingRetry(at: $0) } },
            .member("expirationReason") { $0.details?.expirationReason?.word },
            .member("priceIncrease", as: .words(PriceIncreaseStatus.known.compactMap(\.word).sorted())) {
                $0.details?.renewalInfo?.priceIncreaseStatus?.word
            },
            .member("renewalPrice", "The price of the next renewal, as a decimal number.") {
                $0.details?.renewalInfo?.renewalPrice
            },
            .member("currency", "ISO 4217.") {
                $0.details?.renewalInfo?.renewalPrice == nil ? nil : $0.details?.renewalInfo?.currencyCode
            },
        ])

    private var details: SubscriptionStatus? { isOutline ? nil : status }
}

extension SubscriptionStatus: CustomStringConvertible {
    /// The product and its state, such as `gold.monthly is inGracePeriod, gives access`.
    public var description: String {
        "\(transaction.productID) is \(state.rawValue), gives \(isEntitled ? "access" : "no access")"
    }
}
