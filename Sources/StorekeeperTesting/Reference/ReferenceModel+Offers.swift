public import Storekeeper

/// The reference model's answer about an offer, in the terms that the `storekeeper` command prints.
public struct ReferenceOfferAnswer: Hashable, Sendable {
    /// `eligible`, `ineligible` or `unknown`.
    public var answer: String
    /// The reason, such as `newCustomer`.
    public var reason: String

    /// Creates an answer.
    public init(_ answer: String, _ reason: String) {
        self.answer = answer
        self.reason = reason
    }
}

/// An offer of the catalog, with the reference model's answer about the offer.
public struct ReferenceOffer: Hashable, Sendable {
    /// The product.
    public var productID: Product.ID
    /// The offer.
    public var offer: SubscriptionOffer
    /// Whether the customer may have the offer.
    public var answer: ReferenceOfferAnswer

    /// Creates an offer with an answer.
    public init(productID: Product.ID, offer: SubscriptionOffer, answer: ReferenceOfferAnswer) {
        self.productID = productID
        self.offer = offer
        self.answer = answer
    }
}

/// The purchases and the subscription that a customer has in a group at an instant.
private struct ReferencePast {
    /// The customer's own purchases.
    var bought: [ReferenceFact]
    /// Whether the customer has service from a subscription, either their own or shared by a family member.
    var isServed: Bool
    /// The customer's own subscription that gives access; if none gives access, the own subscription with the best
    /// status.
    var own: ReferenceSituation?
    /// The reason why a purchase may be missing, `unverified` or `neverSynced`; `nil` if no purchase is missing.
    var doubt: String?
    /// Whether a subscription of the group may have renewed since its evidence was signed.
    var mayHaveRenewed = false
    /// Whether the customer's own subscription may have renewed since its evidence was signed.
    var mayOwnHaveRenewed = false

    var state: String? { own?.verdict.state }
    var isOwnServed: Bool { state.map(ReferenceModel.givesService) ?? false }

    /// The kind of customer in the terms of offer codes: `new`, `existing` or `expired`.
    var customer: SubscriptionOffer.CustomerEligibility {
        switch state {
        case nil: .new
        case "subscribed", "inGracePeriod", "inBillingRetryPeriod": .existing
        default: .expired
        }
    }

    var eligible: ReferenceOfferAnswer {
        switch customer {
        case .new: ReferenceOfferAnswer("eligible", "newCustomer")
        case .existing: ReferenceOfferAnswer("eligible", "currentSubscriber")
        case .expired: ReferenceOfferAnswer("eligible", "formerSubscriber")
        }
    }

    /// Returns the answer, or `unknown` if a purchase may be missing.
    ///
    /// Use this function for an answer that a missing purchase would change.
    func unlessMissing(_ answer: ReferenceOfferAnswer) -> ReferenceOfferAnswer {
        doubt.map { ReferenceOfferAnswer("unknown", $0) } ?? answer
    }

    /// Returns the answer, or `unknown` if a purchase or a renewal may be missing.
    ///
    /// Use this function for an answer that a missing renewal would change, too.
    ///
    /// - Parameter renewal: Whether a renewal may be missing.
    func unlessMissing(_ answer: ReferenceOfferAnswer, or renewal: Bool) -> ReferenceOfferAnswer {
        if doubt == nil, renewal { return ReferenceOfferAnswer("unknown", "staleEvidence") }
        return unlessMissing(answer)
    }
}

extension ReferenceModel {
    /// Returns whether the customer may have each offer of the catalog at an instant.
    ///
    /// The offers are in the order of the catalog, but the win-back offers of a product are in the order in which the
    /// App Store lists them.
    ///
    /// - Parameters:
    ///   - instant: The instant.
    ///   - isComplete: Whether the evidence is complete, so that a purchase without evidence was never made.
    public func offers(at instant: Instant, isComplete: Bool = true) -> [ReferenceOffer] {
        let pasts = groups.map { (group: $0, past: past(in: $0, at: instant, isComplete: isComplete)) }
        return catalog.products.flatMap { product -> [ReferenceOffer] in
            let past = pasts.first { $0.group.products.contains(product.id) }?.past
            let rows = (product.subscription?.offers ?? product.codeOffers).map { offer in
                ReferenceOffer(
                    productID: product.id, offer: offer,
                    answer: past.map { answer(offer, of: product, $0) }
                        ?? answerOutsideGroups(offer, of: product, at: instant, isComplete: isComplete))
            }
            return Self.sorted(rows, as: past?.own?.info?.eligibleWinBackOfferIDs ?? [])
        }
    }

    /// Returns whether the customer may have introductory offers of a group at an instant; `nil` for an unknown group.
    ///
    /// - Parameters:
    ///   - groupID: The group.
    ///   - instant: The instant.
    ///   - isComplete: Whether the evidence is complete, so that a purchase without evidence was never made.
    public func introductoryOffers(
        group groupID: SubscriptionGroup.ID, at instant: Instant, isComplete: Bool = true
    ) -> ReferenceOfferAnswer? {
        groups.first { $0.id == groupID }
            .map { Self.introductory(past(in: $0, at: instant, isComplete: isComplete)) }
    }

    static func givesService(_ state: String) -> Bool { state == "subscribed" || state == "inGracePeriod" }

    private func past(in group: ReferenceGroup, at instant: Instant, isComplete: Bool) -> ReferencePast {
        let lines = situations(at: instant, group: group.id)
        let own = lines.filter { $0.current.ownershipType.rawValue == "PURCHASED" }
        return ReferencePast(
            bought: bought(by: instant) { group.products.contains($0) },
            isServed: lines.contains { Self.givesService($0.verdict.state) },
            own: best(own.filter { Self.givesService($0.verdict.state) }) ?? best(own),
            doubt: doubt(about: group.products, isComplete: isComplete),
            mayHaveRenewed: chains.contains { isStale($0, of: group, at: instant) },
            mayOwnHaveRenewed: chains.contains { chain in
                chain.facts.last?.ownershipType.rawValue == "PURCHASED" && isStale(chain, of: group, at: instant)
            })
    }

    /// Returns whether a subscription may have renewed since its evidence was signed, or has renewed according to a
    /// renewal info.
    private func isStale(_ chain: ReferenceChain, of group: ReferenceGroup, at instant: Instant) -> Bool {
        guard let newest = chain.facts.last, group.products.contains(newest.productID) else { return false }
        // An addition of seats that was revoked does not end the period.
        let last = Self.decider(of: newest, in: chain, at: .distantFuture)
        let expiry = last.expiresAt ?? last.purchasedAt
        guard instant >= expiry else { return false }
        let infos = chain.infos.values.flatMap(\.self)
        let info = infos.max { Self.prevails($1, over: $0) }
        if let info, info.signedAt >= expiry, let next = info.renewsAt, next > expiry.adding(days: 1) {
            return true
        }
        let signed = max(last.signedAt, info?.signedAt ?? .distantPast)
        return last.revokedAt == nil && !last.isUpgraded && signed < expiry
            && Self.infos(of: last, in: chain).last?.autoRenewStatus != .off
    }

    private func bought(by instant: Instant, _ isMeant: (Product.ID) -> Bool) -> [ReferenceFact] {
        transactions.filter {
            $0.ownershipType.rawValue == "PURCHASED" && $0.purchasedAt <= instant && isMeant($0.productID)
        }
    }

    private func doubt(about products: Set<Product.ID>, isComplete: Bool) -> String? {
        if !products.isDisjoint(with: unverifiedProductIDs) { return "unverified" }
        return isComplete ? nil : "neverSynced"
    }

    /// Returns the offers of a product, with the win-back offers in the order of the App Store, which lists the best
    /// offer first.
    private static func sorted(
        _ rows: [ReferenceOffer], as names: [SubscriptionOffer.ID]
    ) -> [ReferenceOffer] {
        func place(_ row: ReferenceOffer) -> Int { row.offer.id.flatMap(names.firstIndex) ?? names.count }
        var rest = rows.filter { $0.offer.kind == .winBack }.enumerated().sorted {
            (place($0.element), $0.offset) < (place($1.element), $1.offset)
        }.map(\.element)[...]
        return rows.map { row in row.offer.kind == .winBack ? rest.popFirst() ?? row : row }
    }

    // MARK: The four kinds

    private func answer(_ offer: SubscriptionOffer, of product: Product, _ past: ReferencePast) -> ReferenceOfferAnswer
    {
        switch offer.kind {
        case .introductory: Self.introductory(past)
        case .promotional: Self.promotional(past)
        case .code: code(offer, of: product, past)
        case .winBack: Self.winBack(offer, of: product, past)
        }
    }

    /// Returns the answer about an introductory offer.
    ///
    /// A customer may have one introductory offer in each group, but not while a subscription of the group is active.
    private static func introductory(_ past: ReferencePast) -> ReferenceOfferAnswer {
        if past.bought.contains(where: { $0.transaction.offer?.type == .introductory }) {
            return ReferenceOfferAnswer("ineligible", "alreadyUsed")
        }
        if past.isServed { return ReferenceOfferAnswer("ineligible", "subscribed") }
        let reason = past.customer == .new ? "newCustomer" : "formerSubscriber"
        return past.unlessMissing(ReferenceOfferAnswer("eligible", reason), or: past.mayHaveRenewed)
    }

    /// Returns the answer about a promotional offer, which is for existing and lapsed subscribers, and may be repeated.
    ///
    /// The app chooses the subscribers who get the offer.
    private static func promotional(_ past: ReferencePast) -> ReferenceOfferAnswer {
        past.own == nil
            ? past.unlessMissing(ReferenceOfferAnswer("ineligible", "neverSubscribed")) : past.eligible
    }

    /// Returns the answer about an offer code, which is for the kinds of customers that the catalog names.
    ///
    /// Each customer can redeem the offer once, but not to downgrade.
    private func code(_ offer: SubscriptionOffer, of product: Product, _ past: ReferencePast) -> ReferenceOfferAnswer {
        if Self.isRedeemed(offer, of: product, past) { return ReferenceOfferAnswer("ineligible", "alreadyUsed") }
        if past.isOwnServed, let level = past.own.flatMap({ self.level(of: $0.current) }),
            let offered = product.subscription?.groupLevel, offered > level
        {
            return ReferenceOfferAnswer("ineligible", "downgrade")
        }
        guard offer.eligibility.isEmpty || offer.eligibility.contains(past.customer) else {
            let refused = ReferenceOfferAnswer("ineligible", "otherCustomers")
            if past.own == nil { return past.unlessMissing(refused) }
            // A missing purchase or renewal could make a former subscriber a current one.
            return past.customer == .expired && offer.eligibility.contains(.existing)
                ? past.unlessMissing(refused, or: past.mayOwnHaveRenewed) : refused
        }
        return past.unlessMissing(past.eligible, or: past.mayOwnHaveRenewed)
    }

    private static func isRedeemed(_ offer: SubscriptionOffer, of product: Product, _ past: ReferencePast) -> Bool {
        let isUsed = past.bought.contains {
            $0.productID == product.id && $0.transaction.offer?.type == .code && $0.transaction.offer?.id == offer.id
        }
        guard !isUsed, let own = past.own, let next = own.info else { return isUsed }
        // The renewal info may name a code that was redeemed for the next period.
        return next.offer?.type == .code && next.offer?.id == offer.id
            && (next.autoRenewProductID ?? own.current.productID) == product.id
    }

    /// Returns the answer about a win-back offer, which is for lapsed customers.
    ///
    /// A renewal info that was signed after the end of the subscription must name the offer.
    private static func winBack(
        _ offer: SubscriptionOffer, of product: Product, _ past: ReferencePast
    ) -> ReferenceOfferAnswer {
        guard let own = past.own else {
            return past.unlessMissing(ReferenceOfferAnswer("ineligible", "neverSubscribed"))
        }
        switch own.verdict.state {
        case "subscribed", "inGracePeriod": return ReferenceOfferAnswer("ineligible", "subscribed")
        case "inBillingRetryPeriod": return ReferenceOfferAnswer("ineligible", "billingRetry")
        case "revoked": return ReferenceOfferAnswer("ineligible", "revoked")
        default: break
        }
        // A renewal info that was signed during billing retry was signed before the subscription ended.
        guard let info = own.info, info.signedAt >= own.expiry, info.billingRetryFlag != true else {
            return ReferenceOfferAnswer("unknown", "staleRenewalInfo")
        }
        if let id = offer.id, info.eligibleWinBackOfferIDs.contains(id) {
            return past.unlessMissing(past.eligible, or: past.mayOwnHaveRenewed)
        }
        if info.autoRenewStatus?.rawValue == 1 { return ReferenceOfferAnswer("ineligible", "autoRenews") }
        let hasPaid = past.bought.contains { fact in
            fact.transaction.priceInMilliunits.map { $0 > 0 } ?? (fact.transaction.offer?.paymentMode != .freeTrial)
        }
        if !hasPaid { return ReferenceOfferAnswer("ineligible", "neverPaid") }
        if own.current.productID != product.id { return ReferenceOfferAnswer("ineligible", "otherProduct") }
        return ReferenceOfferAnswer("ineligible", offer.isEligible == false ? "switchedOff" : "notNamed")
    }

    /// Returns the answer about the offer code of a one-time product, which every customer can redeem once.
    private func answerOutsideGroups(
        _ offer: SubscriptionOffer, of product: Product, at instant: Instant, isComplete: Bool
    ) -> ReferenceOfferAnswer {
        let past = ReferencePast(
            bought: bought(by: instant) { $0 == product.id }, isServed: false,
            doubt: doubt(about: [product.id], isComplete: isComplete))
        return Self.isRedeemed(offer, of: product, past)
            ? ReferenceOfferAnswer("ineligible", "alreadyUsed") : past.unlessMissing(past.eligible)
    }
}

extension ReferenceModel {
    /// Returns the next instant at which each answer of ``offers(at:isComplete:)`` changes; `nil` for an answer that
    /// does not change.
    ///
    /// - Parameters:
    ///   - instant: The instant of the answers.
    ///   - isComplete: Whether the evidence is complete, so that a purchase without evidence was never made.
    ///   - candidates: The sorted instants to examine; ``candidateInstants`` contains all the instants that are needed.
    public func endsOfOffers(
        at instant: Instant, isComplete: Bool = true, candidates: [Instant]
    ) -> [Instant?] {
        struct Key: Hashable {
            var productID: Product.ID
            var offer: SubscriptionOffer
        }
        let here = offers(at: instant, isComplete: isComplete)
        var ends = [Instant?](repeating: nil, count: here.count)
        for candidate in candidates where candidate > instant && ends.contains(nil) {
            let there = Dictionary(
                offers(at: candidate, isComplete: isComplete)
                    .map { (Key(productID: $0.productID, offer: $0.offer), $0.answer) }
            ) { first, _ in first }
            for (index, row) in here.enumerated()
            where ends[index] == nil && there[Key(productID: row.productID, offer: row.offer)] != row.answer {
                ends[index] = candidate
            }
        }
        return ends
    }
}
