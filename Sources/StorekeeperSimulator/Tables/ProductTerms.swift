import FoundationEssentials
import Storekeeper

/// The data of a product that purchases and renewals need.
///
/// The product's names are in the catalog.
struct ProductTerms: Sendable {
    enum Kind: UInt8, Sendable { case consumable, nonConsumable, nonRenewing, autoRenewable }

    var kind: Kind
    var group: RowIndex<SubscriptionGroup>?
    /// The level of service in the group; 1 is the highest.
    var level: Int32
    var period: PeriodLength
    /// The price in milliunits of the storefront's currency.
    var price: Int64?
    var isShareable: Bool
    var isForSale = true
    var introductoryOffer: RowIndex<OfferTerms>?
    var monthlyPlan: MonthlyPlan?

    init(_ product: Product) {
        switch product.type {
        case .consumable: kind = .consumable
        case .nonRenewable: kind = .nonRenewing
        case .autoRenewable: kind = .autoRenewable
        default: kind = product.subscription == nil ? .nonConsumable : .autoRenewable
        }
        level = Int32(clamping: product.subscription?.groupLevel ?? Int(Int32.max))
        period = product.subscription?.subscriptionPeriod.flatMap(PeriodLength.init) ?? .month
        price = product.price.flatMap(Milliunits.of)
        isShareable = product.isFamilyShareable == true && (kind == .nonConsumable || kind == .autoRenewable)
        monthlyPlan = product.subscription?.billingPlans.first { $0.type == .monthly && $0.isEnabled }.map {
            MonthlyPlan(
                price: $0.price.flatMap(Milliunits.of), commitmentPrice: $0.commitmentPrice.flatMap(Milliunits.of))
        }
    }
}

/// The billing plan of a subscription.
enum Plan: UInt8, Sendable {
    case upFront, monthly

    /// The number of payments in a commitment to the monthly plan.
    static let paymentsOfCommitment: Int32 = 12
}

extension PurchaseRequest {
    /// The billing plan of a new purchase.
    var plan: Plan { billingPlan == .monthly ? .monthly : .upFront }
}

/// The terms of a billing plan with twelve monthly payments for a year.
struct MonthlyPlan: Sendable {
    /// The price of one payment, in milliunits.
    var price: Int64?
    /// The price of all payments, in milliunits.
    var commitmentPrice: Int64?
    var introductoryOffer: RowIndex<OfferTerms>?
}

/// The data of an offer that purchases and renewals need.
struct OfferTerms: Sendable {
    var product: RowIndex<ProductTerms>
    var kind: SubscriptionOffer.Kind
    /// Whether the terms are those of a retention offer, which no catalog describes.
    var isRetention = false
    /// The billing plan to which the offer applies; each offer applies to one plan.
    var plan: Plan
    var mode: SubscriptionOffer.PaymentMode
    /// The length of the period that one payment of the offer covers; `nil` for the product's period.
    var length: PeriodLength?
    /// The number of payments of the offer.
    var payments: Int32
    /// The price of one payment in milliunits; 0 for a free trial.
    var price: Int64?
    var isStackable: Bool

    init(_ offer: SubscriptionOffer, mode: SubscriptionOffer.PaymentMode, product: RowIndex<ProductTerms>) {
        self.product = product
        kind = offer.kind
        plan = offer.billingPlanType == .monthly ? .monthly : .upFront
        self.mode = mode
        price = mode == .freeTrial ? 0 : offer.price.flatMap(Milliunits.of)
        isStackable = offer.isStackable
        let count = Int32(clamping: max(1, offer.periodCount))
        switch mode {
        case .payAsYouGo:
            length = nil
            payments = count
        case .freeTrial, .payUpFront, .oneTime:
            length = offer.period.flatMap(PeriodLength.init)?.times(count)
            payments = 1
        }
    }
}
