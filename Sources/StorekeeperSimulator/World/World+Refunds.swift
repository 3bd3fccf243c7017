import Storekeeper

/// The time and the reason of a subscription's end that a later revocation has replaced.
///
/// Both values apply again if the refund is reversed.
struct FormerEnd: Sendable {
    let lapsedAt: Instant?
    let expirationIntent: ExpirationReason.RawValue?
}

extension World {
    /// Requests a refund.
    ///
    /// Renewal is turned off, and the app is asked for consumption data.
    mutating func requestRefund(
        of transaction: RowIndex<TransactionState>, reason: RefundRequestReason
    ) throws(SimulatorError) {
        let record = try refundable(transaction)
        guard transactions[transaction].refund != .requested else {
            throw SimulatorError(
                .invalidAction, "a refund of transaction \(id(of: transaction)) was already requested")
        }
        let settings = app(of: record.download).settings
        if let failure = settings.simulatedErrors[.refundRequest] {
            throw SimulatorError(.invalidAction, "the refund request fails as configured: \(failure.rawValue)")
        }
        transactions[transaction].refund = .requested
        if let place = record.subscription,
            subscriptions[place].current == transaction
                || runningTransaction(before: subscriptions[place]) == transaction
        {
            setRenewal(on: false, of: place)
        }
        logRefund(.refundRequested, of: transaction, note: reason.rawValue)
        guard settings.grantsRefundRequests else { return }
        let isAppsFault = reason == .fulfillmentIssue || reason == .unsatisfiedWithPurchase
        try refund(transaction, percentage: nil, reason: isAppsFault ? .developerIssue : .other)
    }

    /// Refunds a transaction, or a share of its price; the shares of several refunds add up.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - percentage: The share, in thousandths of a per cent; `nil` to refund the part of the price that was not
    ///     refunded yet.
    ///   - reason: The reason.
    ///   - seats: The number of revoked seats after the refund; `nil` leaves the number unchanged.
    mutating func refund(
        _ transaction: RowIndex<TransactionState>, percentage: Int?, reason: RevocationReason, seats: Int32? = nil
    ) throws(SimulatorError) {
        let record = try refundable(transaction)
        let share = Int32(clamping: percentage ?? 100_000)
        guard (1...100_000).contains(share) else {
            throw SimulatorError(
                .invalidValue, "a share must be 1 to 100000 thousandths of a per cent, not \(percentage ?? 0)")
        }
        let whole = try total(of: record, adding: percentage.map { _ in share })
        let revocation = Revocation(
            // After an earlier partial refund, the date of the earlier refund remains the revocation date.
            at: record.revocation?.at ?? now, reason: reason.rawValue,
            kind: whole < 100_000 ? .proratedRefund : .fullRefund, percentage: whole)
        transactions[transaction].refund = .none
        reissue(transaction) {
            $0.revocation = revocation
            $0.revokedSeats = seats ?? $0.revokedSeats
        }
        endAccess(through: transaction, of: record.subscription, kind: .refunded, reason: reason.rawValue)
        if let place = record.subscription, periodTransactions(of: place).contains(transaction),
            isPaid(place, besides: transaction)
        {
            try unclaimSurplus(of: place)
        }
    }

    /// Refunds seats of a transaction.
    ///
    /// The transaction stays valid for the other seats until the last seat is refunded.
    mutating func refundSeats(
        _ number: Int, of transaction: RowIndex<TransactionState>, reason: RevocationReason
    ) throws(SimulatorError) {
        let record = try refundable(transaction)
        guard record.flags.contains(.isMultiSeat), let place = record.subscription else {
            throw SimulatorError(
                .invalidAction, "transaction \(id(of: transaction)) was not bought for a group; refund it as a whole")
        }
        let left = record.quantity - record.revokedSeats
        guard let number = Int32(exactly: number), (1...max(1, left)).contains(number) else {
            throw SimulatorError(
                .invalidValue, "\(left) seats of transaction \(id(of: transaction)) are left, not \(number)")
        }
        guard number < left else {
            return try refund(transaction, percentage: nil, reason: reason, seats: record.quantity)
        }
        transactions[transaction].refund = .none
        let latest = reissue(transaction) { $0.revokedSeats += number }
        log(.seatsRefunded, of: place, record: latest, note: "\(number) of \(record.quantity) seats")
        if periodTransactions(of: place).contains(transaction) { try unclaimSurplus(of: place) }
    }

    /// Ends the access that a revoked transaction gives to the customer and to family members.
    private mutating func endAccess(
        through transaction: RowIndex<TransactionState>, of place: RowIndex<Subscription>?, kind: HappeningKind,
        reason: RevocationReason.RawValue
    ) {
        guard let place else {
            logRefund(kind, of: transaction)
            endCopies(of: transaction, reason: reason)
            return
        }
        // Access ends with the last transaction of the period, if seats were added to it.
        let isCurrent =
            periodTransactions(of: place).contains(transaction) && !isPaid(place, besides: transaction)
        // If the running period is refunded after the next period was charged early, the next period stays valid, and
        // the subscription ends with the next period.
        let isRunning = runningTransaction(before: subscriptions[place]) == transaction
        if isCurrent { revokeService(of: place) }
        if isRunning { stopRenewing(place) }
        logRefund(kind, of: transaction)
        if isCurrent { endCopies(of: place, reason: reason) }
        if isRunning { setRevocation(reason, ofRunningCopiesOf: place) }
    }

    /// Returns the total refund of a transaction, in thousandths of a per cent.
    ///
    /// A share is rounded, for example one third to 33,333. If two shares correspond to whole numbers of purchased
    /// units, the units are added instead of the shares, so that three refunds of one third are 100,000.
    ///
    /// - Parameter share: The share to refund now; `nil` to refund the part of the price that was not refunded yet.
    private func total(of record: TransactionRecord, adding share: Int32?) throws(SimulatorError) -> Int32 {
        guard let share else { return 100_000 }
        guard let before = record.revocation?.percentage else { return share }
        let count = Int64(record.quantity)
        /// Returns the number of purchased units to which a share of the price corresponds; `nil` if the number is not
        /// whole.
        func units(_ share: Int32) -> Int64? {
            let near = (Int64(share) * count + 50_000) / 100_000
            return abs(Int64(share) * count - 100_000 * near) * 2 <= count ? near : nil
        }
        var total = Int64(before) + Int64(share)
        if let first = units(before), let second = units(share) {
            total = ((first + second) * 100_000 + count / 2) / count
        }
        guard total <= 100_000 else {
            throw SimulatorError(
                .invalidValue,
                "only \(100_000 - before) thousandths of a per cent of transaction "
                    + "\(id(of: record.transaction)) are left")
        }
        return Int32(total)
    }

    /// Ends the service of a revoked period.
    ///
    /// The customer can buy the subscription again at once.
    private mutating func revokeService(of place: RowIndex<Subscription>) {
        var service = subscriptions[place].service
        if service.phase != .revoked {
            formerEnds[subscriptions[place].current] =
                service.phase == .active
                ? nil : FormerEnd(lapsedAt: service.lapsedAt, expirationIntent: service.expirationIntent)
            service.lapsedAt = now
        }
        service.phase = .revoked
        service.graceEndsAt = nil
        service.retryEndsAt = nil
        service.expirationIntent = nil
        subscriptions[place].service = service
        stopRenewing(place)
    }

    /// Stops renewal after the period that is already paid.
    private mutating func stopRenewing(_ place: RowIndex<Subscription>) {
        subscriptions[place].service.autoRenews = false
        subscriptions[place].service.commitmentRenews = false
        subscriptions[place].nextCharge = nil
        subscriptions[place].clearOffers()
        reschedule(place)
    }

    /// Revokes or restores the family members' copies of the running period, if the next period is already paid and
    /// stays valid.
    ///
    /// - Parameter reason: The reason for revoking; `nil` to restore.
    private mutating func setRevocation(
        _ reason: RevocationReason.RawValue?, ofRunningCopiesOf place: RowIndex<Subscription>
    ) {
        let revocation = reason.map { Revocation(at: now, reason: $0, kind: .family, percentage: nil) }
        for copy in copies[place] ?? [] {
            guard let running = runningTransaction(before: subscriptions[copy]), subscriptions[copy].isInService else {
                continue
            }
            let record = reissue(running) { $0.revocation = revocation }
            log(reason == nil ? .resubscribed : .familyAccessEnded, of: copy, record: record)
        }
    }

    mutating func declineRefund(of transaction: RowIndex<TransactionState>) throws(SimulatorError) {
        guard transactions[transaction].refund == .requested else {
            throw SimulatorError(.invalidAction, "no refund was requested for transaction \(id(of: transaction))")
        }
        transactions[transaction].refund = .declined
        logRefund(.refundDeclined, of: transaction)
    }

    /// Reverses a refund.
    ///
    /// The dates of the period apply again; renewal stays off.
    mutating func reverseRefund(of transaction: RowIndex<TransactionState>) throws(SimulatorError) {
        let record = try record(of: transaction)
        guard let revocation = record.revocation, revocation.kind == .fullRefund || revocation.kind == .proratedRefund
        else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) was not refunded")
        }
        reissue(transaction) { $0.revocation = nil }
        if let place = record.subscription, periodTransactions(of: place).contains(transaction),
            subscriptions[place].service.phase == .revoked
        {
            let end = subscriptions[place].service.expiresAt
            let isOver = end <= now
            let former = formerEnds.removeValue(forKey: subscriptions[place].current)
            let intent = former?.expirationIntent ?? ExpirationReason.autoRenewDisabled.rawValue
            subscriptions[place].service.phase = isOver ? .expired : .active
            subscriptions[place].service.lapsedAt = isOver ? former?.lapsedAt ?? end : nil
            subscriptions[place].service.expirationIntent = isOver ? intent : nil
            reschedule(place)
        }
        logRefund(.refundReversed, of: transaction)
        guard let place = record.subscription else {
            shareOneTimePurchase(transaction)
            return
        }
        if periodTransactions(of: place).contains(transaction), subscriptions[place].service.phase == .active {
            restoreCopies(of: place)
        }
        if runningTransaction(before: subscriptions[place]) == transaction {
            setRevocation(nil, ofRunningCopiesOf: place)
        }
    }

    /// Revokes a subscription that an organization had assigned.
    mutating func revokeAssignment(of transaction: RowIndex<TransactionState>) throws(SimulatorError) {
        let record = try refundable(transaction)
        guard record.revocation == nil else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) was already revoked")
        }
        let revocation = Revocation(at: now, reason: 0, kind: .assignment, percentage: nil)
        reissue(transaction) {
            $0.flags.insert(.isAssigned)
            $0.revocation = revocation
        }
        endAccess(through: transaction, of: record.subscription, kind: .assignmentEnded, reason: 0)
    }

    /// Returns the record of a transaction that was paid and is not fully refunded.
    private func refundable(_ transaction: RowIndex<TransactionState>) throws(SimulatorError) -> TransactionRecord {
        let record = try record(of: transaction)
        guard record.revocation.map({ $0.kind == .proratedRefund }) ?? true else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: transaction)) was already revoked")
        }
        guard !record.flags.contains(.isFamilyShared) else {
            throw SimulatorError(
                .invalidAction, "transaction \(id(of: transaction)) is a family's copy; refund the purchaser's")
        }
        if let place = record.subscription, subscriptions[place].current == transaction {
            let start = subscriptions[place].service.startedAt
            guard start <= now else {
                throw SimulatorError(
                    .invalidAction, "the period has not begun; refund it when it has, at \(start)")
            }
        }
        return record
    }

    private mutating func logRefund(
        _ kind: HappeningKind, of transaction: RowIndex<TransactionState>, note: String? = nil
    ) {
        let latest = transactions[transaction].latest
        if let place = latest.flatMap({ records[$0].subscription }) {
            log(kind, of: place, record: latest, note: note)
        } else {
            log(kind, of: transaction, note: note)
        }
    }
}
