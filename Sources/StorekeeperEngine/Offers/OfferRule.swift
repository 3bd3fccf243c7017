/// A customer's past in one subscription group: the values that decide which offers the customer may have.
package struct OfferStanding: Hashable, Sendable {
    /// The state of the customer's own subscription; `nil` if the customer never had one.
    package var state: RenewalState?
    /// Whether any subscription of the group gives service, the customer's own or a shared one.
    package var isInService = false
    /// Whether the customer has had an introductory offer of the group.
    package var hasUsedIntroductoryOffer = false
    /// Whether auto-renewal of the customer's own subscription is on.
    package var autoRenews = false
    /// Whether the customer has paid for any period of their own subscription.
    package var hasPaid = false

    /// Creates the past of a customer who never subscribed.
    package init() {}

    /// Creates the past of a customer from its values.
    package init(
        state: RenewalState?, isInService: Bool, hasUsedIntroductoryOffer: Bool, autoRenews: Bool, hasPaid: Bool
    ) {
        self.state = state
        self.isInService = isInService
        self.hasUsedIntroductoryOffer = hasUsedIntroductoryOffer
        self.autoRenews = autoRenews
        self.hasPaid = hasPaid
    }

    /// Whether the customer's own subscription gives service.
    var isOwnInService: Bool { state?.givesService ?? false }

    /// The kind of customer in the sense of offer codes: new, existing or expired.
    var customer: SubscriptionOffer.CustomerEligibility {
        guard let state else { return .new }
        return isOwnInService || state == .inBillingRetryPeriod ? .existing : .expired
    }
}

/// The App Store's rules about who may have an offer, for the engine and the simulator.
///
/// - SeeAlso: Apple, "Implementing introductory offers in your app", "Implementing promotional offers in your app",
///   "Supporting offer codes in your app" and "Supporting win-back offers in your app".
package enum OfferRule {
    /// The facts about an offer that decide whether one customer may have it.
    package struct Terms: Hashable, Sendable {
        /// The offer's kind.
        package var kind: SubscriptionOffer.Kind
        /// The kinds of customers who may redeem a code; empty if all customers may.
        package var eligibility: Set<SubscriptionOffer.CustomerEligibility> = []
        /// Whether the customer has redeemed the code.
        package var isRedeemed = false
        /// Whether the offer's product has a lower service level than the customer's current product.
        package var isDowngrade = false
        /// Whether the offer belongs to the product that the customer had last.
        package var isLastProduct = false
        /// Whether the StoreKit testing file of the catalog switches the offer off.
        package var isSwitchedOff = false

        /// Creates the terms of an offer of the given kind.
        package init(kind: SubscriptionOffer.Kind) { self.kind = kind }
    }

    /// Returns whether a customer may have an offer of a subscription.
    package static func answer(for terms: Terms, _ standing: OfferStanding) -> OfferAnswer {
        switch terms.kind {
        case .introductory: introductory(standing)
        case .promotional:
            standing.state == nil ? .ineligible(.neverSubscribed) : .eligible(standing.eligibleReason)
        case .code: code(terms, standing)
        case .winBack: winBack(terms, standing)
        }
    }

    /// Returns whether a customer may redeem the code of a one-time product, which each customer may do once.
    package static func oneTimeCode(isRedeemed: Bool) -> OfferAnswer {
        isRedeemed ? .ineligible(.alreadyUsed) : .eligible(.newCustomer)
    }

    /// Returns whether a customer may have introductory offers of a group.
    ///
    /// A customer may have such an offer only once in the group, and not while a subscription of the group gives
    /// service.
    package static func introductory(_ standing: OfferStanding) -> OfferAnswer {
        if standing.hasUsedIntroductoryOffer { return .ineligible(.alreadyUsed) }
        if standing.isInService { return .ineligible(.subscribed) }
        // In billing retry the customer is no subscriber in the sense of the offer.
        return .eligible(standing.customer == .new ? .newCustomer : .formerSubscriber)
    }

    private static func code(_ terms: Terms, _ standing: OfferStanding) -> OfferAnswer {
        if terms.isRedeemed { return .ineligible(.alreadyUsed) }
        if standing.isOwnInService, terms.isDowngrade { return .ineligible(.downgrade) }
        let isMeant = terms.eligibility.isEmpty || terms.eligibility.contains(standing.customer)
        return isMeant ? .eligible(standing.eligibleReason) : .ineligible(.otherCustomers)
    }

    /// Returns whether a customer may have a win-back offer.
    ///
    /// A customer may have the offer after paying for a subscription that has expired, but not after a refund, and not
    /// while the App Store still tries to bill.
    private static func winBack(_ terms: Terms, _ standing: OfferStanding) -> OfferAnswer {
        switch standing.state {
        case nil: return .ineligible(.neverSubscribed)
        case .subscribed?, .inGracePeriod?: return .ineligible(.subscribed)
        case .inBillingRetryPeriod?: return .ineligible(.billingRetry)
        case .revoked?: return .ineligible(.revoked)
        case .expired?: break
        }
        if standing.autoRenews { return .ineligible(.autoRenews) }
        if !standing.hasPaid { return .ineligible(.neverPaid) }
        if !terms.isLastProduct { return .ineligible(.otherProduct) }
        return terms.isSwitchedOff ? .ineligible(.switchedOff) : .eligible(.formerSubscriber)
    }
}

extension OfferStanding {
    fileprivate var eligibleReason: OfferAnswer.EligibleReason {
        switch customer {
        case .new: .newCustomer
        case .existing: .currentSubscriber
        case .expired: .formerSubscriber
        }
    }
}
