import Storekeeper

extension GeneratedEvidence {
    /// Returns the evidence with offers added to the catalog, the purchases and the renewal infos.
    ///
    /// The catalog does not contain every offer of the evidence. All copies of one transaction or renewal info have
    /// equal offers.
    ///
    /// - Parameter random: The generator.
    public func withOffers(_ random: inout SplitMix64) -> GeneratedEvidence {
        var copy = self
        copy.catalog = Catalog(
            products: catalog.products.map { product in
                var product = product
                if product.type == .autoRenewable {
                    product.subscription?.offers = Self.offers(&random)
                } else {
                    product.codeOffers = Self.codes(&random)
                }
                return product
            }, groups: catalog.groups, features: catalog.features)
        var purchases: [Transaction.ID: TransactionDraft] = [:]
        for index in copy.transactions.indices {
            let id = copy.transactions[index].id
            let purchase = purchases[id] ?? Self.withOffer(copy.transactions[index], &random)
            purchases[id] = purchase
            copy.transactions[index].offerType = purchase.offerType
            copy.transactions[index].offerID = purchase.offerID
            copy.transactions[index].offerPaymentMode = purchase.offerPaymentMode
            copy.transactions[index].price = purchase.price
        }
        var infos: [String: RenewalInfoDraft] = [:]
        for index in copy.renewalInfos.indices {
            let key = "\(copy.renewalInfos[index].originalID) \(copy.renewalInfos[index].signedAt)"
            let info = infos[key] ?? Self.withOffers(copy.renewalInfos[index], &random)
            infos[key] = info
            copy.renewalInfos[index].offerType = info.offerType
            copy.renewalInfos[index].offerID = info.offerID
            copy.renewalInfos[index].eligibleWinBackOfferIDs = info.eligibleWinBackOfferIDs
        }
        return copy
    }

    private static let codeIDs: [SubscriptionOffer.ID] = ["code.0", "code.1", "code.2"]
    private static let winBackIDs: [SubscriptionOffer.ID] = ["back.0", "back.1", "back.2"]

    private static func offers(_ random: inout SplitMix64) -> [SubscriptionOffer] {
        var offers: [SubscriptionOffer] = []
        if random.chance(80) { offers.append(SubscriptionOffer(kind: .introductory)) }
        if random.chance(60) { offers.append(SubscriptionOffer(kind: .promotional, id: "loyal")) }
        offers += codes(&random)
        for id in winBackIDs where random.chance(50) {
            offers.append(SubscriptionOffer(kind: .winBack, id: id, isEligible: random.pick(nil, nil, true, false)))
        }
        return offers.shuffled(using: &random)
    }

    private static func codes(_ random: inout SplitMix64) -> [SubscriptionOffer] {
        codeIDs.filter { _ in random.chance(50) }.map { id in
            SubscriptionOffer(
                kind: .code, id: id,
                eligibility: Set(SubscriptionOffer.CustomerEligibility.allCases.filter { _ in random.chance(40) }))
        }
    }

    private static func withOffer(_ draft: TransactionDraft, _ random: inout SplitMix64) -> TransactionDraft {
        var draft = draft
        draft.price = random.pick(nil, 0, 4990)
        switch random.number(in: 1...10) {
        case 1:
            draft.offerType = .introductory
            draft.offerPaymentMode = random.pick(.freeTrial, .payAsYouGo, .payUpFront)
        case 2, 3:
            draft.offerType = .code
            draft.offerID = random.element(of: codeIDs)
            draft.offerPaymentMode = random.pick(nil, .freeTrial, .oneTime)
        case 4:
            draft.offerType = random.pick(.promotional, .winBack, OfferType(rawValue: 9))
            draft.offerID = random.element(of: codeIDs + winBackIDs)
        default: break
        }
        return draft
    }

    private static func withOffers(_ draft: RenewalInfoDraft, _ random: inout SplitMix64) -> RenewalInfoDraft {
        var draft = draft
        if random.chance(30) {
            draft.offerType = random.pick(.code, .code, .promotional)
            draft.offerID = random.element(of: codeIDs)
        }
        if random.chance(50) {
            draft.eligibleWinBackOfferIDs = Array(
                (winBackIDs + ["gone"]).shuffled(using: &random).prefix(random.number(in: 0...3)))
        }
        return draft
    }
}
