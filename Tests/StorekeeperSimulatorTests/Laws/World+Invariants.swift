import Storekeeper

@testable import StorekeeperSimulator

/// How far a world was looked at, so that looking at it after every step stays quick.
struct InvariantReader {
    private var journal = 0
    private var records = 0
    private var renewals = 0
    private var newest: [Int32: Int32] = [:]
    private var newestRenewals: [Int32: Int32] = [:]

    /// What is wrong with a world, in words; empty where it is sound.
    mutating func findings(in world: World) -> [String] {
        var findings: [String] = []
        readJournal(of: world, &findings)
        readRecords(of: world, &findings)
        readRenewals(of: world, &findings)
        for place in world.lines.indices { world.check(line: Int32(place), &findings) }
        world.checkFamilies(&findings)
        return findings
    }

    private mutating func readJournal(of world: World, _ findings: inout [String]) {
        while journal < world.journal.count {
            let entry = world.journal[journal]
            if journal > 0, entry.at < world.journal[journal - 1].at {
                findings.append("happening \(journal) lies before the one before it")
            }
            if entry.at > world.now { findings.append("happening \(journal) lies in the future") }
            if let record = entry.transaction, let download = entry.download,
                world.records[Int(record)].download != download
            {
                findings.append("happening \(journal) shows another customer's transaction")
            }
            journal += 1
        }
    }

    private mutating func readRecords(of world: World, _ findings: inout [String]) {
        while records < world.records.count {
            let record = world.records[records]
            if let earlier = newest[record.number].map({ world.records[Int($0)] }) {
                if record.signedAt <= earlier.signedAt {
                    findings.append("transaction \(record.number) was signed twice at one instant")
                }
                if record.original != earlier.original || record.product != earlier.product
                    || record.purchasedAt != earlier.purchasedAt || record.download != earlier.download
                    || record.webOrderLineItem != earlier.webOrderLineItem
                {
                    findings.append("transaction \(record.number) has become another one")
                }
            }
            newest[record.number] = Int32(records)
            records += 1
        }
    }

    private mutating func readRenewals(of world: World, _ findings: inout [String]) {
        while renewals < world.renewalRecords.count {
            let record = world.renewalRecords[renewals]
            if let earlier = newestRenewals[record.line].map({ world.renewalRecords[Int($0)] }),
                record.signedAt <= earlier.signedAt || record.original != earlier.original
            {
                findings.append("renewal info \(renewals) is not newer than the one before it, or of another chain")
            }
            newestRenewals[record.line] = Int32(renewals)
            renewals += 1
        }
    }
}

extension World {
    /// Whether a subscription is still in the store: test environments can take all of it out.
    private func isKept(_ place: Int32) -> Bool { downloads[Int(lines[Int(place)].download)].lines.contains(place) }

    fileprivate func check(line place: Int32, _ findings: inout [String]) {
        let line = lines[Int(place)]
        guard isKept(place) else {
            if line.isInService { findings.append("line \(place) serves although it was taken out") }
            return
        }
        let name = "line \(place) (\(line.phase))"
        guard let latest = transactions[Int(line.current)].latest else {
            findings.append("\(name) has no signed transaction")
            return
        }
        let record = records[Int(latest)]
        if record.line != place || record.original != line.original || record.product != line.product {
            findings.append("\(name): its current transaction is of another line, chain or product")
        }
        if record.expiresAt != line.expiresAt {
            findings.append("\(name) ends at \(line.expiresAt), its transaction at \(record.expiresAt ?? .distantPast)")
        }
        if transactions[Int(line.current)].isDeleted { findings.append("\(name): its current transaction is deleted") }
        if record.flags.contains(.isUpgraded) { findings.append("\(name): its current transaction is superseded") }
        if (record.revocation != nil) != (line.phase == .revoked) {
            findings.append("\(name): its current transaction is \(record.revocation == nil ? "not " : "")revoked")
        }
        let isLawful =
            switch line.phase {
            case .active: line.expiresAt > now && line.expirationIntent == nil
            case .grace: line.expiresAt <= now && line.graceEndsAt ?? .distantPast > now
            case .retry: line.expiresAt <= now && line.retryEndsAt ?? .distantPast > now
            case .expired: line.expiresAt <= now && !line.autoRenews
            case .revoked: !line.autoRenews
            }
        if !isLawful {
            findings.append(
                "\(name) at \(now): ends \(line.expiresAt), grace \(line.graceEndsAt?.description ?? "-"), retry "
                    + "\(line.retryEndsAt?.description ?? "-"), renews \(line.autoRenews), intent "
                    + "\(line.expirationIntent.map { "\($0)" } ?? "-")")
        }
        if let renewal = line.renewalRecord.map({ renewalRecords[Int($0)] }) {
            if renewal.original != line.original || renewal.product != line.product
                || renewal.willRenew != line.autoRenews || renewal.nextProduct != line.followingProduct
                || renewal.graceEndsAt != line.graceEndsAt || renewal.expirationIntent != line.expirationIntent
            {
                findings.append("\(name): its renewal info does not say what holds")
            }
        }
    }

    // MARK: Families

    fileprivate func checkFamilies(_ findings: inout [String]) {
        for (number, family) in families.enumerated() {
            if family.members.count > Self.familyLimit { findings.append("family \(number) has too many members") }
            if !family.members.isEmpty, !family.members.contains(family.organizer) {
                findings.append("family \(number) has no organizer among its members")
            }
            for member in family.members where accounts[Int(member)].family != Int32(number) {
                findings.append("a member of family \(number) does not know of it")
            }
        }
        for place in lines.indices.map(Int32.init) where isKept(place) {
            let line = lines[Int(place)]
            guard let owner = line.sharedFrom, line.isInService else { continue }
            let purchaser = lines[Int(owner)]
            if purchaser.phase != line.phase || purchaser.product != line.product
                || purchaser.expiresAt != line.expiresAt || purchaser.autoRenews != line.autoRenews
                || purchaser.nextProduct != line.nextProduct
            {
                findings.append(
                    "copy \(place) (\(line.phase)) is not as the purchaser's line \(owner) (\(purchaser.phase))")
            }
            let family = accounts[Int(line.account)].family
            if family == nil || family != accounts[Int(purchaser.account)].family {
                findings.append("copy \(place) is not of the purchaser's family")
            }
        }
    }

    // MARK: Chains

    /// What is not lawful about the periods of the chains; to be asked at the end of a story.
    func chainFindings() -> [String] {
        var findings: [String] = []
        var revokedAt: [Int32: Instant] = [:]
        var recovered: Set<Int32> = []
        for record in records {
            guard let revocation = record.revocation else { continue }
            revokedAt[record.number] = min(revokedAt[record.number] ?? .distantFuture, revocation.at)
        }
        for entry in journal where entry.kind == .recovered {
            if let record = entry.transaction { recovered.insert(records[Int(record)].number) }
        }
        var chains: [Int32: [Int32]] = [:]
        let isThinned = Set(transactions.filter(\.isDeleted).compactMap { $0.latest.flatMap { records[Int($0)].line } })
        for number in transactions.indices.map(Int32.init) where !transactions[Int(number)].isDeleted {
            guard let latest = transactions[Int(number)].latest, let line = records[Int(latest)].line else { continue }
            chains[line, default: []].append(latest)
        }
        /// When each was signed first: a purchase that waited has an older number than a renewal that came before it.
        var firstSigned: [Int32: Int] = [:]
        for (place, record) in records.enumerated() where firstSigned[record.number] == nil {
            firstSigned[record.number] = place
        }
        func order(_ record: TransactionRecord) -> Int { firstSigned[record.number] ?? .max }
        for (line, places) in chains.sorted(by: { $0.key < $1.key }) {
            let periods = places.map { records[Int($0)] }.sorted {
                ($0.purchasedAt, order($0)) < ($1.purchasedAt, order($1))
            }
            for (period, next) in zip(periods, periods.dropFirst()) {
                guard let end = period.expiresAt else { continue }
                let isOver = end <= next.purchasedAt
                let isSuperseded = period.flags.contains(.isUpgraded)
                let wasTakenBack = revokedAt[period.number].map { $0 <= next.signedAt } ?? false
                if !isOver, !isSuperseded, !wasTakenBack {
                    findings.append(
                        "line \(line): \(period.number) until \(end) overlaps \(next.number) from \(next.purchasedAt)")
                }
                if end < next.purchasedAt, !isThinned.contains(line), next.flags.contains(.isRenewal),
                    !recovered.contains(next.number)
                {
                    findings.append("line \(line): renewal \(next.number) leaves a gap after \(period.number)")
                }
            }
            if let last = periods.max(by: { order($0) < order($1) }), last.flags.contains(.isUpgraded) {
                findings.append("line \(line): \(last.number) is superseded by nothing")
            }
        }
        return findings
    }
}
