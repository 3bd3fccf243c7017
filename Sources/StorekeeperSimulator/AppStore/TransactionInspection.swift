package import FoundationEssentials
package import Storekeeper

/// A transaction with the details that Xcode's inspector shows.
package struct TransactionInspection: Sendable {
    /// The subscription of a transaction.
    package struct Subscription: Sendable {
        /// Whether the subscription renews automatically.
        package let willRenew: Bool
        /// The product of the next period.
        package let nextProductID: Product.ID
        /// The price of the next period; `nil` if the subscription does not renew, or if the catalog has no price.
        package let nextPrice: Decimal?
        /// The offer of the next period.
        package let nextOffer: Happening.Offer?
        /// The consent to a higher price: `pending`, `agreed` or `declined`; `nil` if no price increase exists.
        package let priceConsent: String?
        /// The higher price that awaits consent or was agreed to.
        package let increasedPrice: Decimal?
        /// The end of the grace period; `nil` if the subscription is not in a grace period.
        package let graceEndsAt: Instant?
        /// The instant at which payment retries stop; `nil` if no payment is retried.
        package let retryEndsAt: Instant?
        /// The reason for the end of the subscription, as in renewal infos.
        package let expirationReason: ExpirationReason?
        /// The number of the current payment within a commitment, and the total number of payments.
        package let commitmentPayment: (number: Int, of: Int)?
        /// The end of the commitment.
        package let commitmentEndsAt: Instant?
        /// The future periods if the customer changes nothing and all payments succeed.
        package let upcoming: RenewalPreview
    }

    /// The transaction.
    package let transaction: TransactionSummary
    /// The amount paid; `nil` if a family member shared the purchase, or if the catalog has no price.
    package let price: Decimal?
    /// The currency of the prices as an ISO 4217 code.
    package let currency: String?
    /// The country of the storefront as three letters; `nil` for an attempt that bought nothing.
    package let storefront: String?
    /// The offer with which the product was bought.
    package let offer: Happening.Offer?
    /// The app account token, with which the app identifies the customer.
    package let appAccountToken: UUID?
    /// The reason for the revocation, as it is written in scenarios.
    package let revocationReason: String?
    /// The refunded share of the price, in thousandths of a per cent; `nil` if nothing was refunded.
    package let revocationPercentage: Int?
    /// The subscription, if this transaction is the newest transaction of the subscription.
    package let subscription: Subscription?
}

extension SimulatedAppStore {
    /// Returns the details of a transaction.
    ///
    /// - Returns: `nil` if the id is unknown.
    package func inspection(of id: Transaction.ID) -> TransactionInspection? {
        read { world in
            world.existingTransaction(id).map { world.inspection(of: $0) }
        }
    }
}

extension World {
    /// Returns the details of a transaction.
    ///
    /// - Parameter periods: The number of future periods. With 0, no period is computed, which is much faster.
    func inspection(of place: RowIndex<TransactionState>, periods: Int = 3) -> TransactionInspection {
        let state = transactions[place]
        let download = downloads[state.download]
        let record = state.latest.map { records[$0] }
        let app = apps[download.app]
        let isShared = record?.flags.contains(.isFamilyShared) ?? false
        let country = record.map { storefronts[$0.storefront] }
        return TransactionInspection(
            transaction: summary(of: place), price: isShared ? nil : Milliunits.decimal(record?.price),
            currency: isShared ? nil : country?.currency, storefront: country?.country,
            offer: record?.offer.map { app.happeningOffer($0) },
            appAccountToken: isShared ? nil : record?.token.flatMap { tokens[$0] },
            revocationReason: record?.revocation.map { RevocationReason(rawValue: $0.reason).scenarioText },
            revocationPercentage: record?.revocation?.percentage.map(Int.init),
            subscription: record?.subscription.flatMap { subscription in
                subscriptions[subscription].current == place
                    ? self.subscription(of: subscription, record: record, periods: periods) : nil
            })
    }

    private func subscription(
        of place: RowIndex<Subscription>, record: TransactionRecord?, periods: Int
    ) -> TransactionInspection.Subscription {
        let subscription = subscriptions[place]
        let app = apps[subscription.app]
        let service = subscription.service
        let isShared = subscription.sharedFrom != nil
        let consent: String? =
            switch subscription.priceIncrease {
            case .none: nil
            case .pending: "pending"
            case .agreed: "agreed"
            case .declined: "declined"
            }
        return TransactionInspection.Subscription(
            willRenew: service.autoRenews, nextProductID: app.product(subscription.followingProduct).id,
            nextPrice: isShared || !service.autoRenews ? nil : Milliunits.decimal(nextPrice(of: subscription)),
            nextOffer: isShared ? nil : nextOffer(of: subscription).map { app.happeningOffer($0) },
            priceConsent: consent,
            increasedPrice: consent == nil ? nil : Milliunits.decimal(subscription.increasedPrice),
            graceEndsAt: service.phase == .grace ? service.graceEndsAt : nil,
            retryEndsAt: subscription.isInBillingRetry ? service.retryEndsAt : nil,
            expirationReason: service.expirationIntent.map(ExpirationReason.init(rawValue:)),
            commitmentPayment: record?.commitmentPeriod.map { (Int($0), Int(Plan.paymentsOfCommitment)) },
            commitmentEndsAt: record?.commitmentExpiresAt,
            upcoming: periods > 0 ? preview(of: place, count: periods) : RenewalPreview.none)
    }
}
