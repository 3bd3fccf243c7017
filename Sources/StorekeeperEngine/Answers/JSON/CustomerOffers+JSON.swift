extension CustomerOffers: JSONDescribed, JSONShaped {
    /// The offers as `storekeeper offers` prints them, without the diagnostics of the evidence.
    package static let shape = JSONShape<CustomerOffers>([
        .member("at") { $0.at }, .member("verified") { $0.isVerified }, .member("groups") { $0.groups },
        .member("offers") { $0.rows },
    ])

    /// Returns only the offers that satisfy a condition, with the groups of these offers.
    package func only(_ isWanted: (Row) -> Bool) -> CustomerOffers {
        let rows = rows.filter(isWanted)
        return CustomerOffers(
            at: at, groups: groups.filter { group in rows.contains { $0.groupID == group.id } }, rows: rows,
            isVerified: isVerified)
    }
}

/// Offers with the diagnostics of the evidence, as `storekeeper offers` prints them.
package struct DiagnosedOffers: JSONShaped {
    package let offers: CustomerOffers
    package let diagnostics: [Diagnostic]

    package init(_ offers: CustomerOffers, _ diagnostics: [Diagnostic]) {
        (self.offers, self.diagnostics) = (offers, diagnostics)
    }

    package static let shape = JSONShape<Self>(
        "Offers", with: CustomerOffers.shape.members { $0.offers }, [.member("diagnostics") { $0.diagnostics }])
}

extension CustomerOffers.Group: JSONDescribed, JSONShaped {
    /// The group as JSON.
    package static let shape = JSONShape<CustomerOffers.Group>(
        "OfferGroup",
        [
            .member("id") { $0.id }, .member("name") { $0.name },
            .member("introductory") { Introductory(answer: $0.introductory, until: $0.until) },
            .member("statuses") { $0.statuses.map(LinkedStatus.init) },
        ])

    /// The answer about the introductory offers of a group.
    private struct Introductory: JSONShaped {
        let answer: OfferAnswer
        let until: Instant?

        static let shape = JSONShape<Introductory>(
            "IntroductoryAnswer", note: "Whether the customer may have introductory offers of the group.",
            with: OfferAnswer.shape.members { $0.answer }, [.member("until") { $0.until }])
    }

    /// A status with the pages on which the customer can act on it.
    private struct LinkedStatus: JSONShaped {
        let status: SubscriptionStatus

        static let shape = JSONShape<LinkedStatus>(
            "LinkedStatus",
            [
                .member("productID") { $0.status.transaction.productID },
                .member("state") { $0.status.state.rawValue },
                .member("ownership") { $0.status.transaction.ownershipType.word },
                .member("links") { $0.status.links.ifAny },
            ])
    }
}

extension AppStoreLink: JSONShaped {
    /// The kind of the page and its URL.
    package static let shape = JSONShape<AppStoreLink>(
        "Link", note: "A page of Apple on which the customer can act.",
        [.member("kind", as: .words(of: AppStoreLink.self)) { $0.rawValue }, .member("url") { $0.url }])
}

extension OfferAnswer {
    /// The members that the JSON of every answer about an offer has.
    package static let shape = JSONShape<OfferAnswer>([
        .member("answer", as: wordSchema) { $0.word }, .member("reason") { $0.reasonWord },
    ])

    /// The schema of ``word``.
    package static let wordSchema = JSONSchema.words(["eligible", "ineligible", "unknown"]).named("OfferWord")
}

extension CustomerOffers.Row: JSONDescribed, JSONShaped {
    /// The offer, with the answer about it, as JSON.
    package static let shape = JSONShape<CustomerOffers.Row>(
        "OfferAnswer", with: OfferAnswer.shape.members { $0.answer },
        [
            .member("productID") { $0.productID }, .member("subscriptionGroupID") { $0.groupID },
            .member("kind", as: .words(of: SubscriptionOffer.Kind.self)) { $0.offer.kind.rawValue },
            .member("id") { $0.offer.id },
            .member("paymentMode", as: .words(of: SubscriptionOffer.PaymentMode.self)) {
                $0.offer.paymentMode?.rawValue
            },
            .member("period") { $0.offer.period?.text }, .member("periodCount") { $0.offer.periodCount },
            .member("price") { $0.offer.price },
            .member("currency") { $0.offer.price == nil ? nil : $0.currencyCode },
            .member("until") { $0.until }, .member("steps") { $0.steps },
        ])
}

extension CustomerOffers: CustomStringConvertible {
    /// The JSON on one line, with the members in order of name.
    public var description: String { json.text() }
}
