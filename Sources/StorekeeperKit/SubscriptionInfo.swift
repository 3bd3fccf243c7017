public import FoundationEssentials
import Storekeeper

extension Product {
    /// The details of an auto-renewable subscription.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.SubscriptionInfo".
    public struct SubscriptionInfo: Sendable {
        private let product: Product
        private let info: Storekeeper.Product.SubscriptionInfo
        private let group: Storekeeper.SubscriptionGroup?

        init?(_ product: Product) {
            guard let info = product.record.subscription else { return nil }
            self.product = product
            self.info = info
            group = product.binding.catalog.group(containing: product.record.id)
        }

        var binding: StoreBinding { product.binding }

        /// The id of the group.
        public var subscriptionGroupID: String { (group?.id ?? info.subscriptionGroupID)?.rawValue ?? "" }
        /// The name of the group; empty if the catalog has none.
        public var groupDisplayName: String { group?.name ?? "" }
        /// The level of service in the group; 1 is the highest level, and 0 means that the catalog has no level.
        public var groupLevel: Int { info.groupLevel ?? 0 }
        /// The length of a period.
        public var subscriptionPeriod: SubscriptionPeriod { SubscriptionPeriod(info.subscriptionPeriod) }
        /// The introductory offer.
        public var introductoryOffer: SubscriptionOffer? {
            info.introductoryOffer.flatMap { SubscriptionOffer($0, of: product) }
        }
        /// The promotional offers.
        public var promotionalOffers: [SubscriptionOffer] { offers { $0.kind == .promotional } }
        /// The win-back offers.
        public var winBackOffers: [SubscriptionOffer] { offers { $0.kind == .winBack } }
        /// The prices of the billing plans of the subscription.
        public var pricingTerms: [PricingTerms] { info.billingPlans.filter(\.isEnabled).map(terms) }

        /// Whether the customer is eligible for the introductory offer.
        ///
        /// A customer is eligible if they never had an introductory offer of the group, and have no running
        /// subscription of the group.
        public var isEligibleForIntroOffer: Bool {
            get async { await binding.isEligibleForIntroOffer(group: subscriptionGroupID) }
        }

        /// Returns whether the customer is eligible for an introductory offer of a group.
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
            await StoreKit.binding?.isEligibleForIntroOffer(group: groupID) ?? false
        }

        private func offers(_ isWanted: (Storekeeper.SubscriptionOffer) -> Bool) -> [SubscriptionOffer] {
            info.offers.filter(isWanted).compactMap { SubscriptionOffer($0, of: product) }
        }

        private func terms(_ plan: BillingPlan) -> PricingTerms {
            let price = plan.price ?? product.price
            let total = plan.commitmentPrice ?? price
            let isMonthly = plan.type == .monthly
            return PricingTerms(
                billingPlanType: BillingPlanType(rawValue: plan.type.rawValue), billingPrice: price,
                billingDisplayPrice: product.priceFormatStyle.format(price),
                billingPeriod: isMonthly ? .monthly : subscriptionPeriod,
                commitmentInfo: CommitmentInfo(
                    price: total, displayPrice: product.priceFormatStyle.format(total), period: subscriptionPeriod),
                subscriptionOffers: offers {
                    $0.kind != .code && ($0.billingPlanType ?? .billedUpfront) == plan.type
                })
        }
    }
}

extension Product.SubscriptionInfo: Hashable {
    /// Returns whether two values describe equal products.
    public static func == (left: Self, right: Self) -> Bool { left.product == right.product }

    /// Hashes the product.
    public func hash(into hasher: inout Hasher) { hasher.combine(product) }

    /// The type of a billing plan, which determines the times of payments.
    public struct BillingPlanType: RawRepresentable, Hashable, Sendable {
        /// The App Store's name for the type, such as `MONTHLY`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Each period is paid in advance.
        public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
        /// The subscription is paid monthly, with a commitment of twelve months.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
    }

    /// The prices of a billing plan.
    public struct PricingTerms: Hashable, Sendable {
        /// The type of the plan.
        public let billingPlanType: BillingPlanType
        /// The price of each payment, in units of the currency.
        public let billingPrice: Decimal
        /// The price of each payment, as text.
        public let billingDisplayPrice: String
        /// The time between payments.
        public let billingPeriod: Product.SubscriptionPeriod
        /// The price and the duration of the whole commitment.
        public let commitmentInfo: CommitmentInfo
        /// The offers of the plan.
        public let subscriptionOffers: [Product.SubscriptionOffer]

        /// Returns the offers of a type.
        public subscript(offers type: Product.SubscriptionOffer.OfferType) -> [Product.SubscriptionOffer] {
            subscriptionOffers.filter { $0.type == type }
        }
    }

    /// The whole commitment of a billing plan.
    public struct CommitmentInfo: Hashable, Sendable {
        /// The sum of all payments, in units of the currency.
        public let price: Decimal
        /// The sum of all payments, as text.
        public let displayPrice: String
        /// The duration.
        public let period: Product.SubscriptionPeriod
    }
}

extension StoreBinding {
    /// Returns whether the customer is eligible for an introductory offer of a group; `false` after a cancellation.
    func isEligibleForIntroOffer(group: String) async -> Bool {
        let known = store.snapshot.resolution.group(group)?.group.id ?? Storekeeper.SubscriptionGroup.ID(group)
        return await Self.reading { try await self.store.isEligibleForIntroOffer(for: known) } ?? false
    }
}

extension Product {
    /// A duration in calendar units, such as one month.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.SubscriptionPeriod".
    public struct SubscriptionPeriod: Hashable, Sendable, CustomDebugStringConvertible {
        /// A calendar unit.
        public enum Unit: Hashable, Sendable {
            case day, week, month, year

            /// The unit in English.
            public var localizedDescription: String {
                switch self {
                case .day: "Day"
                case .week: "Week"
                case .month: "Month"
                case .year: "Year"
                }
            }
        }

        /// The unit.
        public let unit: Unit
        /// The number of units.
        public let value: Int

        private init(_ value: Int, _ unit: Unit) {
            self.value = value
            self.unit = unit
        }

        /// Creates a period from a period of the catalog; `nil` if the catalog's period has no unit, or more than one
        /// unit.
        init?(_ period: Storekeeper.SubscriptionPeriod) {
            guard let unit = period.unit, let value = period.value else { return nil }
            switch unit {
            case .day: self.init(value, .day)
            case .week: self.init(value, .week)
            case .month: self.init(value, .month)
            case .year: self.init(value, .year)
            }
        }

        /// Creates a period from a period of the catalog; without one, the new period has 0 days.
        init(_ period: Storekeeper.SubscriptionPeriod?) { self = period.flatMap(Self.init) ?? Self(0, .day) }

        /// A week.
        public static let weekly = SubscriptionPeriod(1, .week)
        /// A month.
        public static let monthly = SubscriptionPeriod(1, .month)
        /// Two months.
        public static let everyTwoMonths = SubscriptionPeriod(2, .month)
        /// Three months.
        public static let everyThreeMonths = SubscriptionPeriod(3, .month)
        /// Six months.
        public static let everySixMonths = SubscriptionPeriod(6, .month)
        /// A year.
        public static let yearly = SubscriptionPeriod(1, .year)
        /// Three days.
        public static let everyThreeDays = SubscriptionPeriod(3, .day)
        /// Two weeks.
        public static let everyTwoWeeks = SubscriptionPeriod(2, .week)

        /// Returns the period that begins at a date, by the Gregorian calendar in UTC.
        public func dateRange(referenceDate: Date = Date()) -> Range<Date> {
            let start = Instant(referenceDate)
            let end =
                switch unit {
                case .day: start.adding(days: value)
                case .week: start.adding(days: value * 7)
                case .month: start.adding(months: value)
                case .year: start.adding(months: value * 12)
                }
            return start.date..<max(start, end).date
        }

        /// The number and the unit.
        public var debugDescription: String { "\(value) \(unit)" }
    }

    /// An offer of a subscription at a price other than the regular price, for a limited time.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.SubscriptionOffer".
    public struct SubscriptionOffer: Hashable, Sendable {
        /// The id; `nil` for an introductory offer.
        public let id: String?
        /// The type.
        public let type: OfferType
        /// The price of a period in units of the currency; 0 for a free trial.
        public let price: Decimal
        /// The price of a period as text.
        public let displayPrice: String
        /// The length of a period.
        public let period: SubscriptionPeriod
        /// The number of periods.
        public let periodCount: Int
        /// The payment mode.
        public let paymentMode: PaymentMode

        /// Creates an offer of a product; `nil` for an offer code, because StoreKit does not list offer codes.
        init?(_ offer: Storekeeper.SubscriptionOffer, of product: Product) {
            switch offer.kind {
            case .introductory: type = .introductory
            case .promotional: type = .promotional
            case .winBack: type = .winBack
            case .code: return nil
            }
            id = offer.id?.rawValue
            price = offer.price ?? 0
            displayPrice = product.priceFormatStyle.format(price)
            period = SubscriptionPeriod(offer.period)
            periodCount = offer.periodCount
            paymentMode =
                switch offer.paymentMode {
                case .payAsYouGo: .payAsYouGo
                case .payUpFront: .payUpFront
                case .oneTime: .oneTime
                case .freeTrial, nil: .freeTrial
                }
        }
    }
}

extension Product.SubscriptionOffer {
    /// The type of an offer.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
        /// The name of the type, such as `WinBack`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An offer for customers who are new to the subscription group.
        public static let introductory = OfferType(rawValue: "Introductory")
        /// An offer that the app makes and signs with its key.
        public static let promotional = OfferType(rawValue: "Promotional")
        /// An offer for customers whose subscription has lapsed.
        public static let winBack = OfferType(rawValue: "WinBack")

        /// The type in English.
        public var localizedDescription: String { rawValue }
    }

    /// The way in which the price of an offer is paid.
    public struct PaymentMode: RawRepresentable, Hashable, Sendable {
        /// The name of the payment mode, such as `FreeTrial`.
        public let rawValue: String
        /// Creates a value from any name, including a name without a constant.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing is paid.
        public static let freeTrial = PaymentMode(rawValue: "FreeTrial")
        /// A lower price is paid for each of several periods.
        public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
        /// A lower price is paid once for the whole duration of the offer.
        public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
        /// A lower price is paid for a purchase that does not renew.
        public static let oneTime = PaymentMode(rawValue: "OneTime")

        /// The mode in English.
        public var localizedDescription: String {
            switch self {
            case .freeTrial: "Free Trial"
            case .payAsYouGo: "Pay As You Go"
            case .payUpFront: "Pay Up Front"
            case .oneTime: "One Time"
            default: rawValue
            }
        }
    }

    /// The signature of a promotional offer, in the format that preceded JWS.
    public struct Signature: Hashable, Sendable {
        /// The id of the key.
        public let keyID: String
        /// The value that makes the signature unique.
        public let nonce: UUID
        /// The time of signing, in milliseconds since 1970.
        public let timestamp: Int
        /// The signature.
        public let signature: Data

        /// Creates a signature from its parts.
        public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
            self.keyID = keyID
            self.nonce = nonce
            self.timestamp = timestamp
            self.signature = signature
        }
    }
}
