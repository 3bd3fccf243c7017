import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// Reads the App Store's notification history, and processes the notifications that a vault lacks.
struct NotificationCatchUp {
    let client: AppStoreServerClient
    let verifier: JWSVerifier
    let pool: StorePool

    /// The counts of the notifications in all environments.
    struct Report {
        var read = 0
        var known = 0
        var repaired = 0
        var refused = 0
        var reasons: [String] = []
    }

    /// Reads either all notifications of a period or only those about one customer, whichever needs fewer requests.
    ///
    /// - Throws: `NotificationRepairError`, `VaultError`.
    func run(
        since beginning: Instant, until end: Instant, of customer: CustomerID?, in vault: any TransactionalVault
    ) async throws -> Report {
        let receiver = NotificationReceiver(verifier: verifier, pool: pool)
        let anchors: [CustomerAnchor]?
        if let customer {
            anchors = try await VaultAnchors(vault, bundleID: client.configuration.bundleID).anchors(of: customer)
        } else {
            anchors = nil
        }
        var report = Report()
        for environment in client.environments {
            let customers = anchors?.filter { $0.environment == environment }.map {
                RepairPlan.Customer(transactionID: Transaction.ID(rawValue: $0.id))
            }
            // The number of all notifications is unknown, so it is assumed to be larger than the number about one
            // customer.
            let plan = RepairPlan.cheapest(
                for: RepairPlan.Situation(from: beginning, to: end, expected: .max, customers: customers), at: end,
                in: environment)
            let repair = NotificationRepair(
                source: AppStoreNotificationHistory(client, in: environment), receiver: receiver,
                name: "catch-up:\(environment.rawValue)")
            report.add(try await repair.run(plan))
        }
        return report
    }
}

extension NotificationCatchUp.Report {
    fileprivate mutating func add(_ other: RepairReport) {
        read += other.read
        known += other.known
        repaired += other.repaired
        refused += other.refused
        reasons += other.refusals.map { "\($0)" }
    }

    /// The JSON document.
    var json: JSONText {
        .object([
            "read": .whole(read), "known": .whole(known), "repaired": .whole(repaired), "refused": .whole(refused),
            "refusals": .array(reasons.map(JSONText.string)),
        ])
    }

    /// The report as text for a person to read.
    var lines: [String] {
        let noun = read == 1 ? "notification" : "notifications"
        let refusals = refused == 0 ? "" : ", \(refused) refused"
        return ["\(read) \(noun) read: \(known) were known, \(repaired) added now\(refusals)."]
            + reasons.map { "  \($0)".onOneLine }
    }
}

extension CommandError {
    /// Creates the error for a failed repair.
    ///
    /// - Parameters:
    ///   - error: The error of the repair.
    ///   - place: The location of the vault.
    ///   - server: The name of the server.
    init(repairing error: NotificationRepairError, of place: VaultLocation, at server: String) {
        var cause = error.cause
        if let failure = cause as? NotificationFailure { cause = failure.cause }
        switch cause {
        case let cause as VaultError: self.init(cause, of: place, isReading: false)
        case let cause as AppStoreServerError: self.init(asking: cause, at: server)
        default: self.init(.unreachableService, error.message, at: server, "run it again")
        }
    }
}
