public import FoundationEssentials
public import Storekeeper

/// All that there is to see about a transaction, as Xcode's inspector shows it.
public struct ScenarioInspection: Sendable {
    /// What is said about the subscription of a transaction.
    public struct Subscription: Sendable {
        /// Whether it renews by itself.
        public let willRenew: Bool
        /// The product of the next period.
        public let nextProductID: Product.ID
        /// What the next period costs; `nil` where it does not renew or the catalog has no price.
        public let nextPrice: Decimal?
        /// The offer of the next period.
        public let nextOffer: Happening.Offer?
        /// How far a higher price is agreed to: `pending`, `agreed`, `declined`; `nil` where nobody asks.
        public let priceConsent: String?
        /// The higher price that is pending or agreed.
        public let increasedPrice: Decimal?
        /// When the grace period ends, where it is in one.
        public let graceEndsAt: Instant?
        /// When payments are no longer tried, where they fail.
        public let retryEndsAt: Instant?
        /// Why it has ended or will end, as renewal infos say it.
        public let expirationReason: ExpirationReason?
        /// Which of how many payments of a commitment the transaction is.
        public let commitmentPayment: (number: Int, of: Int)?
        /// When the commitment ends.
        public let commitmentEndsAt: Instant?
        /// What is to come if nobody does anything and payments succeed.
        public let upcoming: RenewalPreview
    }

    /// The transaction.
    public let transaction: ScenarioTransaction
    /// What was paid; `nil` for a family's copy and where the catalog has no price.
    public let price: Decimal?
    /// The currency of prices, ISO 4217.
    public let currency: String?
    /// The country of the storefront, three letters; `nil` where nothing was bought.
    public let storefront: String?
    /// The offer by which it was bought.
    public let offer: Happening.Offer?
    /// The app's name for the customer.
    public let appAccountToken: UUID?
    /// Why it was taken back, as scenarios write it.
    public let revocationReason: String?
    /// The share of the price that was paid back, in thousandths of a per cent, where it was not all.
    public let revocationPercentage: Int?
    /// The subscription of which it is the newest transaction.
    public let subscription: Subscription?
}

extension SimulatedAppStore {
    /// All that there is to see about a transaction; `nil` where there is none of that id.
    public func inspection(of id: Transaction.ID) -> ScenarioInspection? {
        read { world in
            guard let number = try? world.number(of: .id(id), app: 0) else { return nil }
            return world.inspection(of: number)
        }
    }
}

extension World {
    fileprivate func inspection(of number: Int32) -> ScenarioInspection {
        let state = transactions[Int(number)]
        let download = downloads[Int(state.download)]
        let record = state.latest.map { records[Int($0)] }
        let app = apps[Int(download.app)]
        let isFamilys = record?.flags.contains(.isFamilyShared) ?? false
        let country = record.map { storefronts[Int($0.storefront)] }
        return ScenarioInspection(
            transaction: transaction(number), price: isFamilys ? nil : Milliunits.decimal(record?.price),
            currency: isFamilys ? nil : country?.currency, storefront: country?.country,
            offer: record?.offer.map { app.happeningOffer($0) },
            appAccountToken: isFamilys ? nil : record?.token.flatMap { tokens[Int($0)] },
            revocationReason: record?.revocation.map { RevocationReason(rawValue: $0.reason).scenarioText },
            revocationPercentage: record?.revocation?.percentage.map(Int.init),
            subscription: record?.line.flatMap { place in
                lines[Int(place)].current == number ? subscription(of: place, record: record) : nil
            })
    }

    private func subscription(
        of place: Int32, record: TransactionRecord?
    ) -> ScenarioInspection.Subscription {
        let line = lines[Int(place)]
        let app = apps[Int(line.app)]
        let isFamilys = line.sharedFrom != nil
        let consent: String? =
            switch line.priceIncrease {
            case .none: nil
            case .pending: "pending"
            case .agreed: "agreed"
            case .declined: "declined"
            }
        return ScenarioInspection.Subscription(
            willRenew: line.autoRenews, nextProductID: app.product(line.followingProduct).id,
            nextPrice: isFamilys || !line.autoRenews ? nil : Milliunits.decimal(nextPrice(of: line)),
            nextOffer: isFamilys ? nil : nextOffer(of: line).map { app.happeningOffer($0) }, priceConsent: consent,
            increasedPrice: consent == nil ? nil : Milliunits.decimal(line.increasedPrice),
            graceEndsAt: line.phase == .grace ? line.graceEndsAt : nil,
            retryEndsAt: line.isInBillingRetry ? line.retryEndsAt : nil,
            expirationReason: line.expirationIntent.map(ExpirationReason.init(rawValue:)),
            commitmentPayment: record?.commitmentPeriod.map { (Int($0), Int(Self.paymentsOfCommitment)) },
            commitmentEndsAt: record?.commitmentExpiresAt, upcoming: preview(of: place, count: 3))
    }
}

extension Milliunits {
    /// A price in the currency's main unit.
    static func decimal(_ milliunits: Int64?) -> Decimal? { milliunits.map { Decimal($0) / 1000 } }
}
