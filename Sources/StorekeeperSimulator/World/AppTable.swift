import FoundationEssentials
import Storekeeper

/// An app as its simulated App Store sees it: the catalog as numbers, and the settings.
struct AppTable: Sendable {
    /// What counts about a product while time passes; its names stand in ``catalog``.
    struct Terms: Sendable {
        enum Kind: UInt8, Sendable { case consumable, nonConsumable, nonRenewing, autoRenewable }

        var kind: Kind
        /// The group, by its place in ``groups``.
        var group: Int32?
        /// 1 is the highest service.
        var level: Int32
        var period: PeriodLength
        /// Milliunits of the storefront's currency.
        var price: Int64?
        var isShareable: Bool
        var isForSale = true
        var introductoryOffer: Int32?
        var monthlyPlan: MonthlyPlan?
    }

    /// Twelve monthly payments for a year.
    struct MonthlyPlan: Sendable {
        var price: Int64?
        var commitmentPrice: Int64?
        var introductoryOffer: Int32?
    }

    /// An offer and the product it belongs to.
    struct OfferTerms: Sendable {
        var product: Int32
        var kind: SubscriptionOffer.Kind
        var mode: SubscriptionOffer.PaymentMode
        /// How long one period of it lasts; `nil`: as long as the product's.
        var length: PeriodLength?
        /// How many periods it is charged for.
        var payments: Int32
        /// Milliunits; 0 for a free trial.
        var price: Int64?
        var isStackable: Bool
    }

    let bundleID: String
    /// The app's number in the App Store.
    let appleID: Int64
    let version: String
    let catalog: Catalog
    let groups: [SubscriptionGroup]
    private let places: [Product.ID: Int32]
    /// The offers as the catalog has them, by place.
    let offers: [SubscriptionOffer]
    let offerTerms: ContiguousArray<OfferTerms>
    var terms: ContiguousArray<Terms>
    let initialSettings: AppSettings
    var settings: AppSettings

    init(_ app: SimulatedApp, number: Int) {
        bundleID = app.bundleID
        appleID = app.appleID ?? 1_000_000_001 + Int64(number)
        version = app.version
        catalog = app.catalog
        initialSettings = app.settings
        settings = app.settings
        var groups = app.catalog.groups
        var terms: ContiguousArray<Terms> = []
        var places: [Product.ID: Int32] = [:]
        var offers: [SubscriptionOffer] = []
        var offerTerms: ContiguousArray<OfferTerms> = []
        for (place, product) in app.catalog.products.enumerated() {
            places[product.id] = Int32(place)
            var entry = Terms(product)
            if entry.kind == .autoRenewable {
                // A subscription outside of every group is a group of its own.
                let id = app.catalog.group(containing: product.id)?.id ?? product.subscription?.subscriptionGroupID
                let group = groups.firstIndex { $0.id == id ?? product.id } ?? groups.count
                if group == groups.count {
                    groups.append(SubscriptionGroup(id: id ?? product.id, productIDs: [product.id]))
                }
                entry.group = Int32(group)
            }
            for offer in product.codeOffers where entry.kind != .autoRenewable {
                offers.append(offer)
                // However the file says that it is paid: once.
                var terms = OfferTerms(offer, mode: .oneTime, product: Int32(place))
                if offer.paymentMode == .freeTrial { terms.price = 0 }
                offerTerms.append(terms)
            }
            for offer in product.subscription?.offers ?? [] {
                guard let mode = offer.paymentMode else { continue }
                let index = Int32(offers.count)
                offers.append(offer)
                offerTerms.append(OfferTerms(offer, mode: mode, product: Int32(place)))
                guard offer.kind == .introductory else { continue }
                if offer.billingPlanType == .monthly {
                    entry.monthlyPlan?.introductoryOffer = index
                } else if entry.introductoryOffer == nil {
                    entry.introductoryOffer = index
                }
            }
            terms.append(entry)
        }
        self.groups = groups
        self.terms = terms
        self.places = places
        self.offers = offers
        self.offerTerms = offerTerms
    }

    func place(of id: Product.ID) -> Int32? { places[id] }

    func product(_ place: Int32) -> Product { catalog.products[Int(place)] }

    /// The offers of a product of one kind and id.
    func offer(_ reference: OfferReference, of product: Int32) -> Int32? {
        let index = offers.indices.first { index in
            offerTerms[index].product == product && offers[index].kind == reference.kind
                && (reference.id == nil ? reference.kind == .introductory : offers[index].id == reference.id)
        }
        return index.map(Int32.init)
    }

    /// The product that an offer code belongs to.
    func product(ofCode name: String) -> Int32? {
        offers.indices.first { offers[$0].kind == .code && offers[$0].id == name }.map { offerTerms[$0].product }
    }
}

extension AppTable.Terms {
    fileprivate init(_ product: Product) {
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
            AppTable.MonthlyPlan(
                price: $0.price.flatMap(Milliunits.of), commitmentPrice: $0.commitmentPrice.flatMap(Milliunits.of))
        }
    }
}

extension AppTable.OfferTerms {
    fileprivate init(_ offer: SubscriptionOffer, mode: SubscriptionOffer.PaymentMode, product: Int32) {
        self.product = product
        kind = offer.kind
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

/// Prices as the App Store writes them: thousandths of the currency's main unit.
enum Milliunits {
    /// A price in milliunits, what is less cut off; `nil` where it is negative or beyond all bounds.
    static func of(_ price: Decimal) -> Int64? {
        let digits = "\(price * 1000)".prefix { $0 != "." }
        guard let value = Int64(digits), (0...Int64.max / 1_000_000).contains(value) else { return nil }
        return value
    }
}
