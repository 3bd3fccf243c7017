import Storekeeper

/// What came of making all subscriptions of a product last longer.
struct ExtensionSummary: Sendable {
    let requestID: String
    let app: Int32
    let product: Int32
    let storefronts: [String]
    var succeeded = 0
    var failed = 0
}

extension World {
    /// Developers may do it twice in this many milliseconds.
    private static let extensionWindow: Int64 = 365 * 86_400_000

    mutating func extend(_ place: Int32, days: Int, reason: Int) throws(SimulatorError) {
        try check(days: days, reason: reason)
        if let obstacle = obstacle(toExtending: place) { throw SimulatorError(.invalidAction, obstacle) }
        lengthen(place, days: days)
    }

    mutating func extendAll(
        _ product: Int32, app: Int32, days: Int, reason: Int, storefronts: Set<String>, requestID: String
    ) throws(SimulatorError) {
        try check(days: days, reason: reason)
        var summary = ExtensionSummary(
            requestID: requestID, app: app, product: product, storefronts: storefronts.map { $0.uppercased() }.sorted())
        for place in lines.indices.map(Int32.init) {
            let line = lines[Int(place)]
            guard line.app == app, line.product == product, line.sharedFrom == nil, line.isInService else { continue }
            let country = self.storefronts[Int(accounts[Int(line.account)].storefront)].country
            guard summary.storefronts.isEmpty || summary.storefronts.contains(country) else { continue }
            if obstacle(toExtending: place) == nil {
                lengthen(place, days: days)
                summary.succeeded += 1
            } else {
                tell(.extensionFailed, of: place, signsRenewal: false)
                summary.failed += 1
            }
        }
        extensionSummaries.append(summary)
        journal.append(
            JournalEntry(at: now, kind: .extensionsSummarized, subject: Int32(extensionSummaries.count - 1)))
    }

    private func check(days: Int, reason: Int) throws(SimulatorError) {
        guard (1...90).contains(days) else {
            throw SimulatorError(.invalidValue, "a renewal date can be extended by 1 to 90 days, not by \(days)")
        }
        guard (0...3).contains(reason) else {
            throw SimulatorError(.invalidValue, "the reason of an extension is a code from 0 to 3, not \(reason)")
        }
    }

    /// Why a subscription cannot be made longer; `nil` where it can.
    ///
    /// - SeeAlso: Apple, "App Store Server API: Extend a Subscription Renewal Date".
    private func obstacle(toExtending place: Int32) -> String? {
        let line = lines[Int(place)]
        if line.sharedFrom != nil { return "a family's copy cannot be extended; extend the purchaser's" }
        guard line.phase == .active else { return "only a subscription in a paid period can be extended" }
        if line.isFree { return "a free period cannot be extended" }
        let limit = now.adding(milliseconds: -Self.extensionWindow)
        if let earlier = line.extendedAt.1, earlier > limit {
            return "a subscription can be extended twice in 365 days, and this one was"
        }
        return nil
    }

    private mutating func lengthen(_ place: Int32, days: Int) {
        let line = lines[Int(place)]
        let wait = apps[Int(line.app)].settings.pace.scaled(Int64(days) * 86_400_000)
        let end = line.expiresAt.adding(milliseconds: wait)
        lines[Int(place)].endPeriod(at: end)
        lines[Int(place)].extendedAt = (now, line.extendedAt.0)
        resign(line.current) { $0.expiresAt = end }
        tell(.renewalExtended, of: place)
        share(changeOf: place, kind: .renewalExtended)
        reschedule(place)
    }

    // MARK: Test environments

    /// Ends the current period now, and tries to renew.
    mutating func forceRenewal(_ place: Int32) {
        cutShort(place)
        periodEnds(place)
        reschedule(place)
    }

    /// Ends the current period now, for good.
    mutating func expire(_ place: Int32) {
        let isPriceMatter = lines[Int(place)].priceIncrease == .pending || lines[Int(place)].priceIncrease == .declined
        cutShort(place)
        end(place, as: isPriceMatter ? .expiredByPriceIncrease : .expiredVoluntarily)
        reschedule(place)
    }

    private mutating func cutShort(_ place: Int32) {
        guard lines[Int(place)].phase == .active else { return }
        let end = max(now, lines[Int(place)].startedAt)
        lines[Int(place)].endPeriod(at: end)
        resign(lines[Int(place)].current) { $0.expiresAt = end }
        for copy in copies[place] ?? [] where lines[Int(copy)].isInService {
            lines[Int(copy)].expiresAt = end
            resign(lines[Int(copy)].current) { $0.expiresAt = end }
        }
    }
}

extension SubscriptionLine {
    /// Moves the end of the current period; later periods are counted from there.
    mutating func endPeriod(at end: Instant) {
        expiresAt = end
        anchor = end
        periodsSinceAnchor = 0
    }
}
