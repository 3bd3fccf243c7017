import Storekeeper

/// The numbers of signed items in a store.
struct SignedCounts: Sendable {
    let transactions: Int
    let renewalInfos: Int
    let appTransactions: Int
}

/// An app in a simulated App Store, with its products and offers as tables.
///
/// The rows of the tables refer to each other by index.
struct App: Sendable {
    let bundleID: String
    /// The app's id in the App Store.
    let appleID: Int64
    let version: String
    let catalog: Catalog
    /// The catalog's groups, and an additional group for each subscription that is in no group of the catalog.
    let groups: Table<SubscriptionGroup>
    private let places: [Product.ID: RowIndex<ProductTerms>]
    /// The offers of the catalog, in the same order as in `offers`.
    private let catalogOffers: [SubscriptionOffer]
    let offers: Table<OfferTerms>
    /// The terms of the products, in the order of the catalog.
    var terms: Table<ProductTerms>
    let initialSettings: AppSettings
    var settings: AppSettings
    /// The numbers of signed items at the instant at which the simulated failure of verification began; only later items
    /// have the flaw.
    var firstFlawed = SignedCounts(transactions: 0, renewalInfos: 0, appTransactions: 0)

    init(_ app: SimulatedApp, number: Int) {
        bundleID = app.bundleID
        appleID = app.appleID ?? 1_000_000_001 + Int64(number)
        version = app.version
        catalog = app.catalog
        initialSettings = app.settings
        settings = app.settings
        var groups = Table(app.catalog.groups)
        var terms = Table<ProductTerms>()
        var places: [Product.ID: RowIndex<ProductTerms>] = [:]
        var catalogOffers: [SubscriptionOffer] = []
        var offers = Table<OfferTerms>()
        for product in app.catalog.products {
            var entry = ProductTerms(product)
            let place = terms.append(entry)
            places[product.id] = place
            if entry.kind == .autoRenewable {
                // A subscription outside of every group gets a separate group.
                let id =
                    app.catalog.group(containing: product.id)?.id ?? product.subscription?.subscriptionGroupID
                    ?? SubscriptionGroup.ID(product.id.rawValue)
                entry.group =
                    groups.firstIndex { $0.id == id }
                    ?? groups.append(SubscriptionGroup(id: id, productIDs: [product.id]))
            }
            for offer in product.codeOffers where entry.kind != .autoRenewable {
                catalogOffers.append(offer)
                // The offer is paid once, even if the file states another payment mode.
                var terms = OfferTerms(offer, mode: .oneTime, product: place)
                if offer.paymentMode == .freeTrial { terms.price = 0 }
                offers.append(terms)
            }
            for offer in product.subscription?.offers ?? [] {
                guard let mode = offer.paymentMode else { continue }
                catalogOffers.append(offer)
                let offerPlace = offers.append(OfferTerms(offer, mode: mode, product: place))
                if offer.kind == .promotional {
                    catalogOffers.append(offer)
                    var retention = OfferTerms(offer, mode: mode, product: place)
                    retention.isRetention = true
                    offers.append(retention)
                }
                guard offer.kind == .introductory else { continue }
                if offer.billingPlanType == .monthly {
                    entry.monthlyPlan?.introductoryOffer = offerPlace
                } else if entry.introductoryOffer == nil {
                    entry.introductoryOffer = offerPlace
                }
            }
            terms[place] = entry
        }
        self.groups = groups
        self.terms = terms
        self.places = places
        self.catalogOffers = catalogOffers
        self.offers = offers
    }

    func place(of id: Product.ID) -> RowIndex<ProductTerms>? { places[id] }

    /// Returns a product of the catalog.
    func product(_ place: RowIndex<ProductTerms>) -> Product { catalog.products[place.index] }

    /// Returns an offer of the catalog.
    func catalogOffer(_ place: RowIndex<OfferTerms>) -> SubscriptionOffer { catalogOffers[place.index] }

    /// Returns the referenced offer of a product on a billing plan.
    func offer(
        _ reference: OfferReference, of product: RowIndex<ProductTerms>, plan: Plan
    ) -> RowIndex<OfferTerms>? {
        offers.indices.first { place in
            let (offer, terms) = (catalogOffer(place), offers[place])
            return terms.product == product && terms.plan == plan && offer.kind == reference.kind
                && terms.isRetention == reference.isRetention
                && (reference.id == nil ? reference.kind == .introductory : offer.id == reference.id)
        }
    }
}
