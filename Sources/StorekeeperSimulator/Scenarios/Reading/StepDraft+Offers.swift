import Storekeeper

/// Reads expectations about the offers for which a person is eligible.
extension StepDraft {
    static let offerReasons: [String: [String]] = [
        "eligible": OfferAnswer.EligibleReason.allCases.map(\.rawValue),
        "ineligible": OfferAnswer.IneligibleReason.allCases.map(\.rawValue),
        "unknown": OfferAnswer.UnknownReason.allCases.map(\.rawValue),
    ]

    /// Reads `offer PRODUCT introductory eligible` or `offer PRODUCT code NAME ineligible because alreadyUsed`.
    func offer(
        _ words: [String], person: CustomerID, at node: ScenarioNode
    ) throws(ScenarioError) -> ScenarioExpectation.Offer {
        try check(words[1], among: catalog.products.map(\.id.rawValue), at: node)
        // The id of an offer may contain spaces.
        guard let kind = SubscriptionOffer.Kind(rawValue: words[2]),
            let place = words.dropFirst(3).firstIndex(where: { Self.offerReasons[$0] != nil }),
            (kind == .introductory) == (place == 3)
        else {
            throw node.error(
                "'\(words.joined(separator: " "))' is not a valid expectation",
                "write it like 'offer pro introductory eligible' or 'offer pro code SPRING ineligible'")
        }
        let id = words[3..<place].joined(separator: " ")
        if kind != .introductory, let product = catalog.product(Product.ID(words[1])) {
            try check(id, among: product.offers.filter { $0.kind == kind }.compactMap(\.id?.rawValue), at: node)
        }
        let word = words[place]
        let details = try details(
            words.dropFirst(place + 1), of: word, reasons: Self.offerReasons[word] ?? [], at: node)
        return ScenarioExpectation.Offer(
            product: Product.ID(words[1]),
            offer: OfferReference(kind, id: kind == .introductory ? nil : SubscriptionOffer.ID(id)), word: word,
            reason: details.reason, until: details.until, isEndless: details.isEndless, person: person)
    }
}
