import Storekeeper

@testable import StorekeeperSimulator

extension World {
    /// What the engine is to make of the evidence: everything counts, whatever environment it comes from.
    static let policy = EntitlementPolicy(environments: [.sandbox: .grant, .production: .grant, .xcode: .grant])

    /// All that is known of a download, as if it had just been read from the App Store; nothing is signed.
    func purchaseHistory(of download: Int32) throws -> PurchaseHistory {
        var history = PurchaseHistory()
        history.mergeUnverified(
            transactions: try self.history(of: download).map {
                try Self.decode(payload(ofTransaction: records[Int($0)]))
            },
            renewalInfos: try downloads[Int(download)].lines.compactMap { lines[Int($0)].renewalRecord }.map {
                try Self.decode(payload(ofRenewal: renewalRecords[Int($0)]))
            })
        return history
    }

    /// What the engine answers about a download.
    func resolution(of download: Int32) throws -> Resolution {
        let catalog = apps[Int(downloads[Int(download)].app)].catalog
        return EntitlementResolver(catalog: catalog, policy: Self.policy).resolve(try purchaseHistory(of: download))
    }

    private static func decode<Fact: SignedFact>(_ members: [String: JSONText]) throws -> Fact {
        let bytes = JSONText.object(members).bytes()
        return try Fact(payload: try JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    /// Where the engine and the simulator disagree about subscriptions now.
    func findingsOfEngine() throws -> [String] {
        var findings: [String] = []
        for download in downloads.indices.map(Int32.init) {
            let resolution = try resolution(of: download)
            for place in downloads[Int(download)].lines {
                let line = lines[Int(place)]
                // Of two periods that began at one millisecond one was taken back: by their dates nobody could tell which
                // is the later, and the other counts.
                let isTied = transactions.contains { state in
                    guard let latest = state.latest, records[Int(latest)].number != line.current else { return false }
                    let record = records[Int(latest)]
                    let isTakenBack = record.revocation != nil || line.phase == .revoked
                    return record.line == place && isTakenBack && record.purchasedAt == line.startedAt
                }
                if isTied { continue }
                let group = apps[Int(line.app)].groups[Int(line.group)].id
                let status = resolution.group(group)?.statuses(at: now).first {
                    $0.transaction.originalID == id(of: line.original)
                }
                // Where the next period is paid already: that of the period that runs.
                let number = Int(self.status(of: line))
                let isInService = line.isInService && number == Int(line.status)
                if status?.state.number != number {
                    findings.append(
                        "line \(place) is \(line.phase) and the engine says \(status.map { "\($0.state)" } ?? "nothing")"
                    )
                } else if isInService != status?.isEntitled {
                    findings.append("line \(place) is \(line.phase), entitled: \(status?.isEntitled ?? false)")
                } else if isInService, line.startedAt <= now, status?.transaction.id != id(of: line.current) {
                    findings.append("line \(place): the engine goes by another transaction")
                }
            }
        }
        return findings
    }
}
