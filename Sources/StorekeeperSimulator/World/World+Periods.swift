import Storekeeper

extension World {
    /// Begins the next period of a subscription: a purchase, a renewal, a recovery.
    ///
    /// The product, plan and offer are those that the line has for its next period.
    ///
    /// - Parameters:
    ///   - place: The subscription.
    ///   - start: When the period begins.
    ///   - isRenewal: Whether it comes by itself.
    ///   - kind: What has happened.
    ///   - number: The number of the transaction where it has one already.
    mutating func beginPeriod(
        _ place: Int32, at start: Instant, isRenewal: Bool, kind: HappeningKind, number: Int32? = nil
    ) {
        var line = lines[Int(place)]
        let (product, plan) = (line.followingProduct, line.followingPlan)
        let isChange = product != line.product || plan != line.plan
        let price = nextPrice(of: line)
        let terms = apps[Int(line.app)].terms[Int(product)]
        let offer = nextOffer(of: line)
        let offerTerms = offer.map { apps[Int(line.app)].offerTerms[Int($0)] }
        let length = offerTerms?.length ?? (plan == .monthly ? .month : terms.period)
        let isFirst = line.renewalRecord == nil
        let isWithinCommitment = line.isCommitted
        if !isFirst, isNewRun(after: line, at: start) { line.recentStart = start }
        // Who buys, or pays at last after billing retry, is counted anew, also at the very end of the last period.
        let isContinued = isRenewal && line.phase != .retry && start == line.expiresAt
        if isFirst || isChange || !isContinued || length != line.anchorPeriod {
            line.anchor = start
            line.anchorPeriod = length
            line.periodsSinceAnchor = 0
        }
        line.periodsSinceAnchor += 1
        let end = apps[Int(line.app)].settings.pace.periodEnd(
            of: length, anchor: line.anchor, count: Int(line.periodsSinceAnchor))

        if isChange || isFirst {
            line.standardPrice = listPrice(of: product, plan: plan, app: line.app)
            line.forgetPriceChanges()
        } else if !isWithinCommitment {
            if line.priceIncrease == .agreed {
                line.standardPrice = line.increasedPrice
                line.increasedPrice = nil
                line.priceIncrease = .none
            } else if let lower = line.nextCommitmentPrice {
                line.standardPrice = lower
            }
            line.nextCommitmentPrice = nil
        }
        line.product = product
        line.plan = plan
        line.phase = .active
        line.startedAt = start
        line.expiresAt = end
        line.currentOffer = offer
        line.isFree = price == 0
        line.graceEndsAt = nil
        line.retryEndsAt = nil
        line.expirationIntent = nil
        line.hasTriedEarly = false
        if offer != nil {
            line.offerPeriodsLeft -= 1
            if line.offerPeriodsLeft == 0 { line.takeQueuedOffer(apps[Int(line.app)]) }
        }
        if isRenewal { line.renewals += 1 } else { line.renewals = 0 }
        if price ?? 0 > 0 { line.paidPeriods += 1 }
        countCommitment(of: &line, isRenewal: isRenewal, isChange: isChange || isFirst)

        let transaction = number ?? newTransaction(of: line.product, download: line.download)
        transactions[Int(transaction)].stage = .purchased
        lastWebOrderLineItem += 1
        var record = TransactionRecord(
            number: transaction, original: line.original, download: line.download, line: place, product: line.product,
            storefront: accounts[Int(line.account)].storefront, token: line.token, offer: offer,
            webOrderLineItem: lastWebOrderLineItem, flags: isRenewal ? .isRenewal : [], plan: line.plan,
            purchasedAt: start, expiresAt: end, signedAt: now, price: price)
        if line.plan == .monthly {
            record.commitmentPeriod = line.commitmentPeriod
            record.commitmentExpiresAt = line.commitmentExpiresAt
            record.commitmentPrice = line.commitmentPrice
        }
        line.current = transaction
        lines[Int(place)] = line
        sign(record)
        tell(kind, of: place)
        if line.isShared || terms.isShareable { share(periodOf: place, kind: kind) }
    }

    /// Whether service that begins at an instant is a new run, because there was none for 60 days at the app's pace.
    ///
    /// - SeeAlso: Apple, "App Store Server API: recentSubscriptionStartDate".
    func isNewRun(after line: SubscriptionLine, at start: Instant) -> Bool {
        let limit = apps[Int(line.app)].settings.pace.scaled(60 * RenewalPace.day)
        return start.milliseconds(since: line.paidUntil) >= limit
    }

    /// When something happens next to a subscription by time alone, and what.
    func due(of place: Int32) -> DueEvent? {
        let line = lines[Int(place)]
        guard line.sharedFrom == nil else { return nil }
        let at: Instant
        let kind: DueKind
        switch line.phase {
        case .active:
            kind = line.autoRenews ? .renewal : .expiry
            let isEarly = line.autoRenews && !line.hasTriedEarly && apps[Int(line.app)].settings.chargesEarly
            at = isEarly ? line.expiresAt.adding(milliseconds: -day(line)) : line.expiresAt
        case .grace:
            (at, kind) = (min(line.graceEndsAt ?? line.expiresAt, line.nextCharge ?? .distantFuture), .graceEnd)
        case .retry:
            (at, kind) = (min(line.retryEndsAt ?? line.expiresAt, line.nextCharge ?? .distantFuture), .retryEnd)
        case .expired, .revoked: return nil
        }
        return DueEvent(
            at: max(at, now), account: line.account, line: place, kind: kind.rawValue, stamp: line.stamp, subject: 0)
    }

    /// Puts what happens next to a subscription in the place of what was to happen.
    mutating func reschedule(_ place: Int32) {
        lines[Int(place)].stamp &+= 1
        if let event = due(of: place) { queue.push(event) }
    }
}

/// What falls due by time alone; of two kinds at one instant the lower comes first.
enum DueKind: UInt8, Sendable {
    case renewal, graceEnd, retryEnd, expiry, guardianTimeout
}

extension SubscriptionLine {
    /// The offer after the one that has ended.
    fileprivate mutating func takeQueuedOffer(_ app: AppTable) {
        offer = queuedOffer
        offerPeriodsLeft = queuedOffer.map { app.offerTerms[Int($0)].payments } ?? 0
        queuedOffer = nil
    }
}
