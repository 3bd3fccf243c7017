import Storekeeper
import StorekeeperJWS
import StorekeeperPages
import StorekeeperSimulator

/// The requests by which tests control a local App Store and inspect it.
///
/// `openapi.yaml` describes these requests. Steps have the same syntax as in scenarios.
struct ControlAPI: Sendable {
    let local: LocalAppStore

    private var store: SimulatedAppStore { local.store }

    // MARK: Inspecting

    /// The time, the apps and customers, and the next events.
    struct Overview: JSONShaped {
        let local: LocalAppStore

        static let shape = JSONShape<Self>([
            .member("environment") { $0.local.scenario.environment.rawValue }, .member("now") { $0.local.store.now },
            .member("nextEvent", "When the next event is due.") { $0.local.store.nextEvent },
            .member("nextSending", "When the next notification is due.") { $0.local.outbox.nextDue },
            .member("apps") { $0.local.scenario.apps.map(\.bundleID) },
            .member("people") { $0.local.store.accounts.map(\.rawValue) },
            .member("happenings") { $0.local.store.happeningCount },
            .member("sendsNotifications") { $0.local.outbox.hasWebhook },
        ])
    }

    var overview: Overview { Overview(local: local) }

    /// The root certificate in PEM.
    var rootPEM: String { store.authority.rootPEM }

    /// The active faults.
    var faults: Faults { Faults(faults: local.current.faults.active) }

    struct Faults: JSONShaped {
        let faults: [FaultInjector.Active]

        static let shape = JSONShape<Self>([.member("faults") { $0.faults }])
    }

    /// The time and the number of all happenings, which every list states.
    struct Progress: Sendable {
        let now: Instant
        let count: Int

        static let shape = JSONShape<Self>([
            .member("now") { $0.now }, .member("count", "The number of all happenings.") { $0.count },
        ])
    }

    private var progress: Progress { Progress(now: store.now, count: store.happeningCount) }

    struct Happenings: JSONShaped {
        let happenings: [Happening]
        let progress: Progress

        static let shape = JSONShape<Self>(
            with: Progress.shape.members { $0.progress }, [.member("happenings") { $0.happenings }])
    }

    func happenings(after count: Int) -> Happenings {
        Happenings(happenings: store.happenings(after: count), progress: progress)
    }

    struct Transactions: JSONShaped {
        let transactions: [TransactionSummary]
        let progress: Progress

        static let shape = JSONShape<Self>(
            with: Progress.shape.members { $0.progress }, [.member("transactions") { $0.transactions }])
    }

    /// Returns the transactions of a customer.
    ///
    /// - Parameter person: The name of the customer; `nil` for all customers.
    func transactions(of person: String?) -> Transactions {
        Transactions(
            transactions: store.transactions.filter { person == nil || $0.person.rawValue == person },
            progress: progress)
    }

    /// A notification with the attempts to send it.
    struct SentNotification: JSONShaped {
        let happening: Happening
        let text: String
        let attempts: [SendAttempt]

        static let shape = JSONShape<Self>(
            "Notification",
            [
                .member("happening") { $0.happening.id }, .member("at") { $0.happening.at },
                .member("notification", isRequired: true) { $0.happening.notification },
                .member("signedPayload") { $0.text }, .member("sendAttempts") { $0.attempts },
            ])
    }

    struct Notifications: JSONShaped {
        let notifications: [SentNotification]
        let progress: Progress

        static let shape = JSONShape<Self>(
            with: Progress.shape.members { $0.progress }, [.member("notifications") { $0.notifications }])
    }

    func notifications(after count: Int) throws -> Notifications {
        let news = store.happenings(after: count).filter { $0.notification != nil }
        let sent = try news.compactMap { happening in
            try store.notification(of: happening.id).map { text in
                SentNotification(
                    happening: happening, text: text, attempts: local.outbox.attempts(of: happening.id))
            }
        }
        return Notifications(notifications: sent, progress: progress)
    }

    struct Evidence: JSONShaped {
        let texts: [String]

        static let shape = JSONShape<Self>([.member("evidence") { $0.texts }])
    }

    func evidence(of person: String, app: String?) throws -> Evidence {
        Evidence(texts: try store.evidence(of: CustomerID(rawValue: person), app: app))
    }

    struct SignedAppTransaction: JSONShaped {
        let text: String

        static let shape = JSONShape<Self>([.member("signedAppTransactionInfo") { $0.text }])
    }

    func appTransaction(of person: String, app: String?) throws -> SignedAppTransaction {
        SignedAppTransaction(text: try store.appTransaction(of: CustomerID(rawValue: person), app: app))
    }

    struct Receipt: JSONShaped {
        let bytes: [UInt8]

        static let shape = JSONShape<Self>([.member("receipt-data") { StandardBase64.encode($0.bytes) }])
    }

    func receipt(of person: String, app: String?) throws -> Receipt {
        Receipt(bytes: try store.receipt(of: CustomerID(rawValue: person), app: app))
    }

    /// The statuses that the OCSP responder reports.
    struct Certificates: JSONShaped {
        let leaf: OCSPResponder.Verdict
        let intermediate: OCSPResponder.Verdict

        static let shape = JSONShape<Self>(
            "Certificates",
            [
                .member("leaf", as: OCSPResponder.Verdict.schema) { $0.leaf.rawValue },
                .member("intermediate", as: OCSPResponder.Verdict.schema) { $0.intermediate.rawValue },
            ])
    }

    var certificates: Certificates {
        Certificates(
            leaf: local.certificates.verdict(on: .leaf),
            intermediate: local.certificates.verdict(on: .intermediate))
    }

    // MARK: Changing

    /// Carries out a step, as in `{"step": "buy gold.monthly by anna"}`, or several with `steps`, up to the first
    /// failure.
    func carryOut(_ body: [UInt8]) async throws -> StepResults {
        let texts = try Self.steps(in: JSONObject.reading(body))
        let before = store.happeningCount
        var outcomes: [StepOutcome] = []
        for text in texts {
            let step = try local.scenario.step(typed: text, people: ScenarioPeople(of: store))
            outcomes.append(StepOutcome(outcome: try await local.carryOut(step)))
        }
        return StepResults(now: store.now, outcomes: outcomes, happenings: store.happenings(after: before))
    }

    struct StepResults: JSONShaped {
        let now: Instant
        let outcomes: [StepOutcome]
        let happenings: [Happening]

        static let shape = JSONShape<Self>([
            .member("now") { $0.now }, .member("outcomes") { $0.outcomes }, .member("happenings") { $0.happenings },
        ])
    }

    /// The result of a step; without members unless the step is a purchase.
    struct StepOutcome: JSONShaped {
        let outcome: PurchaseOutcome?

        static let shape = JSONShape<Self>(
            "Outcome",
            [
                .member("outcome", as: .words(["purchased", "alreadyOwned", "pending", "cancelled", "failed"])) {
                    $0.word
                },
                .member("transactionID") { $0.outcome?.transactionID }, .member("reason") { $0.reason },
                .member("message") { $0.error?.message },
            ])

        private var word: String? {
            switch outcome {
            case .purchased: "purchased"
            case .alreadyOwned: "alreadyOwned"
            case .pending: "pending"
            case .userCancelled: "cancelled"
            case .failed: "failed"
            case nil: nil
            }
        }

        private var reason: String? {
            if case .pending(let reason, _) = outcome { reason.rawValue } else { error?.code.rawValue }
        }

        private var error: PurchaseError? { if case .failed(let error) = outcome { error } else { nil } }
    }

    /// Sets the status that the OCSP responder reports for a certificate, as in `{"leaf": "revoked"}`.
    func setCertificates(_ body: [UInt8]) throws(APIError) -> Certificates {
        var wishes: [(OCSPResponder.Verdict, RevocationReport.Place)] = []
        for member in try JSONObject.reading(body) {
            let place: RevocationReport.Place
            switch member.name {
            case "leaf": place = .leaf
            case "intermediate": place = .intermediate
            default: throw .badRequest("'\(member.name)' is not a certificate: write leaf or intermediate")
            }
            guard let verdict = member.value.string.flatMap(OCSPResponder.Verdict.init) else {
                let words = OCSPResponder.Verdict.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("the status of a certificate must be one of \(words)")
            }
            wishes.append((verdict, place))
        }
        for (verdict, place) in wishes { local.certificates.set(verdict, on: place) }
        return certificates
    }

    // MARK: Parts

    /// Returns the texts of the member `step` or `steps`; exactly one of these members must be present.
    private static func steps(in body: JSONObject) throws(APIError) -> [String] {
        var (texts, members) = ([String](), 0)
        for member in body {
            members += 1
            switch (member.name, member.value.string, member.value.array) {
            case ("step", let text?, _): texts.append(text)
            case ("steps", _, let list?):
                for element in list {
                    guard let text = element.string else { throw .badRequest("a step must be a text") }
                    texts.append(text)
                }
            default:
                throw .badRequest("'\(member.name.prefix(64))' must be 'step' with a text, or 'steps' with an array")
            }
        }
        guard !texts.isEmpty, members == 1 else {
            throw .badRequest("write {\"step\": \"buy gold.monthly by anna\"}, or steps")
        }
        return texts
    }
}

extension OCSPResponder.Verdict {
    /// The schema of the word for a verdict.
    static let schema = JSONSchema.words(of: OCSPResponder.Verdict.self).named("Verdict")
}
