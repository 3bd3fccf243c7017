import Storekeeper

extension World {
    /// A customer asks for a refund: renewal is turned off and the app is asked for consumption data.
    mutating func requestRefund(of number: Int32, reason: RefundRequestReason) throws(SimulatorError) {
        let record = try refundable(number)
        guard transactions[Int(number)].refund != .requested else {
            throw SimulatorError(.invalidAction, "a refund of transaction \(id(of: number)) was asked for already")
        }
        if let failure = apps[Int(downloads[Int(record.download)].app)].settings.simulatedErrors[.refundRequest] {
            throw SimulatorError(.invalidAction, "the refund request fails as told: \(failure.rawValue)")
        }
        transactions[Int(number)].refund = .requested
        if let place = record.line, lines[Int(place)].current == number || runningBefore(lines[Int(place)]) == number {
            turnRenewal(on: false, of: place)
        }
        tellRefund(.refundRequested, of: number, note: reason.rawValue)
        guard apps[Int(downloads[Int(record.download)].app)].settings.grantsRefundRequests else { return }
        let isAppsFault = reason == .fulfillmentIssue || reason == .unsatisfiedWithPurchase
        try refund(number, percentage: nil, reason: isAppsFault ? .developerIssue : .other)
    }

    /// Pays a transaction back, or a share of it; a second share adds to the first.
    mutating func refund(_ number: Int32, percentage: Int?, reason: RevocationReason) throws(SimulatorError) {
        let record = try refundable(number)
        let share = Int32(clamping: percentage ?? 100_000)
        guard (1...100_000).contains(share) else {
            throw SimulatorError(
                .invalidValue, "a share is from 1 to 100000 thousandths of a per cent, not \(percentage ?? 0)")
        }
        let whole = try total(of: record, adding: percentage.map { _ in share })
        let revocation = Revocation(
            // What was withdrawn before stays withdrawn since then.
            at: record.revocation?.at ?? now, reason: reason.rawValue,
            kind: whole < 100_000 ? .proratedRefund : .fullRefund, percentage: whole)
        transactions[Int(number)].refund = .none
        resign(number) { $0.revocation = revocation }
        takeBack(number, of: record.line, as: .refunded, reason: reason.rawValue)
    }

    /// What follows when a transaction was taken back: for the subscription that it is of, and for the family.
    private mutating func takeBack(
        _ number: Int32, of place: Int32?, as kind: HappeningKind, reason: RevocationReason.RawValue
    ) {
        guard let place else {
            tellRefund(kind, of: number)
            endCopies(ofTransaction: number, reason: reason)
            return
        }
        let isCurrent = lines[Int(place)].current == number
        // On the last day of a period of which the next is paid already: that one stays, and none follows it.
        let isRunning = runningBefore(lines[Int(place)]) == number
        if isCurrent { lose(place) }
        if isRunning { stopRenewing(place) }
        tellRefund(kind, of: number)
        if isCurrent { endCopies(of: place, reason: reason) }
        if isRunning { resignRunningCopies(of: place, takenBackFor: reason) }
    }

    /// How much of a transaction is paid back in all, in thousandths of a per cent.
    ///
    /// Shares are themselves rounded: where they stand for whole units of the quantity, so does their sum.
    ///
    /// - Parameter share: What is paid back now; `nil`: all that is left.
    private func total(of record: TransactionRecord, adding share: Int32?) throws(SimulatorError) -> Int32 {
        guard let share else { return 100_000 }
        guard let before = record.revocation?.percentage else { return share }
        let count = Int64(record.quantity)
        /// How many units a share is; `nil` where it is none.
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
                "only \(100_000 - before) thousandths of a per cent of transaction \(id(of: record.number)) are left")
        }
        return Int32(total)
    }

    /// The current period no longer counts; the chain can be bought again at once.
    private mutating func lose(_ place: Int32) {
        if lines[Int(place)].phase != .revoked { lines[Int(place)].lapsedAt = now }
        lines[Int(place)].phase = .revoked
        lines[Int(place)].graceEndsAt = nil
        lines[Int(place)].retryEndsAt = nil
        lines[Int(place)].expirationIntent = nil
        stopRenewing(place)
    }

    /// Nothing follows what is paid already.
    private mutating func stopRenewing(_ place: Int32) {
        lines[Int(place)].autoRenews = false
        lines[Int(place)].commitmentRenews = false
        lines[Int(place)].nextCharge = nil
        lines[Int(place)].dropOffers()
        reschedule(place)
    }

    /// Takes back what a family has of the running period, where the next one is paid already and stays, or gives it
    /// back.
    ///
    /// - Parameter reason: Why it is taken back; `nil`: it is given back.
    private mutating func resignRunningCopies(of place: Int32, takenBackFor reason: RevocationReason.RawValue?) {
        let revocation = reason.map { Revocation(at: now, reason: $0, kind: .family, percentage: nil) }
        for copy in copies[place] ?? [] {
            guard let number = runningBefore(lines[Int(copy)]), lines[Int(copy)].isInService else { continue }
            let record = resign(number) { $0.revocation = revocation }
            tell(reason == nil ? .resubscribed : .familyAccessEnded, of: copy, transaction: record)
        }
    }

    mutating func declineRefund(of number: Int32) throws(SimulatorError) {
        guard transactions[Int(number)].refund == .requested else {
            throw SimulatorError(.invalidAction, "nobody has asked for a refund of transaction \(id(of: number))")
        }
        transactions[Int(number)].refund = .declined
        tellRefund(.refundDeclined, of: number)
    }

    /// A refund is taken back: the dates hold again, renewal stays off.
    mutating func reverseRefund(of number: Int32) throws(SimulatorError) {
        let record = try record(of: number)
        guard let revocation = record.revocation, revocation.kind == .fullRefund || revocation.kind == .proratedRefund
        else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) was not refunded")
        }
        resign(number) { $0.revocation = nil }
        if let place = record.line, lines[Int(place)].current == number, lines[Int(place)].phase == .revoked {
            let isOver = lines[Int(place)].expiresAt <= now
            lines[Int(place)].phase = isOver ? .expired : .active
            lines[Int(place)].lapsedAt = isOver ? lines[Int(place)].expiresAt : nil
            lines[Int(place)].expirationIntent = isOver ? ExpirationReason.autoRenewDisabled.rawValue : nil
            reschedule(place)
        }
        tellRefund(.refundReversed, of: number)
        if let place = record.line {
            if lines[Int(place)].current == number, lines[Int(place)].phase == .active { restoreCopies(of: place) }
            if runningBefore(lines[Int(place)]) == number { resignRunningCopies(of: place, takenBackFor: nil) }
        } else {
            restoreCopies(ofTransaction: number)
        }
    }

    /// An organisation takes a subscription away that it had given.
    mutating func revokeAssignment(of number: Int32) throws(SimulatorError) {
        let record = try refundable(number)
        guard record.revocation == nil else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) was taken back already")
        }
        let revocation = Revocation(at: now, reason: 0, kind: .assignment, percentage: nil)
        resign(number) {
            $0.flags.insert(.isAssigned)
            $0.revocation = revocation
        }
        takeBack(number, of: record.line, as: .assignmentEnded, reason: 0)
    }

    /// The record of a transaction that was paid and not wholly paid back.
    private func refundable(_ number: Int32) throws(SimulatorError) -> TransactionRecord {
        let record = try record(of: number)
        guard record.revocation.map({ $0.kind == .proratedRefund }) ?? true else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) was taken back already")
        }
        guard !record.flags.contains(.isFamilyShared) else {
            throw SimulatorError(
                .invalidAction, "transaction \(id(of: number)) is a family's copy; refund the purchaser's")
        }
        if let place = record.line, lines[Int(place)].startedAt > now, lines[Int(place)].current == number {
            throw SimulatorError(
                .invalidAction,
                "the period has not begun; refund it when it has, at \(lines[Int(place)].startedAt)")
        }
        return record
    }

    private mutating func tellRefund(_ kind: HappeningKind, of number: Int32, note: String? = nil) {
        guard let place = transactions[Int(number)].latest.flatMap({ records[Int($0)].line }) else {
            tell(kind, ofTransaction: number, note: note)
            return
        }
        tell(kind, of: place, transaction: transactions[Int(number)].latest)
        if let note { journal[journal.count - 1].note = self.place(ofNote: note) }
    }
}
