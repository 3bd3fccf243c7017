import Storekeeper

@testable import StorekeeperSimulator

/// The part of a world that was already checked, so that checking after every step is fast.
struct InvariantReader {
    private var journal = 0
    private var records = 0
    private var renewals = 0
    private var newest: [RowIndex<TransactionState>: RowIndex<TransactionRecord>] = [:]
    private var newestRenewals: [RowIndex<Subscription>: RowIndex<RenewalRecord>] = [:]

    /// Returns the faults of a world as text; empty if it is valid.
    mutating func findings(in world: World) -> [String] {
        var findings: [String] = []
        readJournal(of: world, &findings)
        readRecords(of: world, &findings)
        readRenewals(of: world, &findings)
        for place in world.subscriptions.indices { world.check(place, &findings) }
        world.checkFamilies(&findings)
        return findings
    }

    private mutating func readJournal(of world: World, _ findings: inout [String]) {
        for place in world.journal.indices(after: journal) {
            let entry = world.journal[place]
            if place > world.journal.startIndex, entry.at < world.journal[place.advanced(by: -1)].at {
                findings.append("happening \(place.index) is before the previous one")
            }
            if entry.at > world.now { findings.append("happening \(place.index) is in the future") }
            if let record = entry.record, let download = entry.download, world.records[record].download != download {
                findings.append("happening \(place.index) shows another customer's transaction")
            }
        }
        journal = world.journal.count
    }

    private mutating func readRecords(of world: World, _ findings: inout [String]) {
        for place in world.records.indices(after: records) {
            let record = world.records[place]
            let name = "transaction \(record.transaction.index)"
            if let earlier = newest[record.transaction].map({ world.records[$0] }) {
                if record.signedAt <= earlier.signedAt {
                    findings.append("\(name) has two copies signed at one instant")
                }
                if record.original != earlier.original || record.product != earlier.product
                    || record.purchasedAt != earlier.purchasedAt || record.download != earlier.download
                    || record.webOrderLineItem != earlier.webOrderLineItem
                {
                    findings.append("\(name) has changed its identity")
                }
            }
            newest[record.transaction] = place
        }
        records = world.records.count
    }

    private mutating func readRenewals(of world: World, _ findings: inout [String]) {
        for place in world.renewalRecords.indices(after: renewals) {
            let record = world.renewalRecords[place]
            if let earlier = newestRenewals[record.subscription].map({ world.renewalRecords[$0] }),
                record.signedAt <= earlier.signedAt || record.original != earlier.original
            {
                findings.append(
                    "renewal info \(place.index) is not newer than the previous one, or is of another chain")
            }
            newestRenewals[record.subscription] = place
        }
        renewals = world.renewalRecords.count
    }
}

extension World {
    /// Returns whether a subscription is still in the store.
    ///
    /// In test environments, all transactions of a subscription can be deleted.
    private func isKept(_ place: RowIndex<Subscription>) -> Bool {
        downloads[subscriptions[place].download].subscriptions.contains(place)
    }

    fileprivate func check(_ place: RowIndex<Subscription>, _ findings: inout [String]) {
        let subscription = subscriptions[place]
        let service = subscription.service
        guard isKept(place) else {
            if subscription.isInService {
                findings.append("subscription \(place.index) is in service although it was deleted")
            }
            return
        }
        let name = "subscription \(place.index) (\(service.phase))"
        guard let latest = transactions[subscription.current].latest else {
            findings.append("\(name) has no signed transaction")
            return
        }
        let record = records[latest]
        if record.subscription != place || record.original != subscription.original
            || record.product != service.product
        {
            findings.append("\(name): its current transaction is of another subscription, chain or product")
        }
        if record.expiresAt != service.expiresAt {
            findings.append(
                "\(name) ends at \(service.expiresAt), its transaction at \(record.expiresAt ?? .distantPast)")
        }
        if transactions[subscription.current].isDeleted {
            findings.append("\(name): its current transaction is deleted")
        }
        if record.flags.contains(.isUpgraded) { findings.append("\(name): its current transaction is superseded") }
        if (record.revocation != nil) != (service.phase == .revoked) {
            findings.append("\(name): its current transaction is \(record.revocation == nil ? "not " : "")revoked")
        }
        let isLawful =
            switch service.phase {
            case .active: service.expiresAt > now && service.expirationIntent == nil
            case .grace: service.expiresAt <= now && service.graceEndsAt ?? .distantPast > now
            case .retry: service.expiresAt <= now && service.retryEndsAt ?? .distantPast > now
            case .expired: service.expiresAt <= now && !service.autoRenews
            case .revoked: !service.autoRenews
            }
        if !isLawful {
            findings.append(
                "\(name) at \(now): ends \(service.expiresAt), grace \(service.graceEndsAt?.description ?? "-"), "
                    + "retry \(service.retryEndsAt?.description ?? "-"), renews \(service.autoRenews), intent "
                    + "\(service.expirationIntent.map { "\($0)" } ?? "-")")
        }
        if let renewal = subscription.renewalRecord.map({ renewalRecords[$0] }) {
            if renewal.original != subscription.original || renewal.product != service.product
                || renewal.willRenew != service.autoRenews || renewal.nextProduct != subscription.followingProduct
                || renewal.graceEndsAt != service.graceEndsAt || renewal.expirationIntent != service.expirationIntent
            {
                findings.append("\(name): its renewal info is not current")
            }
        }
    }

    // MARK: Families

    fileprivate func checkFamilies(_ findings: inout [String]) {
        for place in families.indices {
            let family = families[place]
            let name = "family \(place.index)"
            if family.members.count > Self.familyLimit { findings.append("\(name) has too many members") }
            if !family.members.isEmpty, !family.members.contains(family.organizer) {
                findings.append("\(name) has no organizer among its members")
            }
            for member in family.members where accounts[member].family != place {
                findings.append("a member of \(name) is not linked to it")
            }
        }
        for place in subscriptions.indices where isKept(place) {
            let copy = subscriptions[place]
            guard let owner = copy.sharedFrom, copy.isInService else { continue }
            let purchaser = subscriptions[owner]
            if purchaser.service.phase != copy.service.phase || purchaser.service.product != copy.service.product
                || purchaser.service.expiresAt != copy.service.expiresAt
                || purchaser.service.autoRenews != copy.service.autoRenews
                || purchaser.service.nextProduct != copy.service.nextProduct
            {
                findings.append(
                    "copy \(place.index) (\(copy.service.phase)) differs from the purchaser's subscription "
                        + "\(owner.index) (\(purchaser.service.phase))")
            }
            let family = accounts[copy.account].family
            if family == nil || family != accounts[purchaser.account].family {
                findings.append("copy \(place.index) is not of the purchaser's family")
            }
        }
    }

    // MARK: Chains

    /// Returns the invalid periods of the chains, at the end of a story.
    func chainFindings() -> [String] {
        var findings: [String] = []
        var revokedAt: [RowIndex<TransactionState>: Instant] = [:]
        var recovered: Set<RowIndex<TransactionState>> = []
        for record in records {
            guard let revocation = record.revocation else { continue }
            revokedAt[record.transaction] = min(revokedAt[record.transaction] ?? .distantFuture, revocation.at)
        }
        for entry in journal where entry.kind == .recovered {
            if let record = entry.record { recovered.insert(records[record].transaction) }
        }
        var chains: [RowIndex<Subscription>: [TransactionRecord]] = [:]
        let isThinned = Set(
            transactions.filter(\.isDeleted).compactMap { $0.latest.flatMap { records[$0].subscription } })
        for state in transactions where !state.isDeleted {
            guard let latest = state.latest, let subscription = records[latest].subscription else { continue }
            chains[subscription, default: []].append(records[latest])
        }
        /// The first signed copy of each transaction.
        ///
        /// Numbers do not show the order, because a purchase that waited has a lower number than a renewal that was
        /// signed earlier.
        var firstSigned: [RowIndex<TransactionState>: RowIndex<TransactionRecord>] = [:]
        for place in records.indices where firstSigned[records[place].transaction] == nil {
            firstSigned[records[place].transaction] = place
        }
        func order(_ record: TransactionRecord) -> Int { firstSigned[record.transaction]?.index ?? .max }
        for (subscription, unordered) in chains.sorted(by: { $0.key < $1.key }) {
            let name = "subscription \(subscription.index)"
            let periods = unordered.sorted { ($0.purchasedAt, order($0)) < ($1.purchasedAt, order($1)) }
            for (period, next) in zip(periods, periods.dropFirst()) {
                guard let end = period.expiresAt else { continue }
                let (this, that) = (period.transaction.index, next.transaction.index)
                let isOver = end <= next.purchasedAt
                let isSuperseded = period.flags.contains(.isUpgraded)
                let wasTakenBack = revokedAt[period.transaction].map { $0 <= next.signedAt } ?? false
                if !isOver, !isSuperseded, !wasTakenBack {
                    findings.append("\(name): \(this) until \(end) overlaps \(that) from \(next.purchasedAt)")
                }
                if end < next.purchasedAt, !isThinned.contains(subscription), next.flags.contains(.isRenewal),
                    !recovered.contains(next.transaction)
                {
                    findings.append("\(name): renewal \(that) leaves a gap after \(this)")
                }
            }
            if let last = periods.max(by: { order($0) < order($1) }), last.flags.contains(.isUpgraded) {
                findings.append("\(name): \(last.transaction.index) is superseded but has no successor")
            }
        }
        return findings
    }
}
