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
        if let place = record.line, lines[Int(place)].current == number { turnRenewal(on: false, of: place) }
        tellRefund(.refundRequested, of: number, note: reason.rawValue)
        guard apps[Int(downloads[Int(record.download)].app)].settings.grantsRefundRequests else { return }
        let isAppsFault = reason == .fulfillmentIssue || reason == .unsatisfiedWithPurchase
        try refund(number, percentage: nil, reason: isAppsFault ? .developerIssue : .other)
    }

    mutating func refund(_ number: Int32, percentage: Int?, reason: RevocationReason) throws(SimulatorError) {
        let record = try refundable(number)
        guard percentage == nil || (1...100_000).contains(percentage ?? 0) else {
            throw SimulatorError(
                .invalidValue, "a share is from 1 to 100000 thousandths of a per cent, not \(percentage ?? 0)")
        }
        let isPart = percentage ?? 100_000 < 100_000
        let revocation = Revocation(
            at: now, reason: reason.rawValue, kind: isPart ? .proratedRefund : .fullRefund,
            percentage: Int32(percentage ?? 100_000))
        transactions[Int(number)].refund = .none
        resign(number) { $0.revocation = revocation }
        if let place = record.line, lines[Int(place)].current == number { lose(place) }
        tellRefund(.refunded, of: number)
        if let place = record.line {
            if lines[Int(place)].current == number { endCopies(of: place, reason: reason.rawValue) }
        } else {
            endCopies(ofTransaction: number, reason: reason.rawValue)
        }
    }

    /// The current period no longer counts; the chain can be bought again at once.
    private mutating func lose(_ place: Int32) {
        lines[Int(place)].phase = .revoked
        lines[Int(place)].lapsedAt = now
        lines[Int(place)].autoRenews = false
        lines[Int(place)].commitmentRenews = false
        lines[Int(place)].graceEndsAt = nil
        lines[Int(place)].retryEndsAt = nil
        lines[Int(place)].nextCharge = nil
        lines[Int(place)].expirationIntent = nil
        lines[Int(place)].dropOffers()
        reschedule(place)
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
        } else {
            restoreCopies(ofTransaction: number)
        }
    }

    /// An organisation takes a subscription away that it had given.
    mutating func revokeAssignment(of number: Int32) throws(SimulatorError) {
        let record = try refundable(number)
        let revocation = Revocation(at: now, reason: 0, kind: .assignment, percentage: nil)
        resign(number) {
            $0.flags.insert(.isAssigned)
            $0.revocation = revocation
        }
        if let place = record.line, lines[Int(place)].current == number { lose(place) }
        tellRefund(.assignmentEnded, of: number)
        if let place = record.line {
            if lines[Int(place)].current == number { endCopies(of: place, reason: 0) }
        } else {
            endCopies(ofTransaction: number, reason: 0)
        }
    }

    /// The record of a transaction that was paid and not paid back.
    private func refundable(_ number: Int32) throws(SimulatorError) -> TransactionRecord {
        let record = try record(of: number)
        guard record.revocation == nil else {
            throw SimulatorError(.invalidAction, "transaction \(id(of: number)) was taken back already")
        }
        guard !record.flags.contains(.isFamilyShared) else {
            throw SimulatorError(
                .invalidAction, "transaction \(id(of: number)) is a family's copy; refund the purchaser's")
        }
        if let place = record.line, lines[Int(place)].startedAt > now, current(of: place).contains(number) {
            throw SimulatorError(
                .invalidAction,
                "the next period is paid already; refund when it has begun, at \(lines[Int(place)].startedAt)")
        }
        return record
    }

    /// The newest transaction of a subscription, and the one before it where that is running still: the last day
    /// before a renewal that was charged early.
    private func current(of place: Int32) -> [Int32] {
        let line = lines[Int(place)]
        guard line.startedAt > now else { return [line.current] }
        var next = transactions[Int(line.current)].previous
        while let number = next {
            let state = transactions[Int(number)]
            if !state.isDeleted, let latest = state.latest, records[Int(latest)].line == place {
                return [number, line.current]
            }
            next = state.previous
        }
        return [line.current]
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
