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

extension TransactionInspection {
    /// The rows of a transaction inspector, each with a name and a value.
    ///
    /// A value that is absent, such as a refund that did not happen, has no row.
    package var rows: [(name: String, value: String)] { rows(time: \.brief, money: money) }

    /// Returns the rows of a transaction inspector, with given formats of times and amounts.
    ///
    /// - Parameters:
    ///   - time: Returns the text of an instant.
    ///   - money: Returns the text of an amount; `nil` if the amount is `nil`.
    package func rows(
        time: (Instant) -> String, money: (Decimal?) -> String?
    ) -> [(name: String, value: String)] {
        let item = transaction
        var rows: [(String, String?)] = [
            ("id", item.id.rawValue),
            ("original", item.originalID == item.id ? "the same" : item.originalID?.rawValue),
            ("product", item.productID.rawValue), ("person", item.person.rawValue), ("app", item.app),
            ("state", item.state.rawValue), ("quantity", String(item.quantity)), ("price", money(price)),
            ("offer", offer?.words), ("storefront", storefront),
            ("account token", appAccountToken?.uuidString.lowercased()),
            ("requested", item.purchasedAt == nil ? time(item.begunAt) : nil),
            ("purchased", item.purchasedAt.map(time)),
            ("expires", item.expiresAt.map(time)),
            ("reason", item.purchasedAt == nil ? nil : item.isRenewal ? "renewal" : "purchase"),
            ("shared by the family", item.isFamilyShared ? "yes" : nil),
            ("refund requested", item.isRefundRequested ? "yes" : nil), ("taken back", item.revokedAt.map(time)),
        ]
        if let reason = revocationReason {
            let share = revocationPercentage.map { ", \(Decimal(thousandths: Int64($0))) %" } ?? ""
            rows.append(("taken back because", reason + share))
        }
        rows.append(("finished", item.isFinished ? "yes" : "no"))
        if let subscription { rows += self.rows(of: subscription, time: time, money: money) }
        return rows.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the text of an amount with its currency, if the currency is known; `nil` if the amount is `nil`.
    package func money(_ amount: Decimal?) -> String? {
        amount.map { amount in currency.map { "\(amount) \($0)" } ?? "\(amount)" }
    }

    private func rows(
        of subscription: Subscription, time: (Instant) -> String, money: (Decimal?) -> String?
    ) -> [(String, String?)] {
        var rows: [(String, String?)] = [("renews", subscription.willRenew ? "yes" : "no")]
        if subscription.willRenew {
            rows += [
                ("next product", subscription.nextProductID.rawValue), ("next price", money(subscription.nextPrice)),
                ("next offer", subscription.nextOffer?.words),
            ]
        }
        if let consent = subscription.priceConsent {
            let price = money(subscription.increasedPrice).map { ", \($0)" } ?? ""
            rows.append(("price increase", consent + price))
        }
        rows += [
            ("grace ends", subscription.graceEndsAt.map(time)), ("retry ends", subscription.retryEndsAt.map(time)),
            ("ended because", subscription.expirationReason?.word),
        ]
        if let payment = subscription.commitmentPayment {
            let end = subscription.commitmentEndsAt.map { ", until \(time($0))" } ?? ""
            rows.append(("payment", "\(payment.number) of \(payment.of)\(end)"))
        }
        for period in subscription.upcoming.periods {
            let price = money(Milliunits.decimal(period.price)).map { ", \($0)" } ?? ""
            let offer =
                period.offer.map {
                    ", \([$0.kind.rawValue, $0.id?.rawValue].compactMap(\.self).joined(separator: " "))"
                } ?? ""
            rows.append(
                ("upcoming", "\(time(period.startsAt)) to \(time(period.endsAt)): \(period.productID)\(price)\(offer)"))
        }
        if let end = subscription.upcoming.endsAt, subscription.expirationReason == nil {
            let reason = subscription.upcoming.endReason.map { ", \($0.word)" } ?? ""
            rows.append(("will end", time(end) + reason))
        }
        return rows
    }
}
