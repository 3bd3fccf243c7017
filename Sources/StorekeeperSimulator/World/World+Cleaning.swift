import FoundationEssentials
import Storekeeper

extension World {
    /// Takes a transaction out of the store, as if it had never been.
    mutating func delete(_ number: Int32) {
        transactions[Int(number)].isDeleted = true
        waiting[number] = nil
        tell(.deleted, ofTransaction: number)
        guard let latest = transactions[Int(number)].latest, let place = records[Int(latest)].line else { return }
        if lines[Int(place)].current == number { stepBack(place) }
    }

    /// After the newest transaction of a subscription was deleted: the one before it is the newest.
    private mutating func stepBack(_ place: Int32) {
        let download = lines[Int(place)].download
        for number in numbers(of: download) {
            let state = transactions[Int(number)]
            if !state.isDeleted, let latest = state.latest, isTransaction(number, of: place) {
                let record = records[Int(latest)]
                let isOver = record.expiresAt ?? now <= now
                lines[Int(place)].current = number
                lines[Int(place)].product = record.product
                lines[Int(place)].startedAt = record.purchasedAt
                lines[Int(place)].expiresAt = record.expiresAt ?? now
                lines[Int(place)].phase = record.revocation != nil ? .revoked : isOver ? .expired : .active
                lines[Int(place)].graceEndsAt = nil
                lines[Int(place)].retryEndsAt = nil
                lines[Int(place)].nextCharge = nil
                lines[Int(place)].expirationIntent = nil
                if lines[Int(place)].phase == .expired {
                    lines[Int(place)].expirationIntent = ExpirationReason.autoRenewDisabled.rawValue
                }
                if lines[Int(place)].phase != .active {
                    lines[Int(place)].autoRenews = false
                    lines[Int(place)].lapsedAt = record.revocation?.at ?? record.expiresAt
                }
                if record.flags.contains(.isUpgraded) { resign(number) { $0.flags.remove(.isUpgraded) } }
                signRenewal(of: place)
                endCopies(of: place, reason: 0)
                reschedule(place)
                return
            }
        }
        downloads[Int(download)].lines.removeAll { $0 == place }
        lines[Int(place)].phase = .expired
        for copy in copies.removeValue(forKey: place) ?? [] { forget(copy) }
        // A copy that was taken out gets no further periods: the next makes a new one.
        if let owner = lines[Int(place)].sharedFrom { copies[owner]?.removeAll { $0 == place } }
        reschedule(place)
    }

    private mutating func forget(_ place: Int32) {
        downloads[Int(lines[Int(place)].download)].lines.removeAll { $0 == place }
        lines[Int(place)].phase = .expired
        for number in numbers(of: lines[Int(place)].download) where isTransaction(number, of: place) {
            transactions[Int(number)].isDeleted = true
        }
    }

    /// Takes everything out that was bought, by one account or by all.
    mutating func clear(app: Int32, account: Int32?) {
        for number in transactions.indices {
            let download = downloads[Int(transactions[number].download)]
            guard download.app == app, account == nil || download.account == account else { continue }
            transactions[number].isDeleted = true
            waiting[Int32(number)] = nil
            // Nobody shares what was never bought.
            for copy in oneTimeCopies.removeValue(forKey: Int32(number)) ?? [] {
                transactions[Int(copy)].isDeleted = true
            }
        }
        for place in downloads.indices
        where downloads[place].app == app && (account == nil || downloads[place].account == account) {
            for line in downloads[place].lines {
                lines[Int(line)].phase = .expired
                lines[Int(line)].stamp &+= 1
                for copy in copies.removeValue(forKey: line) ?? [] { forget(copy) }
                if let owner = lines[Int(line)].sharedFrom { copies[owner]?.removeAll { $0 == line } }
            }
            downloads[place].lines = []
            downloads[place].lastTransaction = nil
            downloads[place].redeemedCodes = []
        }
        tell(.deleted, account: account, note: "all transactions")
    }

    /// Gives a subscription another account token, for this transaction and later ones.
    mutating func setToken(_ token: UUID?, of number: Int32) throws(SimulatorError) {
        let record = try record(of: number)
        guard !record.flags.contains(.isFamilyShared) else {
            throw SimulatorError(.invalidAction, "a family's copy carries no account token")
        }
        let token = place(of: token)
        guard let place = record.line else {
            resign(number) { $0.token = token }
            tell(.accountTokenSet, ofTransaction: number)
            return
        }
        lines[Int(place)].token = token
        resign(lines[Int(place)].current) { $0.token = token }
        tell(.accountTokenSet, of: place)
    }

    mutating func finish(_ number: Int32) {
        guard !transactions[Int(number)].isFinished else { return }
        transactions[Int(number)].isFinished = true
        tell(.finished, ofTransaction: number)
    }
}
