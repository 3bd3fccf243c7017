public import FoundationEssentials
public import Storekeeper

/// One thing that happens to a simulated App Store, as a value.
///
/// Whatever changes a ``SimulatedAppStore`` is such a command: the methods of the store make one and perform it. So
/// a story can be kept, printed, replayed and shortened; the same commands on the same seed give the same story.
public enum SimulatorCommand: Hashable, Sendable {
    // MARK: Time

    /// Lets time pass up to an instant; everything that falls due in between happens at its own instant.
    case advance(to: Instant)

    // MARK: People

    /// Makes an Apple Account.
    ///
    /// - Parameters:
    ///   - name: What it is called here, which is also the customer's id at the backend.
    ///   - storefront: Three letters, ISO 3166-1 alpha-3; `nil`: that of the settings.
    case createAccount(CustomerID, storefront: String?)
    /// Moves an account to another storefront.
    case setStorefront(String, of: CustomerID)
    /// Makes a family of an organiser alone.
    case createFamily(organizer: CustomerID)
    /// Lets somebody join the family of another; a family has at most six people.
    case joinFamily(CustomerID, of: CustomerID)
    /// Lets somebody leave their family; the family of an organiser who leaves ends.
    case leaveFamily(CustomerID)
    /// Makes a member the organiser of their family.
    case makeOrganizer(CustomerID)
    /// Turns purchase sharing of a whole family on or off.
    case setPurchaseSharing(Bool, of: CustomerID)
    /// Lets a purchaser share a product with their family, or stop.
    case shareProduct(Bool, product: Product.ID, by: CustomerID)

    // MARK: Buying

    /// Buys inside the app.
    case buy(Product.ID, by: CustomerID, options: PurchaseRequest)
    /// Buys outside of the app, on the App Store's page of it; no account token, no result in the app.
    case buyOutsideApp(Product.ID, by: CustomerID)
    /// Redeems an offer code by its reference name.
    case redeemOfferCode(String, product: Product.ID, by: CustomerID)
    /// Taps a promoted product on the App Store's page, so that the app is asked to sell it.
    case intendPurchase(Product.ID, by: CustomerID)
    /// Approves a purchase that waits for a guardian.
    case approveAskToBuy(Transaction.ID)
    /// Declines a purchase that waits for a guardian.
    case declineAskToBuy(Transaction.ID)
    /// Resolves what interrupted a purchase, or the billing problem of a subscription.
    case resolveIssue(TransactionReference)
    /// Marks a transaction as finished: the app has handed out the goods.
    case finish(TransactionReference)
    /// Gives a subscription the app's own name of the customer; current and later transactions carry it.
    case setAppAccountToken(UUID?, of: TransactionReference)
    /// Takes a transaction out of the App Store, as only test environments can.
    case deleteTransaction(TransactionReference)
    /// Takes all transactions out, of one account or of all.
    case clearTransactions(of: CustomerID?)

    // MARK: Subscriptions

    /// Turns automatic renewal on or off.
    case setAutoRenew(Bool, of: TransactionReference)
    /// Chooses another product of the group, as on the page where customers manage subscriptions.
    case changePlan(to: Product.ID, by: CustomerID, billingPlan: BillingPlanType?)
    /// Applies an offer to a subscription that runs.
    case applyOffer(OfferReference, of: TransactionReference)
    /// Ends the current period now and tries to renew.
    case forceRenewal(of: Product.ID, by: CustomerID)
    /// Ends the current period now, with automatic renewal turned off.
    case expire(Product.ID, by: CustomerID)
    /// Lets the customer's payments fail from now on, or succeed again.
    case setPaymentsFail(Bool, of: CustomerID)
    /// Tries at once to charge a subscription in billing retry.
    case retryBilling(of: TransactionReference)
    /// Makes a subscription last longer, as developers may.
    case extendRenewalDate(of: TransactionReference, days: Int, reason: Int)
    /// Makes all active subscriptions of a product last longer.
    case extendRenewalDates(of: Product.ID, days: Int, reason: Int, storefronts: Set<String>, requestID: String)

    // MARK: Prices and sale

    /// Changes the price of a product, or that of the monthly payments of its commitment.
    ///
    /// - Parameter billingPlan: Whose price; `nil`: what is billed up front.
    case changePrice(of: Product.ID, to: Int64, consent: PriceConsent, billingPlan: BillingPlanType? = nil)
    /// Asks a subscriber for consent to a price increase, again if it was asked before.
    case requestPriceConsent(TransactionReference)
    /// Answers that question.
    case answerPriceConsent(Bool, of: TransactionReference)
    /// Takes a product from sale, or puts it back.
    case setForSale(Bool, product: Product.ID)

    // MARK: Refunds

    /// Asks for a refund inside the app.
    case requestRefund(TransactionReference, reason: RefundRequestReason)
    /// Approves a refund, asked for or not.
    ///
    /// `percentage` is the share of the amount, from 1 to 100,000 thousandths of a per cent; `nil`: all.
    case refund(TransactionReference, percentage: Int?, reason: RevocationReason)
    /// Declines a refund that was asked for.
    case declineRefund(TransactionReference)
    /// Takes a refund back.
    case reverseRefund(TransactionReference)
    /// Takes a subscription away in another's name, such as an organisation's.
    case revokeAssignment(TransactionReference)

    // MARK: The app's server

    /// Tells the App Store what became of a purchase, as it asks when a refund is wanted.
    ///
    /// - Parameters:
    ///   - delivery: Whether it came, in Apple's words, such as `DELIVERED`.
    ///   - preference: What the developer would like, in Apple's words, such as `DECLINE`; `nil`: nothing.
    case informOfConsumption(of: TransactionReference, delivery: String, preference: String?)
    /// Asks for a notification of the type `TEST`.
    case requestTestNotification

    // MARK: Faults

    /// Lets requests or notifications of the app go wrong, for clients over HTTP and webhooks; nothing in the store
    /// changes by it.
    case beginFault(SimulatedFault)
    /// Ends all faults of the app.
    case endFaults

    // MARK: Settings

    /// Changes a setting of the app's test environment.
    case setSetting(SimulatorSetting)
    /// Sets all settings back to those of the configuration.
    case resetSettings
}

/// A command and the app that it is about.
public struct SimulatorCall: Hashable, Sendable {
    /// The bundle id of the app; `nil`: the first app of the store.
    public var app: String?
    /// What happens.
    public var command: SimulatorCommand

    /// Makes a call.
    public init(_ command: SimulatorCommand, app: String? = nil) {
        self.command = command
        self.app = app
    }
}

/// Which transaction is meant.
public enum TransactionReference: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The transaction with an id.
    case id(Transaction.ID)
    /// A customer's newest transaction of a product.
    case latest(Product.ID, of: CustomerID)

    /// Means the transaction with an id.
    public init(stringLiteral value: String) { self = .id(Transaction.ID(rawValue: value)) }
}

/// Which offer is meant.
public struct OfferReference: Hashable, Sendable {
    /// What kind of offer.
    public var kind: SubscriptionOffer.Kind
    /// Its id, for a code its reference name; `nil` only for an introductory offer.
    public var id: SubscriptionOffer.ID?

    /// Makes a reference.
    public init(_ kind: SubscriptionOffer.Kind, id: SubscriptionOffer.ID? = nil) {
        self.kind = kind
        self.id = id
    }
}

/// How something is bought.
public struct PurchaseRequest: Hashable, Sendable {
    /// The app's own name for the customer.
    public var appAccountToken: UUID?
    /// How many; from 1 to 10, and more than 1 only of consumables and non-renewing subscriptions.
    public var quantity: Int
    /// The offer; an introductory one comes by itself to whoever is eligible.
    public var offer: OfferReference?
    /// Overrides whether the customer may have the introductory offer.
    public var introductoryEligibility: Bool?
    /// How a subscription is billed.
    public var billingPlan: BillingPlanType?
    /// Whether the purchase waits for a guardian; `nil`: as the settings say.
    public var asksToBuy: Bool?
    /// When it was bought, in the past; renewals up to now follow.
    ///
    /// - SeeAlso: Apple, "StoreKit Test: purchaseDate(_:renewalBehavior:)".
    public var purchaseDate: Instant?
    /// Whether a purchase in the past renews until now; otherwise its first period is its only one.
    public var renewsUntilNow: Bool
    /// Whether the customer dismisses the sheet instead of buying.
    public var isCancelled: Bool

    /// Makes a request.
    public init(
        appAccountToken: UUID? = nil, quantity: Int = 1, offer: OfferReference? = nil,
        introductoryEligibility: Bool? = nil, billingPlan: BillingPlanType? = nil, asksToBuy: Bool? = nil,
        purchaseDate: Instant? = nil, renewsUntilNow: Bool = true, isCancelled: Bool = false
    ) {
        self.appAccountToken = appAccountToken
        self.quantity = quantity
        self.offer = offer
        self.introductoryEligibility = introductoryEligibility
        self.billingPlan = billingPlan
        self.asksToBuy = asksToBuy
        self.purchaseDate = purchaseDate
        self.renewsUntilNow = renewsUntilNow
        self.isCancelled = isCancelled
    }
}

/// Whether subscribers must agree to a new price.
public enum PriceConsent: String, Hashable, Sendable, CaseIterable {
    /// As the App Store's thresholds say.
    case automatic
    /// They must.
    case required
    /// They are only informed.
    case notRequired
    /// Those who subscribe already keep their price.
    case preserved
}

/// Why a customer asks for a refund.
///
/// - SeeAlso: Apple, "App Store Server API: consumptionRequestReason".
public enum RefundRequestReason: String, Hashable, Sendable, CaseIterable {
    /// It was bought by accident.
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    /// It did not come, or does not work.
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    /// It is not what was expected.
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    /// The law gives it.
    case legal = "LEGAL"
    /// Another reason.
    case other = "OTHER"
}
