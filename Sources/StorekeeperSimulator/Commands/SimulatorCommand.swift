public import FoundationEssentials
public import Storekeeper

/// A change of a simulated App Store, as a value.
///
/// Every change of a ``SimulatedAppStore`` is such a command; methods such as `buy` create and perform commands.
/// Therefore a sequence of commands can be stored, printed, replayed and shortened. The same commands with the same
/// seed always have the same results.
public enum SimulatorCommand: Hashable, Sendable {
    // MARK: Time

    /// Advances time to an instant; each event up to this instant happens at its own instant.
    case advance(to: Instant)

    // MARK: People

    /// Creates an Apple Account.
    ///
    /// - Parameters:
    ///   - name: The name of the account, which is also the customer's id at the backend.
    ///   - storefront: The storefront's country as an ISO 3166-1 alpha-3 code; `nil` for the storefront in the app's
    ///     settings.
    case createAccount(CustomerID, storefront: String?)
    /// Moves an account to another storefront.
    case setStorefront(String, of: CustomerID)
    /// Sets what the app transaction of an account states.
    ///
    /// In the sandbox and in Xcode every app transaction states the same first version and the same first purchase.
    ///
    /// - Parameters:
    ///   - version: The version of the app that was downloaded first; `nil` to leave it unchanged.
    ///   - purchasedAt: The time of the first download; `nil` to leave it unchanged.
    ///   - isRevoked: Whether the download is revoked; `nil` to leave it unchanged.
    case setAppTransaction(of: CustomerID, version: String?, purchasedAt: Instant?, isRevoked: Bool?)
    /// Creates a family whose only member is the organizer.
    case createFamily(organizer: CustomerID)
    /// Adds an account to the family of another account; a family has at most six people.
    case joinFamily(CustomerID, of: CustomerID)
    /// Removes an account from its family; if the organizer leaves, the family ends.
    case leaveFamily(CustomerID)
    /// Makes a member of a family its organizer.
    case makeOrganizer(CustomerID)
    /// Turns purchase sharing of a whole family on or off.
    case setPurchaseSharing(Bool, of: CustomerID)
    /// Turns on or off whether a customer shares a purchased product with the family.
    case shareProduct(Bool, product: Product.ID, by: CustomerID)

    // MARK: Buying

    /// Buys a product inside the app.
    case buy(Product.ID, by: CustomerID, options: PurchaseRequest)
    /// Buys a product on the app's App Store page.
    ///
    /// The transaction has no app account token, and the app receives no result.
    case buyOutsideApp(Product.ID, by: CustomerID)
    /// Redeems an offer code, which is identified by its reference name.
    case redeemOfferCode(String, product: Product.ID, by: CustomerID)
    /// Selects a promoted product on the app's App Store page.
    ///
    /// The app is then asked to sell the product.
    case intendPurchase(Product.ID, by: CustomerID)
    /// Approves a purchase that waits for a guardian's answer.
    case approveAskToBuy(Transaction.ID)
    /// Declines a purchase that waits for a guardian's answer.
    case declineAskToBuy(Transaction.ID)
    /// Resolves the issue that interrupted a purchase, or the billing issue of a subscription.
    case resolveIssue(TransactionReference)
    /// Marks a transaction as finished, because the app has delivered the content.
    case finish(TransactionReference)
    /// Sets the app account token of a transaction.
    ///
    /// For a subscription, the token also applies to later transactions.
    case setAppAccountToken(UUID?, of: TransactionReference)
    /// Deletes a transaction from the App Store, which is possible only in test environments.
    case deleteTransaction(TransactionReference)
    /// Deletes all transactions of one account, or of all accounts.
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
    /// Ends the current period now, without a renewal.
    case expire(Product.ID, by: CustomerID)
    /// Sets whether the customer's payments fail from now on.
    case setPaymentsFail(Bool, of: CustomerID)
    /// Immediately retries the payment of a subscription in billing retry.
    case retryBilling(of: TransactionReference)
    /// Extends the current period of a subscription, as developers can with the App Store Server API.
    ///
    /// A repeated request, which has the id of an earlier request for the same subscription, has no effect. A request
    /// without an id is never a repeated request.
    case extendRenewalDate(of: TransactionReference, days: Int, reason: Int, requestID: String? = nil)
    /// Extends the current periods of all active subscriptions to a product.
    case extendRenewalDates(of: Product.ID, days: Int, reason: Int, storefronts: Set<String>, requestID: String)

    // MARK: Prices and sale

    /// Changes the price of a product, or the price of a monthly payment if the product is bought with a commitment.
    ///
    /// - Parameter billingPlan: The billing plan of the price; `nil` for payment up front.
    case changePrice(of: Product.ID, to: Int64, consent: PriceConsent, billingPlan: BillingPlanType? = nil)
    /// Requests a subscriber's consent to a price increase, even if consent was already requested.
    case requestPriceConsent(TransactionReference)
    /// Answers a request for consent to a price increase.
    case answerPriceConsent(Bool, of: TransactionReference)
    /// Stops the sale of a product, or starts it again.
    case setForSale(Bool, product: Product.ID)

    // MARK: Refunds

    /// Requests a refund inside the app.
    case requestRefund(TransactionReference, reason: RefundRequestReason)
    /// Refunds a transaction, whether or not a refund was requested.
    ///
    /// `percentage` is the share of the price, from 1 to 100,000 thousandths of a per cent; `nil` means the whole
    /// amount that was not refunded yet.
    case refund(TransactionReference, percentage: Int?, reason: RevocationReason)
    /// Declines a requested refund.
    case declineRefund(TransactionReference)
    /// Reverses a refund.
    case reverseRefund(TransactionReference)
    /// Revokes a subscription that another party, such as an organization, had assigned to the customer.
    case revokeAssignment(TransactionReference)

    // MARK: Advanced Commerce and seats

    /// Describes the items of an Advanced Commerce purchase, or changes them.
    ///
    /// The text is a JSON object with `items` and the other members of `advancedCommerceInfo`. For a migration,
    /// `targetProductId` is the product from the next renewal on.
    ///
    /// - SeeAlso: Apple, "App Store Server API: advancedCommerceTransactionInfo".
    case setAdvancedCommerce(String, of: TransactionReference, change: AdvancedCommerceChange)
    /// Sets the number of seats of a multi-seat subscription.
    ///
    /// An increase takes effect at once; a decrease takes effect with the next renewal.
    case setSeats(Int, of: TransactionReference, invitations: SeatInvitations)
    /// Removes claims with which the app's server has reserved seats.
    case unclaimSeats([UUID], of: TransactionReference)
    /// Refunds some seats of a transaction; the transaction stays valid for the other seats.
    ///
    /// A refund of the last remaining seats revokes the transaction, for the given reason. If more seats of the current
    /// period are claimed than remain, the newest claims are removed.
    ///
    /// - SeeAlso: Apple, "App Store Server API: revokedSeatQuantity".
    case refundSeats(Int, of: TransactionReference, reason: RevocationReason)
    /// Claims a seat for a member, as the app's server does.
    ///
    /// A request with a repeated id has no effect. A claim for a member who already occupies a seat is refused.
    case claimSeat(SeatClaim, of: TransactionReference)
    /// Releases a claimed seat, as the app's server does.
    case releaseSeat(UUID, of: TransactionReference)
    /// Assigns a customer to a claimed seat, as the app's server does.
    case associateSeat(UUID, with: CustomerID, of: TransactionReference)

    // MARK: The app's server

    /// Sends consumption information about a purchase to the App Store, which the App Store requests after a customer
    /// has asked for a refund.
    ///
    /// - Parameters:
    ///   - delivery: Apple's value that states whether the purchase was delivered, such as `DELIVERED`.
    ///   - preference: Apple's value for the developer's preferred outcome of the refund request, such as `DECLINE`;
    ///     `nil` for no preference.
    case informOfConsumption(of: TransactionReference, delivery: String, preference: String?)
    /// Requests a notification of the type `TEST`.
    case requestTestNotification

    // MARK: Faults

    /// Begins a fault that affects requests to the App Store over HTTP, or notifications to the app's server.
    ///
    /// The fault does not change the store.
    case beginFault(SimulatedFault)
    /// Ends all faults of the app.
    case endFaults

    // MARK: Settings

    /// Changes a setting of the app's test environment.
    case setSetting(SimulatorSetting)
    /// Resets all settings of the app to their initial values.
    case resetSettings
}

extension SimulatorCommand {
    /// Returns the command with another reference to its transaction.
    func replacingReference(_ other: (TransactionReference) -> TransactionReference) -> SimulatorCommand {
        switch self {
        case .resolveIssue(let it): .resolveIssue(other(it))
        case .finish(let it): .finish(other(it))
        case .setAppAccountToken(let token, let it): .setAppAccountToken(token, of: other(it))
        case .deleteTransaction(let it): .deleteTransaction(other(it))
        case .setAutoRenew(let isOn, let it): .setAutoRenew(isOn, of: other(it))
        case .applyOffer(let offer, let it): .applyOffer(offer, of: other(it))
        case .retryBilling(let it): .retryBilling(of: other(it))
        case .extendRenewalDate(let it, let days, let reason, let requestID):
            .extendRenewalDate(of: other(it), days: days, reason: reason, requestID: requestID)
        case .requestPriceConsent(let it): .requestPriceConsent(other(it))
        case .answerPriceConsent(let isYes, let it): .answerPriceConsent(isYes, of: other(it))
        case .requestRefund(let it, let reason): .requestRefund(other(it), reason: reason)
        case .refund(let it, let percentage, let reason): .refund(other(it), percentage: percentage, reason: reason)
        case .declineRefund(let it): .declineRefund(other(it))
        case .reverseRefund(let it): .reverseRefund(other(it))
        case .revokeAssignment(let it): .revokeAssignment(other(it))
        case .setAdvancedCommerce(let text, let it, let change):
            .setAdvancedCommerce(text, of: other(it), change: change)
        case .setSeats(let number, let it, let invitations): .setSeats(number, of: other(it), invitations: invitations)
        case .unclaimSeats(let claims, let it): .unclaimSeats(claims, of: other(it))
        case .refundSeats(let number, let it, let reason): .refundSeats(number, of: other(it), reason: reason)
        case .claimSeat(let claim, let it): .claimSeat(claim, of: other(it))
        case .releaseSeat(let claim, let it): .releaseSeat(claim, of: other(it))
        case .associateSeat(let claim, let member, let it): .associateSeat(claim, with: member, of: other(it))
        case .informOfConsumption(let it, let delivery, let preference):
            .informOfConsumption(of: other(it), delivery: delivery, preference: preference)
        default: self
        }
    }

    /// The product and the person, if the command is a purchase that may have to wait.
    var purchase: (product: Product.ID, person: CustomerID)? {
        switch self {
        case .buy(let id, let person, _), .buyOutsideApp(let id, let person), .redeemOfferCode(_, let id, let person):
            (id, person)
        default: nil
        }
    }
}

/// A command, with the app to which it applies.
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
    /// The transaction with this id.
    case id(Transaction.ID)
    /// A customer's newest transaction for a product.
    case latest(Product.ID, of: CustomerID)

    /// Creates a reference to the transaction with an id.
    public init(stringLiteral value: String) { self = .id(Transaction.ID(rawValue: value)) }
}

/// A claim of a seat in a multi-seat subscription by the app's server.
///
/// - SeeAlso: Apple, "App Store Server API: ClaimSeatRequest".
public struct SeatClaim: Hashable, Sendable {
    /// The id of the claim.
    public var id: UUID
    /// The id of the request; each attempt to claim the same seat has the same request id.
    public var request: UUID
    /// The customer who occupies the seat; `nil` if not determined yet.
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
    /// The offer's id, or the reference name of an offer code; `nil` only for an introductory offer.
    public var id: SubscriptionOffer.ID?
    /// Whether the offer is a retention offer, which the App Store shows to a customer who is about to cancel.
    ///
    /// No file format describes retention offers. Therefore a retention offer has the terms of the promotional offer
    /// with the same id.
    public var isRetention = false

    /// Creates a reference.
    public init(_ kind: SubscriptionOffer.Kind, id: SubscriptionOffer.ID? = nil) {
        self.kind = kind
        self.id = id
    }

    /// Returns a reference to the retention offer with the terms of a promotional offer.
    public static func retention(_ id: SubscriptionOffer.ID) -> OfferReference {
        var reference = OfferReference(.promotional, id: id)
        reference.isRetention = true
        return reference
    }

    /// The word for the kind of offer in scenarios.
    var word: String { isRetention ? OfferType.retention.word : kind.rawValue }
}

/// The options of a purchase.
public struct PurchaseRequest: Hashable, Sendable {
    /// The app account token.
    public var appAccountToken: UUID?
    /// The quantity, from 1 to 10; only consumables and non-renewing subscriptions allow more than 1.
    public var quantity: Int
    /// The requested offer.
    ///
    /// An eligible customer gets an introductory offer even if no offer is requested.
    public var offer: OfferReference?
    /// Overrides the customer's eligibility for the introductory offer; `nil` for no override.
    public var introductoryEligibility: Bool?
    /// The billing plan of a subscription; `nil` means the current plan if the customer is already subscribed to the
    /// product, or else payment up front.
    public var billingPlan: BillingPlanType?
    /// Whether the purchase waits for a guardian's answer; `nil` uses the app's setting.
    public var asksToBuy: Bool?
    /// The date of the purchase, which must not be in the future; `nil` for the current time.
    ///
    /// If ``renewsUntilNow`` is `true`, a subscription that was bought in the past is renewed up to the current time.
    ///
    /// - SeeAlso: Apple, "StoreKit Test: purchaseDate(_:renewalBehavior:)".
    public var purchaseDate: Instant?
    /// Whether a subscription that was bought in the past is renewed up to the current time.
    ///
    /// If `false`, the subscription ends after its first period.
    public var renewsUntilNow: Bool
    /// Whether the customer dismisses the payment sheet instead of buying.
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
    /// Consent is required if the increase exceeds the App Store's thresholds.
    case automatic
    /// Subscribers must agree.
    case required
    /// Subscribers are informed, but need not agree.
    case notRequired
    /// Existing subscribers continue to pay their current price.
    case preserved
}

/// The reason why a customer asks for a refund.
///
/// - SeeAlso: Apple, "App Store Server API: consumptionRequestReason".
public enum RefundRequestReason: String, Hashable, Sendable, CaseIterable {
    /// The customer bought by accident.
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    /// The purchase was not delivered, or does not work.
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    /// The purchase was not what the customer expected.
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    /// The customer asks for legal reasons.
    case legal = "LEGAL"
    /// The customer has another reason.
    case other = "OTHER"
}
