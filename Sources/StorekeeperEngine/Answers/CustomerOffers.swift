/// The catalog's offers, and for each offer the answer whether one customer may have it at an instant.
public struct CustomerOffers: Sendable {
    /// An offer, and the answer whether the customer may have it.
    public struct Row: Sendable {
        /// The product.
        public let productID: Product.ID
        /// The subscription group of the product; `nil` for a one-time product.
        public let groupID: SubscriptionGroup.ID?
        /// The offer.
        public let offer: SubscriptionOffer
        /// The currency of the offer's price, by ISO 4217.
        public let currencyCode: String?
        /// The answer whether the customer may have the offer, with its reason.
        public let answer: OfferAnswer
        /// The next instant, in UTC, at which the answer changes according to the known facts; `nil` if no change is
        /// known.
        public let until: Instant?
        /// The facts that decide the answer, in order of time.
        public let steps: [Explanation.Step]
    }

    /// A subscription group, with the answer about its introductory offers and the customer's statuses.
    public struct Group: Sendable {
        /// The group.
        public let id: SubscriptionGroup.ID
        /// The name of the group in the catalog; `nil` if the catalog names no group of this id.
        public let name: String?
        /// Whether the customer may have introductory offers of the group.
        ///
        /// The answer is determined even if the group has no such offer.
        public let introductory: OfferAnswer
        /// The next instant, in UTC, at which ``introductory`` changes according to the known facts; `nil` if no change
        /// is known.
        public let until: Instant?
        /// The customer's statuses in the group, the highest level of service first.
        public let statuses: [SubscriptionStatus]
    }

    /// The instant for which the answers were computed, in UTC.
    public let at: Instant
    /// The groups of the catalog and of the evidence, by id.
    public let groups: [Group]
    /// The offers, in the order of the catalog.
    ///
    /// Win-back offers of a product are in the order of the App Store, which lists the best offer first.
    public let rows: [Row]
    /// Whether all evidence was verified.
    public let isVerified: Bool

    /// Returns whether the customer may have introductory offers of a group; `false` if the answer is unknown.
    ///
    /// - Parameter group: The group's id.
    /// - SeeAlso: Apple, "StoreKit: isEligibleForIntroOffer(for:)".
    public func isEligibleForIntroOffer(for group: SubscriptionGroup.ID) -> Bool {
        groups.first { $0.id == group }?.introductory.isEligible ?? false
    }
}

extension EntitlementResolver {
    /// Returns the catalog's offers, and for each offer the answer whether a customer may have it, the reason, and the
    /// time of the next change.
    ///
    /// The App Store decides about introductory offers, win-back offers and codes; the app decides which current and
    /// former subscribers get a promotional offer. The answers follow from the evidence. An answer that a missing
    /// purchase could change is unknown unless the evidence is complete, and so is an answer that a renewal could
    /// change if the evidence of a subscription is too old to exclude it.
    ///
    /// - Parameters:
    ///   - history: The customer's verified evidence.
    ///   - instant: The instant for which the answers are computed.
    ///   - doubt: The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    public func offers(
        in history: PurchaseHistory, at instant: Instant, doubt: EntitlementAnswer.UnknownReason? = nil
    ) -> CustomerOffers {
        LiveResolution(history: history, resolver: self).offers(at: instant, doubt: doubt)
    }
}

extension LiveResolution {
    /// Returns the catalog's offers with the answers about them; see ``EntitlementResolver/offers(in:at:doubt:)``.
    ///
    /// - Parameters:
    ///   - instant: The instant for which the answers are computed.
    ///   - doubt: The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    package func offers(at instant: Instant, doubt: EntitlementAnswer.UnknownReason?) -> CustomerOffers {
        OfferReader(resolution: resolution, resolver: resolver, history: history, doubt: doubt).offers(at: instant)
    }
}

/// Computes the answers about offers from a customer's facts.
private struct OfferReader {
    let resolution: Resolution
    let doubtful: Set<Product.ID>
    /// The reason why evidence of a purchase may be missing; `nil` if the evidence is complete.
    let doubt: EntitlementAnswer.UnknownReason?
    /// The customer's own purchases by subscription group, in order of purchase; purchases of products without a group
    /// have the key `nil`.
    private var purchases: [SubscriptionGroup.ID?: [Transaction]] = [:]
    /// The lines of service whose evidence may be too old.
    private let lines: [GroupDirectory.Line]
    private let diagnostics: EvidenceDiagnostics

    init(
        resolution: Resolution, resolver: EntitlementResolver, history: PurchaseHistory,
        doubt: EntitlementAnswer.UnknownReason?
    ) {
        self.resolution = resolution
        self.doubt = doubt
        doubtful = history.doubtfulProductIDs
        diagnostics = EvidenceDiagnostics(history, resolver: resolver)
        lines = diagnostics.countedLines
        for fact in history.facts {
            let transaction = fact.transaction
            guard resolver.policy.counts(transaction.environment),
                transaction.ownershipType == .purchased
            else { continue }
            purchases[resolution.group(containing: fact.productID)?.id, default: []].append(transaction)
        }
        for group in purchases.keys {
            purchases[group]?.sort {
                ($0.purchasedAt, $0.id.rawValue) < ($1.purchasedAt, $1.id.rawValue)
            }
        }
    }

    func offers(at instant: Instant) -> CustomerOffers {
        let groups = resolution.groups.map { group in
            let (answer, until) = lasting(of: group, from: instant) { introductory(in: group, at: $0) }
            return CustomerOffers.Group(
                id: group.group.id, name: group.group.name, introductory: answer, until: until,
                statuses: group.statuses(at: instant))
        }
        var rows: [CustomerOffers.Row] = []
        for product in resolution.catalog.products {
            let group = resolution.group(containing: product.id).flatMap { resolution.group($0.id.rawValue) }
            let info = group.flatMap { own(in: $0, at: instant) }?.renewalInfo
            rows += Self.sorted(
                product.offers.map { row($0, of: product, in: group, at: instant) },
                as: info?.eligibleWinBackOfferIDs ?? [])
        }
        return CustomerOffers(at: instant, groups: groups, rows: rows, isVerified: resolution.isVerified)
    }

    private func row(
        _ offer: SubscriptionOffer, of product: Product, in group: GroupTimeline?, at instant: Instant
    ) -> CustomerOffers.Row {
        let (answer, until) = lasting(of: group, from: instant) { self.answer(offer, of: product, in: group, at: $0) }
        return CustomerOffers.Row(
            productID: product.id, groupID: group?.group.id, offer: offer, currencyCode: product.currencyCode,
            answer: answer, until: until,
            steps: OfferNarrator(
                answer: answer, offer: offer, productID: product.id, at: instant,
                status: group.flatMap { own(in: $0, at: instant) },
                anyStatus: group?.highest(at: instant),
                use: use(of: offer, product: product.id, in: group?.group.id, by: instant)
            ).steps)
    }

    /// Returns an answer, and the first later instant at which the answer or its reason changes.
    private func lasting(
        of group: GroupTimeline?, from instant: Instant, _ answer: (Instant) -> OfferAnswer
    ) -> (OfferAnswer, until: Instant?) {
        let now = answer(instant)
        var changes: Set<Instant> = []
        var place = instant
        // A limit of 100 is enough, because the only known changes in the future are the ends of a few periods.
        while changes.count < 100, let next = group?.nextDetail(after: place) {
            changes.insert(next)
            place = next
        }
        for transaction in purchases[group?.group.id] ?? [] where transaction.purchasedAt > instant {
            changes.insert(transaction.purchasedAt)
        }
        return (now, changes.sorted().first { answer($0) != now })
    }

    // MARK: Answers

    private func introductory(in group: GroupTimeline, at instant: Instant) -> OfferAnswer {
        certain(
            OfferRule.introductory(standing(in: group, at: instant)), .introductory,
            Doubt(of: group.group.productIDs, mayHaveRenewed: mayHaveRenewed(group.group.productIDs, at: instant)))
    }

    private func answer(
        _ offer: SubscriptionOffer, of product: Product, in group: GroupTimeline?, at instant: Instant
    ) -> OfferAnswer {
        let isRedeemed = use(of: offer, product: product.id, in: group?.group.id, by: instant) != nil
        guard group != nil || product.subscription != nil else {
            return certain(OfferRule.oneTimeCode(isRedeemed: isRedeemed), .code, Doubt(of: [product.id]))
        }
        let own = group.flatMap { self.own(in: $0, at: instant) }
        var terms = OfferRule.Terms(kind: offer.kind)
        terms.eligibility = offer.eligibility
        terms.isRedeemed = isRedeemed
        terms.isLastProduct = own?.transaction.productID == product.id
        terms.isSwitchedOff = offer.isEligible == false
        if let offered = product.subscription?.groupLevel, let level = own?.groupLevel {
            terms.isDowngrade = offered > level
        }
        if offer.kind == .code, let info = own?.renewalInfo, info.offer?.type == .code, info.offer?.id == offer.id,
            (info.autoRenewProductID ?? own?.transaction.productID) == product.id
        {
            // Redeemed for the next period.
            terms.isRedeemed = true
        }
        let past = group.map { standing(in: $0, at: instant) } ?? standing(in: product, at: instant)
        var answer = OfferRule.answer(for: terms, past)
        if offer.kind == .winBack, let own, own.state == .expired { answer = winBack(offer, own, byRule: answer) }
        let products = group?.group.productIDs ?? [product.id]
        var doubt = Doubt(of: products)
        doubt.mayHaveRenewed = mayHaveRenewed(products, at: instant, ownOnly: offer.kind != .introductory)
        // A former subscriber may be a current one if evidence is missing. A customer with a known subscription is
        // certainly not a new customer.
        doubt.mayBelongToOthers = own == nil || past.customer == .expired && terms.eligibility.contains(.existing)
        return certain(answer, offer.kind, doubt)
    }

    /// Returns the answer about a win-back offer, based on the offers that the renewal info lists for the customer.
    ///
    /// The App Store makes this list after the subscription has ended for good. Therefore a renewal info that was
    /// signed before the end of the period, or during billing retry, is too old, and the answer is unknown.
    private func winBack(
        _ offer: SubscriptionOffer, _ status: SubscriptionStatus, byRule answer: OfferAnswer
    ) -> OfferAnswer {
        guard let info = status.renewalInfo, info.signedAt >= status.transaction.subscriptionPeriodEnd,
            !info.isInBillingRetry
        else { return .unknown(.staleRenewalInfo) }
        if let id = offer.id, info.eligibleWinBackOfferIDs.contains(id) { return .eligible(.formerSubscriber) }
        return answer.isEligible ? .ineligible(.notNamed) : answer
    }

    /// What may be missing from the evidence about an offer.
    private struct Doubt {
        /// The products whose purchases decide the answer.
        let products: [Product.ID]
        /// Whether a subscription may have renewed since its evidence was signed.
        var mayHaveRenewed = false
        /// Whether missing evidence could make the customer one of those for whom a code is meant.
        var mayBelongToOthers = true

        init(of products: [Product.ID], mayHaveRenewed: Bool = false) {
            self.products = products
            self.mayHaveRenewed = mayHaveRenewed
        }
    }

    /// Returns an answer, or `unknown` if evidence may be missing that could change it.
    ///
    /// A purchase that is missing, because the history is incomplete or evidence failed verification, can take away an
    /// introductory offer, a code or a win-back offer, and can make a customer a subscriber. A renewal that is missing,
    /// because the evidence of a subscription is too old, can do the same, except that its customer is known to be a
    /// subscriber or former subscriber. Promotional offers are for both.
    private func certain(
        _ answer: OfferAnswer, _ kind: SubscriptionOffer.Kind, _ possible: Doubt
    ) -> OfferAnswer {
        let dependsOnAbsence =
            switch (kind, answer) {
            case (.introductory, .eligible), (.code, .eligible), (.winBack, .eligible): true
            case (.code, .ineligible(.otherCustomers)): possible.mayBelongToOthers
            case (_, .ineligible(.neverSubscribed)): true
            default: false
            }
        guard dependsOnAbsence else { return answer }
        if doubt == .unverified || possible.products.contains(where: doubtful.contains) { return .unknown(.unverified) }
        if doubt != nil { return .unknown(.neverSynced) }
        guard possible.mayHaveRenewed, answer != .ineligible(.neverSubscribed) else { return answer }
        return .unknown(.staleEvidence)
    }

    /// Returns whether a subscription to one of the products may have renewed since its evidence was signed.
    ///
    /// - Parameter ownOnly: Whether subscriptions that the customer did not buy are left out.
    private func mayHaveRenewed(_ products: [Product.ID], at instant: Instant, ownOnly: Bool = false) -> Bool {
        lines.contains { line in
            guard let last = line.facts.last, products.contains(last.productID),
                !ownOnly || last.transaction.ownershipType == .purchased
            else { return false }
            return diagnostics.stale(line, at: instant) != nil
        }
    }

    // MARK: Facts

    /// Returns the status of the customer's own subscription in a group: the first status with access, or the best
    /// status if no status gives access.
    private func own(in group: GroupTimeline, at instant: Instant) -> SubscriptionStatus? {
        let statuses = group.statuses(at: instant).filter { $0.transaction.ownershipType == .purchased }
        return statuses.first(where: \.state.givesService) ?? statuses.first
    }

    private func standing(in group: GroupTimeline, at instant: Instant) -> OfferStanding {
        let status = own(in: group, at: instant)
        let past = (purchases[group.group.id] ?? []).filter { $0.purchasedAt <= instant }
        return OfferStanding(
            state: status?.state,
            isInService: group.statuses(at: instant).contains(where: \.state.givesService),
            hasUsedIntroductoryOffer: past.contains { $0.offer?.type == .introductory },
            autoRenews: status?.renewalInfo?.willAutoRenew ?? false, hasPaid: past.contains(where: \.isPaid))
    }

    /// Returns the customer's history with a subscription product that is in no group; the product is treated as a
    /// group of its own.
    private func standing(in product: Product, at instant: Instant) -> OfferStanding {
        let past = (purchases[nil] ?? []).filter { $0.productID == product.id && $0.purchasedAt <= instant }
        let state = past.isEmpty ? nil : resolution.answer(for: product.id, at: instant)?.basis?.state
        return OfferStanding(
            state: state, isInService: state?.givesService ?? false,
            hasUsedIntroductoryOffer: past.contains { $0.offer?.type == .introductory }, autoRenews: false,
            hasPaid: past.contains(where: \.isPaid))
    }

    /// Returns the purchase by which the customer has used an introductory offer of the group or redeemed the code;
    /// `nil` if the customer has not done so.
    private func use(
        of offer: SubscriptionOffer, product: Product.ID, in group: SubscriptionGroup.ID?, by instant: Instant
    ) -> Transaction? {
        (purchases[group] ?? []).first { transaction in
            guard transaction.purchasedAt <= instant, let used = transaction.offer else { return false }
            switch offer.kind {
            case .introductory: return used.type == .introductory
            case .code: return used.type == .code && used.id == offer.id && transaction.productID == product
            case .promotional, .winBack: return false
            }
        }
    }

    /// Sorts the win-back offers of a product in the order in which the renewal info lists them; other offers stay at
    /// their positions.
    private static func sorted(
        _ rows: [CustomerOffers.Row], as names: [SubscriptionOffer.ID]
    ) -> [CustomerOffers.Row] {
        let places = rows.indices.filter { rows[$0].offer.kind == .winBack }
        guard !names.isEmpty, places.count > 1 else { return rows }
        func rank(_ place: Int) -> Int { rows[place].offer.id.flatMap(names.firstIndex) ?? names.count }
        var sorted = rows
        for (place, other) in zip(places, places.sorted { (rank($0), $0) < (rank($1), $1) }) {
            sorted[place] = rows[other]
        }
        return sorted
    }
}

extension Transaction {
    /// Whether the customer paid for the transaction.
    ///
    /// A transaction without a price counts as paid unless its offer is a free trial.
    fileprivate var isPaid: Bool { priceInMilliunits.map { $0 > 0 } ?? (offer?.paymentMode != .freeTrial) }
}

/// Describes in words the facts behind the answer about an offer.
private struct OfferNarrator {
    let answer: OfferAnswer
    let offer: SubscriptionOffer
    let productID: Product.ID
    let at: Instant
    let status: SubscriptionStatus?
    let anyStatus: SubscriptionStatus?
    let use: Transaction?

    var steps: [Explanation.Step] {
        var steps: [Explanation.Step] = []
        func add(_ instant: Instant, _ fact: String, _ effect: String, _ rule: String) {
            steps.append(Explanation.Step(at: instant, fact: fact, effect: effect, rule: rule))
        }
        if let status = status ?? anyStatus {
            let what = "\(status.transaction.productID) is \(status.state.rawValue)"
            let shared = status.transaction.ownershipType == .purchased ? "" : ", not bought by the customer"
            add(
                status.transaction.purchasedAt, "transaction \(status.transaction.id): \(what)\(shared)",
                "the customer counts as \(customer)", "offers depend on the past in the subscription group")
        }
        if let use {
            let what = offer.kind == .introductory ? "an introductory offer of the group" : "the offer of this code"
            add(
                use.purchasedAt, "transaction \(use.id) used \(what)", "not eligible again",
                offer.kind == .introductory
                    ? "one introductory offer for each customer and group" : "each customer redeems a code's offer once"
            )
        }
        if offer.kind == .winBack, let info = status?.renewalInfo {
            let names = info.eligibleWinBackOfferIDs.map(\.rawValue).joined(separator: ", ")
            add(
                info.signedAt, "renewal info: eligible for \(names.isEmpty ? "no win-back offer" : names)",
                names.isEmpty ? "not eligible" : "eligible for those", "the App Store decides about win-back offers")
        }
        add(at, "\(offer.kind.rawValue) offer of \(productID)", "\(answer.word) (\(answer.reasonWord))", rule)
        return steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private var customer: String {
        switch status?.state {
        case nil: "new"
        case .subscribed?, .inGracePeriod?, .inBillingRetryPeriod?: "a current subscriber"
        case .expired?, .revoked?: "a former subscriber"
        }
    }

    private var rule: String {
        switch answer {
        case .unknown(.neverSynced): return "a missing purchase could change the answer"
        case .unknown(.unverified): return "evidence that failed verification could change the answer"
        case .unknown(.staleEvidence):
            return "a renewal that is missing from the evidence could change the answer: fetch it again"
        case .unknown(.staleRenewalInfo): return "only a renewal info signed after the expiry names win-back offers"
        case .eligible, .ineligible: break
        }
        switch offer.kind {
        case .introductory: return "for customers without service in the group who never had such an offer"
        case .promotional: return "for customers who subscribe or did; the app decides among them"
        case .code: return "for the customers whom the code names, once, and not for a lower service level"
        case .winBack: return "for customers who paid and left, if the App Store names the offer"
        }
    }
}
