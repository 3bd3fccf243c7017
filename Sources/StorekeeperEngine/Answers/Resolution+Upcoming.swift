extension GroupTimeline {
    /// Returns what is due next for a status of this group; `nil` if nothing is due.
    ///
    /// - Parameters:
    ///   - status: A status at the instant.
    ///   - instant: The instant of the status.
    package func upcoming(of status: SubscriptionStatus, at instant: Instant) -> Upcoming? {
        let chain = statuses.first { $0.value(at: instant)?.fact.key == status.fact.key }
        return chain.flatMap { Self.upcoming(of: status, in: $0, at: instant) }
    }

    private static func upcoming(
        of status: SubscriptionStatus, in chain: Timeline<SubscriptionStatus?>, at instant: Instant
    ) -> Upcoming? {
        let next = chain.nextChange(after: instant)
        func known() -> Upcoming? {
            next.flatMap { next in chain.value(at: next).map { $0.beginning(at: next, after: status) } }
        }
        switch status.state {
        case .subscribed:
            guard let expiry = status.transaction.expiresAt, instant < expiry else { return known() }
            if let next, next < expiry { return known() }
            guard let after = chain.value(at: expiry), after.state != .expired || after.isKnown(from: expiry) else {
                return status.forecast(at: expiry)
            }
            return after.beginning(at: expiry, after: status)
        case .inGracePeriod:
            guard let end = status.gracePeriodExpiresAt ?? next else { return nil }
            if let next, next < end || chain.value(at: next)?.state == .subscribed { return known() }
            return Upcoming(.gracePeriodEnd, at: end, of: status.transaction.productID)
        case .inBillingRetryPeriod:
            if let next, next < status.billingRetryEndsAt { return known() }
            return Upcoming(.billingRetryEnd, at: status.billingRetryEndsAt, of: status.transaction.productID)
        case .expired, .revoked: return known()
        }
    }
}

extension SubscriptionStatus {
    /// Returns whether evidence was signed when the status had begun, so that the status is not only expected.
    fileprivate func isKnown(from instant: Instant) -> Bool {
        max(fact.signedAt, renewalInfo?.signedAt ?? .distantPast) >= instant
    }

    /// Returns the event by which this status follows another one, according to evidence of that time.
    fileprivate func beginning(at instant: Instant, after former: SubscriptionStatus) -> Upcoming {
        let product = transaction.productID
        switch state {
        case .subscribed:
            let isChange = product != former.transaction.productID
            let isAfterGap = former.state == .expired || former.state == .revoked
            var upcoming = Upcoming(
                isAfterGap ? .beginning : isChange ? .planChange : .renewal, at: instant, of: product)
            if isChange { upcoming.from = former.transaction.productID }
            upcoming.priceInMilliunits = transaction.priceInMilliunits
            upcoming.currencyCode = transaction.currencyCode
            upcoming.offer = transaction.offer
            return upcoming
        case .inGracePeriod: return Upcoming(.gracePeriod, at: instant, of: product)
        case .inBillingRetryPeriod: return Upcoming(.billingRetry, at: instant, of: product)
        case .revoked: return Upcoming(.revocation, at: instant, of: product)
        case .expired:
            var upcoming = Upcoming(.end, at: instant, of: product)
            let isUnstated = expirationReason == nil || expirationReason == .unknown
            upcoming.expirationReason =
                isUnstated && renewalInfo?.autoRenewStatus == .off ? .autoRenewDisabled : expirationReason
            return upcoming
        }
    }

    /// Returns what the renewal info says about the end of the running period.
    fileprivate func forecast(at expiry: Instant) -> Upcoming {
        let product = transaction.productID
        guard let info = renewalInfo, let isOn = info.autoRenewStatus?.isOn else {
            return Upcoming(.periodEnd, at: expiry, of: product)
        }
        guard isOn else {
            var upcoming = Upcoming(.end, at: expiry, of: product)
            upcoming.expirationReason = .autoRenewDisabled
            return upcoming
        }
        let billed = info.autoRenewProductID ?? product
        let event: Upcoming.Event =
            info.isConsentDue(at: expiry) ? .consent : billed == product ? .renewal : .planChange
        var upcoming = Upcoming(event, at: expiry, of: event == .consent ? product : billed)
        if billed != product, event == .planChange { upcoming.from = product }
        upcoming.priceInMilliunits = info.renewalPriceInMilliunits
        upcoming.currencyCode = info.currencyCode
        upcoming.offer = info.offer
        if event == .consent {
            // While consent is pending, the info may state the present price, or that of an offer.
            let present = transaction.priceInMilliunits ?? .max
            let isNew = info.offer == nil && info.renewalPriceInMilliunits.map { $0 > present } ?? false
            if !isNew { (upcoming.priceInMilliunits, upcoming.currencyCode, upcoming.offer) = (nil, nil, nil) }
        }
        return upcoming
    }
}

extension RenewalInfo {
    /// Returns whether the subscription ends at its expiry unless the customer agrees to a higher price.
    ///
    /// During a commitment of twelve monthly payments, a higher price concerns only the next commitment.
    func isConsentDue(at expiry: Instant) -> Bool {
        priceIncreaseStatus == .pending && commitmentInfo?.renewsAt.map { $0 <= expiry } ?? true
    }
}

extension Resolution {
    /// Returns what is due next for a product at an instant; `nil` if nothing is due.
    ///
    /// This is the only function that says what comes next for a product: a renewal with its price, a change of plan,
    /// the end of a subscription that does not renew, or the end of a grace period or of billing retry.
    public func upcoming(for id: Product.ID, at instant: Instant) -> Upcoming? {
        guard let timeline = product(id)?.timeline else { return nil }
        let answer = timeline.value(at: instant)
        let change = timeline.run(at: instant).to
        let statuses = groups.flatMap { group in group.statuses(at: instant).map { (group, $0) } }
        func answered(_ event: Upcoming, _ answer: EntitlementAnswer) -> Upcoming {
            var upcoming = event
            upcoming.answer = answer
            let recorded = timeline.value(at: event.at)
            if !recorded.isEquivalent(to: answer) { upcoming.otherwise = recorded }
            return upcoming
        }
        if let basis = answer.basis, let (group, status) = statuses.first(where: { $0.1.fact.key == basis.fact.key }),
            let due = group.upcoming(of: status, at: instant), due.at <= change ?? .distantFuture || due.isRenewal,
            answer.isEntitled || due.productID == id,
            // Another purchase or a grant may continue the access.
            !(due.endsAccess && answer.isEntitled && timeline.value(at: due.at).isEntitled)
        {
            switch due.event {
            case .renewal where answer.isEntitled: return answered(due, answer.afterRenewal ?? answer)
            default: return answered(due, timeline.value(at: due.at))
            }
        }
        if !answer.isEntitled {
            for (group, status) in statuses {
                guard let due = group.upcoming(of: status, at: instant), due.event == .planChange, due.productID == id
                else { continue }
                var beginning = Upcoming(.beginning, at: due.at, of: id)
                (beginning.from, beginning.offer) = (due.from, due.offer)
                (beginning.priceInMilliunits, beginning.currencyCode) = (due.priceInMilliunits, due.currencyCode)
                let basis = EntitlementAnswer.Basis(
                    fact: status.fact, accessEndsAt: .distantFuture, state: .subscribed)
                return answered(beginning, .entitled(.active, basis))
            }
        }
        guard let change else { return nil }
        let next = timeline.value(at: change)
        return answered(Upcoming(answer.isEntitled && !next.isEntitled ? .end : .change, at: change, of: id), next)
    }

    /// Returns what is due next for a feature at an instant; `nil` if nothing is due.
    public func upcoming(forFeature id: Feature.ID, at instant: Instant) -> Upcoming? {
        guard let feature = catalog.feature(id), let answers = self.feature(id)?.timeline else { return nil }
        return upcoming(answers, of: feature.productIDs, at: instant)
    }

    /// Returns what is due next for a group at an instant; `nil` if nothing is due.
    package func upcoming(for group: SubscriptionGroup, at instant: Instant) -> Upcoming? {
        upcoming(access(to: group), of: group.productIDs, at: instant)
    }

    private func upcoming(
        _ answers: Timeline<FeatureTimeline.Answer>, of products: [Product.ID], at instant: Instant
    ) -> Upcoming? {
        let value = answers.value(at: instant)
        let change = answers.run(at: instant).to
        if let id = value.productID, var due = upcoming(for: id, at: instant),
            due.at <= change ?? .distantFuture || due.isRenewal,
            !(due.endsAccess && value.answer.isEntitled && answers.value(at: due.at).answer.isEntitled)
        {
            // A change of plan within the products keeps the answer.
            let staysEntitled = value.answer.isEntitled && due.event == .planChange && products.contains(due.productID)
            let recorded = answers.value(at: due.at).answer
            due.answer =
                staysEntitled
                ? value.answer.afterRenewal ?? value.answer
                : due.answer.map {
                    $0.isEntitled || !recorded.isEntitled ? $0 : recorded
                }
            due.otherwise = due.answer.flatMap { recorded.isEquivalent(to: $0) ? nil : recorded }
            return due
        }
        guard let change else { return nil }
        let next = answers.value(at: change)
        var upcoming = Upcoming(
            value.answer.isEntitled && !next.answer.isEntitled ? .end : .change, at: change,
            of: next.productID ?? value.productID ?? products.first ?? "")
        upcoming.answer = next.answer
        return upcoming
    }
}

extension EntitlementAnswer {
    /// The answer after a renewal; `nil` for an answer without access by a purchase.
    fileprivate var afterRenewal: EntitlementAnswer? {
        guard case .entitled(_, let basis) = self else { return nil }
        return .entitled(.active, basis)
    }
}
