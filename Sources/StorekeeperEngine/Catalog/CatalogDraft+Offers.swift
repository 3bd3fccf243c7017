/// Functions that read offers and billing plans in every format.
extension CatalogDraft {
    /// Returns the type of a billing plan; a type that this version does not know is returned and reported.
    mutating func planType(_ word: String, subject: String?, at path: String) -> BillingPlanType {
        let type = BillingPlanType(word: word)
        if !BillingPlanType.known.contains(type) {
            report(
                .unknownValue, subject: subject,
                "the billing plan \"\(word.prefix(40))\" is not known; use upFront or monthly (in a StoreKit "
                    + "configuration BILLED_UPFRONT or MONTHLY)", at: path)
        }
        return type
    }

    /// Returns the customers who may redeem an offer code.
    mutating func eligibility(
        _ value: DocumentValue?, subject: String?, at path: String
    ) -> Set<SubscriptionOffer.CustomerEligibility> {
        guard let value, !value.isNull else { return [] }
        guard let elements = value.array else {
            report(.unknownValue, subject: subject, "expected an array of words; the value was ignored", at: path)
            return []
        }
        var known: Set<SubscriptionOffer.CustomerEligibility> = []
        for (index, element) in elements.enumerated() {
            let path = "\(path)[\(index)]"
            guard let word = text(element, subject: subject, at: path) else { continue }
            if let eligibility = SubscriptionOffer.CustomerEligibility(word: word) {
                known.insert(eligibility)
            } else {
                report(
                    .unknownValue, subject: subject,
                    "the eligibility \"\(word.prefix(40))\" is not known; use new, existing or lapsed (in a StoreKit "
                        + "configuration expired)", at: path)
            }
        }
        return known
    }

    /// Reports the missing members of an offer without which the offer cannot be redeemed.
    ///
    /// - Parameters:
    ///   - hasMode: Whether the file contains a payment mode, known or not.
    ///   - hasPeriod: Whether the file contains a period, readable or not.
    mutating func reportGaps(
        of offer: SubscriptionOffer, hasMode: Bool, hasPeriod: Bool, _ id: Product.ID, at path: String
    ) {
        if !hasMode {
            report(
                .unknownValue, subject: id.rawValue, "the offer has no payment mode; add paymentMode",
                at: path)
        }
        // A one-time payment has no period.
        if !hasPeriod, offer.paymentMode != .oneTime {
            report(.badPeriod, subject: id.rawValue, "the offer has no period; write one like P1W", at: path)
        }
        if offer.kind != .introductory, offer.id == nil {
            report(
                .unknownValue, subject: id.rawValue, "the offer has no id, so it cannot be redeemed; add one",
                at: path)
        }
    }
}
