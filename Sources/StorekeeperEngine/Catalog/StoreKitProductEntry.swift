import FoundationEssentials

/// One product or subscription of a StoreKit configuration.
struct StoreKitProductEntry {
    let entry: DocumentDictionary
    let id: Product.ID
    let path: String
    let locale: LocaleID?
    let currencyCode: String?

    static let knownKeys: Set<String> = [
        "productID", "type", "internalID", "displayPrice", "localizations", "familyShareable", "familySharable",
        "referenceName", "identifier", "recurringSubscriptionPeriod", "subscriptionGroupID", "groupNumber",
        "introductoryOffer", "introductoryOffers", "adHocOffers", "codeOffers", "winbackOffers", "billingPlans",
        "displayName", "description", "duration", "isFamilyShareable", "members",
    ]
    /// The keys of members that a catalog does not use, and that are written again.
    static let keptKeys: Set<String> = ["promotionalImageID"]
    private static let knownOfferKeys: Set<String> = [
        "internalID", "offerID", "referenceName", "paymentMode", "displayPrice", "subscriptionPeriod",
        "numberOfPeriods", "billingPlanType", "eligibility", "isStackable", "isEligible",
    ]
    private static let knownPlanKeys: Set<String> = [
        "billingPlanType", "displayPrice", "commitmentDisplayPrice", "internalID", "isEnabled",
    ]

    /// Returns the product that the entry describes.
    ///
    /// - Parameter defaultType: The type that is used if the entry has no known type; it follows from the list that
    ///   contains the entry.
    func product(defaultType: Product.ProductType?, in draft: inout CatalogDraft) -> CatalogDraft.ProductDraft {
        var product = CatalogDraft.ProductDraft(id: id)
        product.isConfigured = true
        product.type = draft.type(entry["type"], subject: id.rawValue, at: "\(path).type")
        if product.type == nil { product.type = defaultType.map { draft.stated($0, at: path) } }
        product.level = draft.count(entry["groupNumber"], subject: id.rawValue, at: "\(path).groupNumber")
            .map { draft.stated($0, at: "\(path).groupNumber") }
        readTexts(into: &product, in: &draft)
        product.price = draft.price(entry["displayPrice"], subject: id.rawValue, at: "\(path).displayPrice")
        product.billingPlans = billingPlans(in: &draft)
        // In newer files, the price of the plan that is billed up front counts as the product's price.
        let upfront = product.billingPlans.first { $0.type == .billedUpfront && $0.isEnabled }
        if let price = upfront?.price {
            if let stated = product.price, stated != price {
                draft.report(
                    .badPrice, severity: .note, subject: id.rawValue,
                    "displayPrice says \(stated), the plan that is billed up front \(price), which counts",
                    at: "\(path).displayPrice")
            }
            product.price = price
        }
        product.currencyCode = currencyCode
        // Some files have the second key, and suites the third.
        let key = member(["familyShareable", "familySharable", "isFamilyShareable"])
        product.isFamilyShareable = draft.bool(entry[key], subject: id.rawValue, at: "\(path).\(key)")
        let periodKey = member(["recurringSubscriptionPeriod", "duration"])
        product.period = draft.period(entry[periodKey], subject: id.rawValue, at: "\(path).\(periodKey)")
        product.members = draft.members(entry["members"], of: id, at: "\(path).members")
        product.offers = offers(in: &draft)
        return product
    }

    /// Returns the first of several keys that the entry contains; the first key if it contains none.
    private func member(_ keys: [String]) -> String { keys.first { entry[$0] != nil } ?? keys.first ?? "" }

    // MARK: Texts

    private func readTexts(into product: inout CatalogDraft.ProductDraft, in draft: inout CatalogDraft) {
        let localizations = entry["localizations"]?.array?.compactMap(\.dictionary) ?? []
        let texts = Self.localization(localizations, for: locale)
        product.localizations = CatalogDraft.localizations(of: entry["localizations"])
        product.displayName =
            Self.nonEmpty(texts?["displayName"])
            ?? draft.text(entry["displayName"], subject: id.rawValue, at: "\(path).displayName")
        product.referenceName = draft.text(entry["referenceName"], subject: id.rawValue, at: "\(path).referenceName")
        product.description =
            Self.nonEmpty(texts?["description"])
            ?? draft.text(entry["description"], subject: id.rawValue, at: "\(path).description")
    }

    private static func nonEmpty(_ value: DocumentValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the texts closest to a locale; if its language has no texts, the texts in American English or else the
    /// first texts.
    static func localization(_ localizations: [DocumentDictionary], for locale: LocaleID?) -> DocumentDictionary? {
        let named = localizations.compactMap { texts in
            texts["locale"]?.string.map { (locale: LocaleID($0), texts: texts) }
        }
        return CatalogDraft.chosen(among: named.map(\.locale), for: locale).map { named[$0].texts }
            ?? localizations.first
    }

    // MARK: Prices

    private func billingPlans(in draft: inout CatalogDraft) -> [BillingPlan] {
        entries("billingPlans", each: "billing plan", in: &draft).compactMap { entry, path in
            let unknown = draft.reportUnknownMembers(of: entry, at: path, isKnown: Self.knownPlanKeys.contains)
            guard let word = Self.nonEmpty(entry["billingPlanType"]) else {
                draft.report(
                    .skippedEntry, subject: id.rawValue, "a billing plan without a billingPlanType was skipped",
                    at: path)
                return nil
            }
            var plan = BillingPlan(
                type: draft.planType(word, subject: id.rawValue, at: "\(path).billingPlanType"),
                price: draft.price(entry["displayPrice"], subject: id.rawValue, at: "\(path).displayPrice"),
                commitmentPrice: draft.price(
                    entry["commitmentDisplayPrice"], subject: id.rawValue, at: "\(path).commitmentDisplayPrice"),
                isEnabled: draft.bool(entry["isEnabled"], subject: id.rawValue, at: "\(path).isEnabled") ?? true)
            plan.unknown.configuration = unknown
            return plan
        }
    }

    // MARK: Offers

    private func offers(in draft: inout CatalogDraft) -> [SubscriptionOffer] {
        var offers: [SubscriptionOffer] = []
        // Newer files contain each introductory offer twice, with the same internal id.
        var introductory: [(offer: SubscriptionOffer, internalID: String?)] = []
        let sources = entries("introductoryOffers", in: &draft) + singleIntroductoryOffer(in: &draft)
        for (entry, path) in sources {
            guard let offer = offer(entry, .introductory, at: path, in: &draft) else { continue }
            let internalID = Self.nonEmpty(entry["internalID"])
            let isKnown = introductory.contains {
                internalID != nil && $0.internalID != nil ? $0.internalID == internalID : $0.offer == offer
            }
            if !isKnown { introductory.append((offer, internalID)) }
        }
        offers += introductory.map(\.offer)
        let others: [(String, SubscriptionOffer.Kind)] = [
            ("adHocOffers", .promotional), ("codeOffers", .code), ("winbackOffers", .winBack),
        ]
        for (key, kind) in others {
            for (entry, path) in entries(key, in: &draft) {
                if let offer = offer(entry, kind, at: path, in: &draft) { offers.append(offer) }
            }
        }
        return offers
    }

    private func singleIntroductoryOffer(in draft: inout CatalogDraft) -> [(DocumentDictionary, String)] {
        guard let value = entry["introductoryOffer"] else { return [] }
        let path = "\(path).introductoryOffer"
        guard let entry = value.dictionary else {
            draft.report(.skippedEntry, subject: id.rawValue, "a value that is not an offer was skipped", at: path)
            return []
        }
        return [(entry, path)]
    }

    /// Returns the dictionaries of an array, each with its path.
    ///
    /// - Parameter each: The name of one element, for diagnostics.
    private func entries(
        _ key: String, each: String = "offer", in draft: inout CatalogDraft
    ) -> [(DocumentDictionary, String)] {
        guard let value = entry[key] else { return [] }
        let path = "\(path).\(key)"
        guard let elements = value.array else {
            draft.report(
                .skippedEntry, subject: id.rawValue, "expected an array of \(each)s; the value was skipped",
                at: path)
            return []
        }
        var entries: [(DocumentDictionary, String)] = []
        for (index, element) in elements.enumerated() {
            if let entry = element.dictionary {
                entries.append((entry, "\(path)[\(index)]"))
            } else if !element.isNull {
                draft.report(
                    .skippedEntry, subject: id.rawValue, "an entry that is not a valid \(each) was skipped",
                    at: "\(path)[\(index)]")
            }
        }
        return entries
    }

    private func offer(
        _ entry: DocumentDictionary, _ kind: SubscriptionOffer.Kind, at path: String, in draft: inout CatalogDraft
    ) -> SubscriptionOffer? {
        let unknown = draft.reportUnknownMembers(of: entry, at: path, isKnown: Self.knownOfferKeys.contains)
        let word = draft.text(entry["paymentMode"], subject: id.rawValue, at: "\(path).paymentMode")
        if let word, NormalizedMembers.folded(word) == "none" { return nil }
        var offer = SubscriptionOffer(kind: kind)
        offer.unknown.configuration = unknown
        offer.paymentMode = word.flatMap { SubscriptionOffer.PaymentMode(word: $0) }
        if let word, offer.paymentMode == nil {
            draft.report(
                .unknownValue, subject: id.rawValue,
                "the payment mode \"\(word.prefix(40))\" is not known; use free, payAsYouGo or payUpFront",
                at: "\(path).paymentMode")
        }
        if kind != .introductory {
            let name = Self.nonEmpty(entry["offerID"]) ?? Self.nonEmpty(entry["referenceName"])
            offer.id = name.map { SubscriptionOffer.ID($0) }
        }
        offer.period = draft.period(entry["subscriptionPeriod"], subject: id.rawValue, at: "\(path).subscriptionPeriod")
        offer.periodCount =
            draft.count(entry["numberOfPeriods"], subject: id.rawValue, at: "\(path).numberOfPeriods") ?? 1
        // A free offer may contain a price, because Xcode does not remove the price when the payment mode changes.
        offer.price =
            offer.paymentMode == .freeTrial
            ? 0 : draft.price(entry["displayPrice"], subject: id.rawValue, at: "\(path).displayPrice")
        offer.billingPlanType = Self.nonEmpty(entry["billingPlanType"]).map {
            draft.planType($0, subject: id.rawValue, at: "\(path).billingPlanType")
        }
        draft.reportGaps(of: offer, hasMode: word != nil, hasPeriod: entry["subscriptionPeriod"] != nil, id, at: path)
        if kind == .winBack {
            offer.isEligible = draft.bool(entry["isEligible"], subject: id.rawValue, at: "\(path).isEligible")
        }
        if kind == .code {
            offer.eligibility = draft.eligibility(entry["eligibility"], subject: id.rawValue, at: "\(path).eligibility")
            offer.isStackable =
                draft.bool(entry["isStackable"], subject: id.rawValue, at: "\(path).isStackable") ?? false
        }
        return offer
    }
}
