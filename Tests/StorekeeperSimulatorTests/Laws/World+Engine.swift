import Storekeeper

@testable import StorekeeperSimulator

extension World {
    /// A policy that accepts evidence from every environment.
    static let policy = EntitlementPolicy(environments: [.sandbox: .grant, .production: .grant, .xcode: .grant])

    /// Returns all evidence of a download as if it had just been read from the App Store, without signing it.
    func purchaseHistory(of download: RowIndex<Download>) throws -> PurchaseHistory {
        var history = PurchaseHistory()
        for record in self.history(of: download) {
            history.merge(.unsigned(try Self.decode(payload(of: records[record])) as Transaction))
        }
        for record in downloads[download].subscriptions.compactMap({ subscriptions[$0].renewalRecord }) {
            history.merge(.unsigned(try Self.decode(payload(of: renewalRecords[record])) as RenewalInfo))
        }
        return history
    }

    /// Returns the engine's answers about a download.
    func resolution(of download: RowIndex<Download>) throws -> Resolution {
        EntitlementResolver(catalog: app(of: download).catalog, policy: Self.policy)
            .resolve(try purchaseHistory(of: download))
    }

    private static func decode<Fact: DecodedFact>(_ members: [String: JSONText]) throws -> Fact {
        let bytes = JSONText.object(members).bytes()
        return try Fact(payload: try JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    /// Returns the differences between the engine and the simulator about current subscriptions.
    func findingsOfEngine() throws -> [String] {
        var findings: [String] = []
        for download in downloads.indices {
            let resolution = try resolution(of: download)
            for place in downloads[download].subscriptions {
                let subscription = subscriptions[place]
                let (service, name) = (subscription.service, "subscription \(place.index)")
                // If two periods began at the same millisecond and one was revoked, their dates do not show which
                // period is later. The engine then uses the period that was not revoked.
                let isTied = transactions.contains { state in
                    guard let latest = state.latest, records[latest].transaction != subscription.current else {
                        return false
                    }
                    let record = records[latest]
                    let isTakenBack = record.revocation != nil || service.phase == .revoked
                    return record.subscription == place && isTakenBack && record.purchasedAt == service.startedAt
                }
                if isTied { continue }
                let group = apps[subscription.app].groups[subscription.group].id.rawValue
                // Copies that are made at one instant are signed a millisecond apart. A grace period in the newest
                // renewal info has an effect from the signing date of the renewal info on.
                let signedAt = subscription.renewalRecord.map { renewalRecords[$0].signedAt } ?? now
                let status = resolution.group(group)?.statuses(at: max(now, signedAt)).first {
                    $0.transaction.originalID == id(of: subscription.original)
                }
                // After an early charge, the status is the status of the current period, and not of the next one.
                let number = Int(self.status(of: subscription))
                let isInService = subscription.isInService && number == Int(subscription.status)
                if status?.state.number != number {
                    findings.append(
                        "\(name) is \(service.phase) and the engine has \(status.map { "\($0.state)" } ?? "nothing")")
                } else if isInService != status?.isEntitled {
                    findings.append("\(name) is \(service.phase), entitled: \(status?.isEntitled ?? false)")
                } else if isInService, service.startedAt <= now, status?.transaction.id != id(of: subscription.current)
                {
                    findings.append("\(name): the engine uses another transaction")
                } else if isInService, service.startedAt <= now,
                    status?.renewalInfo?.autoRenewStatus?.isOn != service.autoRenews
                {
                    findings.append("\(name) renews: \(service.autoRenews), and the engine disagrees")
                }
            }
        }
        return findings
    }
}
