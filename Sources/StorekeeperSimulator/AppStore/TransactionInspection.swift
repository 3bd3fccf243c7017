package import FoundationEssentials
package import Storekeeper

/// A transaction with all that Xcode's inspector shows of it.
package struct TransactionInspection: Sendable {
    /// The subscription of a transaction.
    package struct Subscription: Sendable {
        /// Whether it renews by itself.
        package let willRenew: Bool
        /// The product of the next period.
        package let nextProductID: Product.ID
        /// What the next period costs; `nil` where it does not renew or the catalog has no price.
        package let nextPrice: Decimal?
        /// The offer of the next period.
        package let nextOffer: Happening.Offer?
        /// How far a higher price is agreed to: `pending`, `agreed`, `declined`; `nil` where nobody asks.
        package let priceConsent: String?
        /// The higher price that is pending or agreed.
        package let increasedPrice: Decimal?
        /// When the grace period ends, where it is in one.
        package let graceEndsAt: Instant?
        /// When payments are no longer tried, where they fail.
        package let retryEndsAt: Instant?
        /// Why it has ended or will end, as renewal infos say it.
        package let expirationReason: ExpirationReason?
        /// Which of how many payments of a commitment the transaction is.
        package let commitmentPayment: (number: Int, of: Int)?
        /// When the commitment ends.
        package let commitmentEndsAt: Instant?
        /// What is to come if nobody does anything and payments succeed.
        package let upcoming: RenewalPreview
    }

    /// The transaction.
    package let transaction: TransactionSummary
    /// What was paid; `nil` for a family's copy and where the catalog has no price.
    package let price: Decimal?
    /// The currency of prices, ISO 4217.
    package let currency: String?
    /// The country of the storefront, three letters; `nil` where nothing was bought.
    package let storefront: String?
    /// The offer by which it was bought.
    package let offer: Happening.Offer?
    /// The app's name for the customer.
    package let appAccountToken: UUID?
    /// Why it was taken back, as scenarios write it.
    package let revocationReason: String?
    /// The share of the price that was paid back, in thousandths of a per cent, where it was not all.
    package let revocationPercentage: Int?
    /// The subscription of which it is the newest transaction.
    package let subscription: Subscription?
}

extension SimulatedAppStore {
    /// Inspects a transaction.
    ///
    /// - Returns: `nil` where there is none of that id.
    package func inspection(of id: Transaction.ID) -> TransactionInspection? {
        read { world in
            world.existingTransaction(id).map { world.inspection(of: $0) }
        }
    }
}

extension World {
    fileprivate func inspection(of place: Place<TransactionState>) -> TransactionInspection {
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
                subscriptions[subscription].current == place ? self.subscription(of: subscription, record: record) : nil
            })
    }

    private func subscription(
        of place: Place<Subscription>, record: TransactionRecord?
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
            commitmentEndsAt: record?.commitmentExpiresAt, upcoming: preview(of: place, count: 3))
    }
}
