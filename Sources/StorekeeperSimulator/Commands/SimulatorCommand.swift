public import FoundationEssentials
public import Storekeeper

/// A change of a simulated App Store, as a value.
///
/// Every change of a ``SimulatedAppStore`` is such a command: the methods of the store make one and perform it. So a
/// story can be stored, printed, replayed and shortened; the same commands with the same seed give the same story.
public enum SimulatorCommand: Hashable, Sendable {
    // MARK: Time

    /// Advances time to an instant; each event in between happens at its own instant.
    case advance(to: Instant)

    // MARK: People

    /// Makes an Apple Account.
    ///
    /// - Parameters:
    ///   - name: The name of the account, which is also the customer's id at the backend.
    ///   - storefront: Three letters, ISO 3166-1 alpha-3; `nil` for the setting.
    case createAccount(CustomerID, storefront: String?)
    /// Moves an account to another storefront.
    case setStorefront(String, of: CustomerID)
    /// Makes a family with an organiser only.
    case createFamily(organizer: CustomerID)
    /// Adds an account to the family of another; a family has at most six people.
    case joinFamily(CustomerID, of: CustomerID)
    /// Removes an account from its family; if the organiser leaves, the family ends.
    case leaveFamily(CustomerID)
    /// Makes a member the organiser of their family.
    case makeOrganizer(CustomerID)
    /// Turns purchase sharing of a whole family on or off.
    case setPurchaseSharing(Bool, of: CustomerID)
    /// Turns a purchaser's sharing of a product with their family on or off.
    case shareProduct(Bool, product: Product.ID, by: CustomerID)

    // MARK: Buying

    /// Buys inside the app.
    case buy(Product.ID, by: CustomerID, options: PurchaseRequest)
    /// Buys outside of the app, on its App Store page; without account token, and without a result in the app.
    case buyOutsideApp(Product.ID, by: CustomerID)
    /// Redeems an offer code by its reference name.
    case redeemOfferCode(String, product: Product.ID, by: CustomerID)
    /// Selects a promoted product on the App Store's page, for the app to sell.
    case intendPurchase(Product.ID, by: CustomerID)
    /// Approves a purchase that waits for a guardian.
    case approveAskToBuy(Transaction.ID)
    /// Declines a purchase that waits for a guardian.
    case declineAskToBuy(Transaction.ID)
    /// Resolves what interrupted a purchase, or the billing problem of a subscription.
    case resolveIssue(TransactionReference)
    /// Marks a transaction as finished: the app has delivered the content.
    case finish(TransactionReference)
    /// Sets the app account token of a subscription; current and later transactions carry it.
    case setAppAccountToken(UUID?, of: TransactionReference)
    /// Deletes a transaction from the App Store, as only test environments can.
    case deleteTransaction(TransactionReference)
    /// Deletes all transactions, of one account or of all.
    case clearTransactions(of: CustomerID?)

    // MARK: Subscriptions

    /// Turns automatic renewal on or off.
    case setAutoRenew(Bool, of: TransactionReference)
    /// Chooses another product of the group, as on the page for managing subscriptions.
    case changePlan(to: Product.ID, by: CustomerID, billingPlan: BillingPlanType?)
    /// Applies an offer to a running subscription.
    case applyOffer(OfferReference, of: TransactionReference)
    /// Ends the current period now and tries to renew.
    case forceRenewal(of: Product.ID, by: CustomerID)
    /// Ends the current period now, with automatic renewal turned off.
    case expire(Product.ID, by: CustomerID)
    /// Makes the customer's payments fail from now on, or succeed again.
    case setPaymentsFail(Bool, of: CustomerID)
    /// Retries the payment of a subscription in billing retry at once.
    case retryBilling(of: TransactionReference)
    /// Extends a subscription, as developers may.
    case extendRenewalDate(of: TransactionReference, days: Int, reason: Int)
    /// Extends all active subscriptions of a product.
    case extendRenewalDates(of: Product.ID, days: Int, reason: Int, storefronts: Set<String>, requestID: String)

    // MARK: Prices and sale

    /// Changes the price of a product, or that of the monthly payments of its commitment.
    ///
    /// - Parameter billingPlan: The billing plan; `nil` for the price billed up front.
    case changePrice(of: Product.ID, to: Int64, consent: PriceConsent, billingPlan: BillingPlanType? = nil)
    /// Asks a subscriber for consent to a price increase, again if it was asked before.
    case requestPriceConsent(TransactionReference)
    /// Answers that question.
    case answerPriceConsent(Bool, of: TransactionReference)
    /// Takes a product from sale, or puts it back.
    case setForSale(Bool, product: Product.ID)

    // MARK: Refunds

    /// Requests a refund inside the app.
    case requestRefund(TransactionReference, reason: RefundRequestReason)
    /// Approves a refund, requested or not.
    ///
    /// `percentage` is the share of the amount, from 1 to 100,000 thousandths of a per cent; `nil` for all.
    case refund(TransactionReference, percentage: Int?, reason: RevocationReason)
    /// Declines a requested refund.
    case declineRefund(TransactionReference)
    /// Reverses a refund.
    case reverseRefund(TransactionReference)
    /// Revokes a subscription that another party, such as an organisation, had assigned.
    case revokeAssignment(TransactionReference)

    // MARK: Advanced Commerce and seats

    /// Describes the items of an Advanced Commerce purchase, or changes them.
    ///
    /// The text is a JSON object with `items` and the other members of `advancedCommerceInfo`. For a migration
    /// `targetProductId` is the product from the next renewal on.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceTransactionInfo".
    case setAdvancedCommerce(String, of: TransactionReference, change: AdvancedCommerceChange)
    /// Sets the number of seats of a subscription that a group bought: more at once, fewer from the next renewal on.
    case setSeats(Int, of: TransactionReference, invitations: SeatInvitations)
    /// Takes seats away that the app's server had claimed.
    case unclaimSeats([UUID], of: TransactionReference)
    /// Refunds some seats of a transaction, which stays valid for the others.
    ///
    /// A refund of the last seats revokes the transaction, for the given reason. If more seats of a running period are
    /// claimed than are left, the newest claims are taken away.
    ///
    /// - SeeAlso: Apple, "App Store Server API: revokedSeatQuantity".
    case refundSeats(Int, of: TransactionReference, reason: RevocationReason)
    /// Claims a seat for a member, as the app's server does; neither the same request nor the same member claims a
    /// second seat.
    case claimSeat(SeatClaim, of: TransactionReference)
    /// Releases a claimed seat, as the app's server does.
    case releaseSeat(UUID, of: TransactionReference)
    /// States which customer occupies a claimed seat, as the app's server does.
    case associateSeat(UUID, with: CustomerID, of: TransactionReference)

    // MARK: The app's server

    /// Sends the App Store consumption information about a purchase, which it requests during a refund.
    ///
    /// - Parameters:
    ///   - delivery: Whether it was delivered, in Apple's words, such as `DELIVERED`.
    ///   - preference: The developer's preferred outcome, in Apple's words, such as `DECLINE`; `nil` for none.
    case informOfConsumption(of: TransactionReference, delivery: String, preference: String?)
    /// Asks for a notification of the type `TEST`.
    case requestTestNotification

    // MARK: Faults

    /// Begins a fault of requests or notifications of the app, for clients over HTTP and webhooks; it does not change
    /// the store.
    case beginFault(SimulatedFault)
    /// Ends all faults of the app.
    case endFaults

    // MARK: Settings

    /// Changes a setting of the app's test environment.
    case setSetting(SimulatorSetting)
    /// Resets all settings to those of the configuration.
    case resetSettings
}

/// A command and the app that it is about.
public struct SimulatorCall: Hashable, Sendable {
    /// The bundle id of the app; `nil` for the first app of the store.
    public var app: String?
    /// The command.
    public var command: SimulatorCommand

    /// Creates a call.
    public init(_ command: SimulatorCommand, app: String? = nil) {
        self.command = command
        self.app = app
    }
}

/// Identifies a transaction.
public enum TransactionReference: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The transaction with an id.
    case id(Transaction.ID)
    /// A customer's newest transaction of a product.
    case latest(Product.ID, of: CustomerID)

    /// Creates a reference to the transaction with an id.
    public init(stringLiteral value: String) { self = .id(Transaction.ID(rawValue: value)) }
}

/// A claim of a seat that a group bought, by the app's server.
///
/// - SeeAlso: Apple, "App Store Server API: ClaimSeatRequest".
public struct SeatClaim: Hashable, Sendable {
    /// The id of the claim.
    public var id: UUID
    /// The id of the request, the same for each attempt to claim one seat.
    public var request: UUID
    /// The member, if the app's server knows who it is.
    public var member: CustomerID?

    /// Creates a claim.
    public init(id: UUID, request: UUID, member: CustomerID? = nil) {
        self.id = id
        self.request = request
        self.member = member
    }
}

/// Identifies an offer.
public struct OfferReference: Hashable, Sendable {
    /// The kind of offer.
    public var kind: SubscriptionOffer.Kind
    /// Its id, or the reference name of a code; `nil` only for an introductory offer.
    public var id: SubscriptionOffer.ID?

    /// Creates a reference.
    public init(_ kind: SubscriptionOffer.Kind, id: SubscriptionOffer.ID? = nil) {
        self.kind = kind
        self.id = id
    }
}

/// The options of a purchase.
public struct PurchaseRequest: Hashable, Sendable {
    /// The app account token.
    public var appAccountToken: UUID?
    /// The quantity; from 1 to 10, and more than 1 only for consumables and non-renewing subscriptions.
    public var quantity: Int
    /// The offer; an eligible customer gets an introductory offer without naming it.
    public var offer: OfferReference?
    /// Overrides whether the customer is eligible for the introductory offer.
    public var introductoryEligibility: Bool?
    /// How a subscription is billed.
    public var billingPlan: BillingPlanType?
    /// Whether the purchase waits for a guardian; `nil` for the setting.
    public var asksToBuy: Bool?
    /// The date of purchase, which is not in the future; `nil`: now.
    ///
    /// With ``renewsUntilNow`` a subscription that was bought in the past also renews up to now.
    ///
    /// - SeeAlso: Apple, "StoreKit Test: purchaseDate(_:renewalBehavior:)".
    public var purchaseDate: Instant?
    /// Whether a purchase in the past renews until now; otherwise its first period is its only one.
    public var renewsUntilNow: Bool
    /// Whether the customer dismisses the sheet instead of buying.
    public var isCancelled: Bool

    /// Creates a request.
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
    /// Existing subscribers keep their price.
    case preserved
}

/// Why a customer asks for a refund.
///
/// - SeeAlso: Apple, "App Store Server API: consumptionRequestReason".
public enum RefundRequestReason: String, Hashable, Sendable, CaseIterable {
    /// The customer bought by accident.
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    /// The purchase was not delivered, or does not work.
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    /// The purchase was not what the customer expected.
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    /// A legal right.
    case legal = "LEGAL"
    /// Another reason.
    case other = "OTHER"
}
