import FoundationEssentials

/// Reads products that an app has saved on a device, as StoreKit 2 describes them.
///
/// The reader accepts one product, an array of products, and a dictionary with the array `data`.
///
/// - SeeAlso: Apple, "StoreKit: Product.jsonRepresentation".
struct StoreProductReader {
    var draft: CatalogDraft

    private static let knownKeys: Set<String> = ["id", "type", "href", "attributes"]
    private static let knownAttributes: Set<String> = [
        "offerName", "kind", "name", "description", "icuLocale", "isFamilyShareable", "isSubscription", "offers",
        "subscriptionFamilyId", "subscriptionFamilyName", "subscriptionFamilyRank", "url", "releaseDate",
        "isMerchandisedEnabled", "isMerchandisedVisibleByDefault",
    ]

    init(draft: CatalogDraft) { self.draft = draft }

    /// Returns whether a value contains products of StoreKit 2, which have a type that other catalog files do not have.
    static func recognizes(_ root: DocumentValue) -> Bool {
        entries(of: root).contains { entry, _ in
            guard let entry = entry.dictionary, let attributes = entry["attributes"]?.dictionary else { return false }
            return entry["type"]?.string == "in-apps" || attributes["offerName"]?.string != nil
        }
    }

    /// Returns the entries with their paths.
    private static func entries(of root: DocumentValue) -> [(value: DocumentValue, path: String)] {
        if let elements = root.array { return elements.enumerated().map { ($1, "[\($0)]") } }
        if let elements = root.dictionary?["data"]?.array { return elements.enumerated().map { ($1, "data[\($0)]") } }
        return [(root, "")]
    }

    /// Reads the products.
    mutating func read(_ root: DocumentValue) {
        var seen: Set<Product.ID> = []
        for (value, path) in Self.entries(of: root) { read(value, at: path, &seen) }
    }

    private mutating func read(_ value: DocumentValue, at path: String, _ seen: inout Set<Product.ID>) {
        let prefix = path.isEmpty ? "attributes" : "\(path).attributes"
        guard let entry = value.dictionary, let attributes = entry["attributes"]?.dictionary,
            let text = attributes["offerName"]?.string
        else {
            draft.report(
                .skippedEntry, "an entry without attributes.offerName, which is the product id, was skipped", at: path)
            return
        }
        guard let id = draft.productID(text, at: "\(prefix).offerName") else { return }
        guard seen.insert(id).inserted else {
            draft.report(
                .duplicateProduct, subject: id.rawValue, "the product is listed twice; the first entry counts", at: path
            )
            return
        }
        draft.reportUnknownMembers(of: entry, at: path, isKnown: Self.knownKeys.contains)
        draft.reportUnknownMembers(of: attributes, at: prefix, isKnown: Self.knownAttributes.contains)
        let subject = id.rawValue
        var product = CatalogDraft.ProductDraft(id: id)
        product.type = draft.type(attributes["kind"], subject: subject, at: "\(prefix).kind")
        product.displayName = draft.text(attributes["name"], subject: subject, at: "\(prefix).name")
        let description = attributes["description"]
        product.description = draft.text(
            description?.dictionary.map { $0["standard"] ?? .null } ?? description, subject: subject,
            at: "\(prefix).description.standard")
        product.isFamilyShareable = draft.flag(
            attributes["isFamilyShareable"], subject: subject, at: "\(prefix).isFamilyShareable")
        product.level = draft.count(
            attributes["subscriptionFamilyRank"], subject: subject, at: "\(prefix).subscriptionFamilyRank"
        ).map { draft.stated($0, at: "\(prefix).subscriptionFamilyRank") }
        if let offer = attributes["offers"]?.array?.lazy.compactMap(\.dictionary).first {
            readTerms(offer, into: &product, at: "\(prefix).offers[0]")
        }
        readGroup(attributes, of: id, at: prefix)
        draft.add(product)
    }

    /// Reads the regular price and period of a product, and its offers.
    private mutating func readTerms(
        _ offer: DocumentDictionary, into product: inout CatalogDraft.ProductDraft, at path: String
    ) {
        let subject = product.id.rawValue
        product.price = draft.price(offer["priceString"] ?? offer["price"], subject: subject, at: "\(path).price")
        product.currencyCode = draft.text(offer["currencyCode"], subject: subject, at: "\(path).currencyCode")
        product.period = draft.period(
            offer["recurringSubscriptionPeriod"], subject: subject, at: "\(path).recurringSubscriptionPeriod")
        for (index, element) in (offer["discounts"]?.array ?? []).enumerated() {
            let path = "\(path).discounts[\(index)]"
            guard let entry = element.dictionary, let kind = Self.kind(entry["type"]?.string) else {
                draft.report(
                    .skippedEntry, subject: subject, "a discount without a known type was skipped", at: path)
                continue
            }
            product.offers.append(self.offer(entry, kind, of: product.id, at: path))
        }
    }

    private mutating func offer(
        _ entry: DocumentDictionary, _ kind: SubscriptionOffer.Kind, of id: Product.ID, at path: String
    ) -> SubscriptionOffer {
        let subject = id.rawValue
        var offer = SubscriptionOffer(kind: kind)
        if kind != .introductory {
            let name = draft.text(entry["offerId"] ?? entry["id"], subject: subject, at: "\(path).offerId")
            offer.id = name.map { SubscriptionOffer.ID($0) }
        }
        let mode = draft.text(entry["modeType"], subject: subject, at: "\(path).modeType")
        offer.paymentMode = mode.flatMap { SubscriptionOffer.PaymentMode(word: $0) }
        offer.period = draft.period(
            entry["recurringSubscriptionPeriod"], subject: subject, at: "\(path).recurringSubscriptionPeriod")
        offer.periodCount = draft.count(entry["numOfPeriods"], subject: subject, at: "\(path).numOfPeriods") ?? 1
        offer.price =
            offer.paymentMode == .freeTrial
            ? 0 : draft.price(entry["priceString"] ?? entry["price"], subject: subject, at: "\(path).price")
        if let plan = draft.text(entry["billingPlanType"], subject: subject, at: "\(path).billingPlanType") {
            offer.billingPlanType = draft.planType(plan, subject: subject, at: "\(path).billingPlanType")
        }
        draft.reportGaps(
            of: offer, hasMode: mode != nil, hasPeriod: entry["recurringSubscriptionPeriod"] != nil, id, at: path)
        return offer
    }

    private mutating func readGroup(_ attributes: DocumentDictionary, of id: Product.ID, at path: String) {
        let word = draft.text(
            attributes["subscriptionFamilyId"], subject: id.rawValue, at: "\(path).subscriptionFamilyId")
        guard let word else { return }
        let name = draft.text(
            attributes["subscriptionFamilyName"], subject: id.rawValue, at: "\(path).subscriptionFamilyName")
        draft.add(
            CatalogDraft.GroupDraft(
                word: SubscriptionGroup.ID(word), isConfigured: true, name: name, members: [id]))
    }

    private static func kind(_ word: String?) -> SubscriptionOffer.Kind? {
        switch word.map(NormalizedMembers.folded) {
        case "introoffer", "introductoryoffer", "introductory": .introductory
        case "adhocoffer", "promotionaloffer", "promotional": .promotional
        case "codeoffer", "offercode", "code": .code
        case "winbackoffer", "winback": .winBack
        default: nil
        }
    }
}
