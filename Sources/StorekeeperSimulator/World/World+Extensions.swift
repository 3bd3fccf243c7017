import Storekeeper

/// The reason why a subscription cannot be extended.
///
/// The raw value is the text of the error.
package enum ExtensionRefusal: String, Error, Sendable {
    case isFamilyCopy = "a family's copy cannot be extended; extend the purchaser's"
    case isNotPaid = "only a subscription in a paid period can be extended"
    case isFree = "a free period cannot be extended"
    case wasExtendedTwice = "a subscription can be extended twice in 365 days, and this one was"
}

extension World {
    /// The time, in milliseconds, within which a developer may extend a subscription at most twice.
    private static let extensionWindow: Int64 = 365 * 86_400_000

    mutating func extend(
        _ place: RowIndex<Subscription>, days: Int, reason: Int, requestID: String?
    ) throws(SimulatorError) {
        try check(days: days, reason: reason)
        let request = requestID.map { ExtensionRequest(id: $0, subscription: place) }
        if let request, extensionRequests[request] != nil { return }
        if let obstacle = obstacle(toExtending: place) { throw SimulatorError(.invalidAction, obstacle.rawValue) }
        extendPeriod(of: place, days: days)
        if let request { extensionRequests[request] = transactions[subscriptions[place].current].latest }
    }

    mutating func extendAll(
        _ product: RowIndex<ProductTerms>, app: RowIndex<App>, days: Int, reason: Int, storefronts: Set<String>,
        requestID: String
    ) throws(SimulatorError) {
        try check(days: days, reason: reason)
        var summary = ExtensionSummary(
            requestID: requestID, app: app, product: product, storefronts: storefronts.map { $0.uppercased() }.sorted())
        for place in subscriptions.indices {
            let subscription = subscriptions[place]
            guard subscription.app == app, subscription.service.product == product, subscription.sharedFrom == nil,
                subscription.isInService
            else { continue }
            let country = storefront(of: subscription.account).country
            guard summary.storefronts.isEmpty || summary.storefronts.contains(country) else { continue }
            if obstacle(toExtending: place) == nil {
                extendPeriod(of: place, days: days)
                summary.succeeded += 1
            } else {
                log(.extensionFailed, of: place, issuesRenewalInfo: false)
                summary.failed += 1
            }
        }
        journal.append(
            JournalEntry(
                at: now, kind: .extensionsSummarized, subject: .extensions(extensionSummaries.append(summary))))
    }

    private func check(days: Int, reason: Int) throws(SimulatorError) {
        guard (1...90).contains(days) else {
            throw SimulatorError(.invalidValue, "a renewal date can be extended by 1 to 90 days, not by \(days)")
        }
        guard (0...3).contains(reason) else {
            throw SimulatorError(.invalidValue, "the reason of an extension is a code from 0 to 3, not \(reason)")
        }
    }

    /// Returns the reason why a subscription cannot be extended; `nil` if it can be extended.
    ///
    /// - SeeAlso: Apple, "App Store Server API: Extend a Subscription Renewal Date".
    func obstacle(toExtending place: RowIndex<Subscription>) -> ExtensionRefusal? {
        let subscription = subscriptions[place]
        if subscription.sharedFrom != nil { return .isFamilyCopy }
        guard subscription.service.phase == .active else { return .isNotPaid }
        if subscription.isFree { return .isFree }
        let limit = now.adding(milliseconds: -Self.extensionWindow)
        if let earlier = subscription.extendedAt.1, earlier > limit { return .wasExtendedTwice }
        return nil
    }

    private mutating func extendPeriod(of place: RowIndex<Subscription>, days: Int) {
        let subscription = subscriptions[place]
        let wait = apps[subscription.app].settings.pace.scaled(Int64(days) * 86_400_000)
        let end = subscription.service.expiresAt.adding(milliseconds: wait)
        subscriptions[place].endPeriod(at: end)
        subscriptions[place].extendedAt = (now, subscription.extendedAt.0)
        let commitmentEnd = commitmentEnd(of: subscriptions[place])
        subscriptions[place].service.commitmentExpiresAt = commitmentEnd
        reissue(subscription.current) {
            $0.expiresAt = end
            $0.commitmentExpiresAt = commitmentEnd
        }
        for addition in seats[place]?.additions ?? [] { reissue(addition) { $0.expiresAt = end } }
        log(.renewalExtended, of: place)
        shareChange(of: place, kind: .renewalExtended)
        reschedule(place)
    }

    // MARK: Test environments

    /// Ends the current period now, and tries to renew.
    mutating func forceRenewal(_ place: RowIndex<Subscription>) {
        endPeriodNow(place)
        processPeriodEnd(of: place)
        reschedule(place)
    }

    /// Ends the current period now, without renewal.
    mutating func expire(_ place: RowIndex<Subscription>) {
        let increase = subscriptions[place].priceIncrease
        endPeriodNow(place)
        end(place, as: increase == .pending || increase == .declined ? .expiredByPriceIncrease : .expiredVoluntarily)
        reschedule(place)
    }

    private mutating func endPeriodNow(_ place: RowIndex<Subscription>) {
        guard subscriptions[place].service.phase == .active else { return }
        let end = max(now, subscriptions[place].service.startedAt)
        subscriptions[place].endPeriod(at: end)
        for transaction in periodTransactions(of: place) { reissue(transaction) { $0.expiresAt = end } }
        for copy in copies[place] ?? [] where subscriptions[copy].isInService {
            subscriptions[copy].service.expiresAt = end
            reissue(subscriptions[copy].current) { $0.expiresAt = end }
        }
    }
}
