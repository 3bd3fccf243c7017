import FoundationEssentials

/// Functions that read the offers and billing plans of a list.
extension ProductListReader {
    /// Reads a product's offers from `offers`, and a free trial from its length, which some lists contain instead.
    mutating func readOffers(
        _ members: NormalizedMembers, of id: Product.ID, at path: String
    ) -> [SubscriptionOffer] {
        var offers: [SubscriptionOffer] = []
        if let member = members.first(["offers"]) {
            let path = memberPath(path, member.name)
            if member.value.array == nil {
                draft.report(
                    .skippedEntry, subject: id.rawValue, "expected an array of offers; it was skipped", at: path)
            }
            for (index, element) in (member.value.array ?? []).enumerated() {
                if let offer = readOffer(element, of: id, at: "\(path)[\(index)]") { offers.append(offer) }
            }
        }
        if let member = members.first(["freetrial"]), member.value.string != "",
            let period = draft.period(member.value, subject: id.rawValue, at: memberPath(path, member.name))
        {
            offers.append(
                SubscriptionOffer(kind: .introductory, paymentMode: .freeTrial, period: period, price: 0))
        }
        return offers
    }

    private static let knownOfferKeys = ProductListKey.folded(ProductListKey.offer).union([
        "type", "billingplantype", "isstackable", "iseligible", "displayprice", "periodtext",
    ])
    private static let knownPlanKeys = ProductListKey.folded(ProductListKey.billingPlan).union([
        "billingplantype", "displayprice",
    ])

    private mutating func readOffer(
        _ element: DocumentValue, of id: Product.ID, at path: String
    ) -> SubscriptionOffer? {
        let entry = element.dictionary ?? DocumentDictionary()
        let members = NormalizedMembers(entry)
        guard let word = members["kind"]?.string ?? members["type"]?.string, let kind = Self.offerKind(word) else {
            draft.report(
                .skippedEntry, subject: id.rawValue,
                "an offer without a known kind was skipped; use introductory, promotional, code or winBack",
                at: path)
            return nil
        }
        var offer = SubscriptionOffer(kind: kind)
        offer.unknown.list = draft.reportUnknownMembers(of: entry, at: path) {
            Self.knownOfferKeys.contains(NormalizedMembers.folded($0))
        }
        let name = draft.text(members["id"], subject: id.rawValue, at: "\(path).id")
        offer.id = kind == .introductory ? nil : name.map { SubscriptionOffer.ID($0) }
        let mode = draft.text(members["paymentmode"], subject: id.rawValue, at: "\(path).paymentMode")
        if let mode {
            offer.paymentMode = SubscriptionOffer.PaymentMode(word: mode)
            if offer.paymentMode == nil {
                draft.report(
                    .unknownValue, subject: id.rawValue,
                    "the payment mode is not known; use freeTrial, payAsYouGo, payUpFront or oneTime",
                    at: "\(path).paymentMode")
            }
        }
        offer.period = draft.period(members["period"], subject: id.rawValue, at: "\(path).period")
        offer.periodCount = draft.count(members["periodcount"], subject: id.rawValue, at: "\(path).periodCount") ?? 1
        offer.price = offer.paymentMode == .freeTrial ? 0 : readPrice(members, of: id, at: path)
        if let plan = members.first(["billingplan", "billingplantype"]),
            let word = draft.text(plan.value, subject: id.rawValue, at: memberPath(path, plan.name))
        {
            offer.billingPlanType = draft.planType(word, subject: id.rawValue, at: memberPath(path, plan.name))
        }
        offer.eligibility = draft.eligibility(members["eligibility"], subject: id.rawValue, at: "\(path).eligibility")
        let stackable = members.first(["stackable", "isstackable"])?.value
        offer.isStackable = draft.bool(stackable, subject: id.rawValue, at: "\(path).stackable") ?? false
        let eligible = members.first(["eligible", "iseligible"])?.value
        offer.isEligible = draft.bool(eligible, subject: id.rawValue, at: "\(path).eligible")
        draft.reportGaps(of: offer, hasMode: mode != nil, hasPeriod: members["period"] != nil, id, at: path)
        return offer
    }

    /// Reads the ways to pay for a subscription.
    mutating func readBillingPlans(
        _ members: NormalizedMembers, of id: Product.ID, at path: String
    ) -> [BillingPlan] {
        guard let member = members.first(["billingplans"]) else { return [] }
        let path = memberPath(path, member.name)
        guard let elements = member.value.array else {
            draft.report(
                .skippedEntry, subject: id.rawValue, "expected an array of billing plans; it was skipped", at: path)
            return []
        }
        var plans: [BillingPlan] = []
        for (index, element) in elements.enumerated() {
            let path = "\(path)[\(index)]"
            let entry = element.dictionary ?? DocumentDictionary()
            let members = NormalizedMembers(entry)
            guard let type = members.first(["type", "billingplantype"]),
                let word = draft.text(type.value, subject: id.rawValue, at: memberPath(path, type.name))
            else {
                draft.report(
                    .skippedEntry, subject: id.rawValue, "a billing plan without a type was skipped", at: path)
                continue
            }
            var plan = BillingPlan(
                type: draft.planType(word, subject: id.rawValue, at: memberPath(path, type.name)),
                price: readPrice(members, of: id, at: path),
                commitmentPrice: draft.price(
                    members["commitmentprice"], subject: id.rawValue, at: "\(path).commitmentPrice"),
                isEnabled: draft.bool(members["enabled"], subject: id.rawValue, at: "\(path).enabled") ?? true)
            plan.unknown.list = draft.reportUnknownMembers(of: entry, at: path) {
                Self.knownPlanKeys.contains(NormalizedMembers.folded($0))
            }
            plans.append(plan)
        }
        return plans
    }

    /// Returns the price of an offer or billing plan.
    private mutating func readPrice(_ members: NormalizedMembers, of id: Product.ID, at path: String) -> Decimal? {
        guard let member = members.first(Self.priceKeys) else { return nil }
        return draft.price(member.value, subject: id.rawValue, at: memberPath(path, member.name))
    }

    private static func offerKind(_ word: String) -> SubscriptionOffer.Kind? {
        switch NormalizedMembers.folded(word) {
        case "introductory": .introductory
        case "promotional", "adhoc": .promotional
        case "code", "offercode": .code
        case "winback": .winBack
        default: nil
        }
    }
}
