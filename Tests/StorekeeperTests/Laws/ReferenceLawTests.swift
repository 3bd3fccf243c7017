import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that a timeline has, at every instant, the answer of a naive model of the rules.
@Suite("Agreement of the engine and the naive model") struct ReferenceLawTests {
    struct Choices: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var engine: EntitlementPolicy
        var model: ReferencePolicy
        /// Whether a chain may contain subscriptions of several groups.
        var mixesGroups = false

        init(
            _ name: String, mixesGroups: Bool = false,
            _ change: (inout EntitlementPolicy, inout ReferencePolicy) -> Void = { _, _ in }
        ) {
            testDescription = name
            self.mixesGroups = mixesGroups
            engine = EntitlementPolicy()
            model = ReferencePolicy()
            change(&engine, &model)
        }
    }

    static let policies = [
        Choices("the defaults"),
        Choices("no grace, leeway of an hour") { engine, model in
            engine.gracePeriodEntitles = false
            model.graceEntitles = false
            engine.renewalLeeway = .seconds(3_600)
            model.renewalLeeway = 3_600_000
        },
        Choices("billing retry entitles, sandbox accepted") { engine, model in
            engine.billingRetryEntitles = true
            model.billingRetryEntitles = true
            engine.environments[.sandbox] = .grant
            model.environments.insert(.sandbox)
        },
        Choices("chains of several groups", mixesGroups: true),
    ]

    @Test(
        "The engine and the model agree on products, features, groups and balances at all instants", arguments: policies
    )
    func agreement(_ choices: Choices) {
        checkProperty(
            "engine and model agree (\(choices.testDescription))", cases: 120,
            generate: HistoryGenerator(mixesGroups: choices.mixesGroups).generate, shrink: \.smaller
        ) { evidence in
            let differences = try Self.differences(evidence, choices)
            if let first = differences.first { throw Disagreement(description: first) }
            return true
        }
    }

    @Test("They agree on features for customers of the paid app and for paid periods", arguments: policies)
    func agreementOnPaidApp(_ choices: Choices) {
        checkProperty(
            "engine and model agree on paid apps (\(choices.testDescription))", cases: 120,
            generate: { random in
                HistoryGenerator(mixesGroups: choices.mixesGroups).generate(&random).withPaidApp(&random)
            }, shrink: \.smaller
        ) { evidence in
            let differences = try Self.differences(evidence, choices)
            if let first = differences.first { throw Disagreement(description: first) }
            return true
        }
    }

    struct Disagreement: Error, CustomStringConvertible { let description: String }

    /// Returns the differences between the engine and the model as text.
    static func differences(_ evidence: GeneratedEvidence, _ choices: Choices) throws -> [String] {
        let model = try ReferenceModel(evidence, policy: choices.model)
        let resolution = try evidence.resolution(policy: choices.engine)
        let candidates = model.candidateInstants
        var found: [String] = []
        func compare<Value: Equatable>(_ what: @autoclosure () -> String, _ engine: Value, _ model: Value) {
            if engine != model { found.append("\(what()): engine \(engine), model \(model)") }
        }
        let diagnostics = EvidenceDiagnostics(
            PurchaseHistory(items: try evidence.items()),
            resolver: EntitlementResolver(catalog: evidence.catalog, policy: choices.engine)
        ).diagnostics(at: .day(0), now: .day(0)).map(\.code)
        compare("several customers", diagnostics.contains(.severalCustomers), model.namesSeveralCustomers)
        compare(
            "conflicting types", diagnostics.contains(.conflictingType),
            model.productIDs.contains { model.answer(product: $0, at: .day(0)).reason == "conflictingType" })
        compare("groups", resolution.groups.map(\.group.id), model.groupIDs)
        for instant in evidence.instantsOfInterest(policy: choices.model) {
            for id in model.productIDs {
                let timeline = resolution.product(id)?.timeline ?? Timeline(.never)
                compare(
                    "\(id) at \(instant)", ReferenceAnswer(timeline.value(at: instant)),
                    model.answer(product: id, at: instant))
            }
            for feature in resolution.features {
                let answer = feature.timeline.value(at: instant)
                compare(
                    "feature \(feature.id) at \(instant)",
                    ReferenceFeatureAnswer(
                        answer: answer.answer.word, reason: answer.answer.reasonWord, by: answer.productID),
                    model.feature(feature.id, at: instant))
            }
            let statuses = model.statuses(at: instant)
            for group in resolution.groups {
                let id = group.group.id
                compare(
                    "statuses of \(id) at \(instant)",
                    Set(group.statuses(at: instant).map { ReferenceStatus($0, of: id, at: instant) }),
                    Set(statuses.filter { $0.groupID == id }))
                compare(
                    "highest of \(id) at \(instant)",
                    group.highest(at: instant).map { ReferenceStatus($0, of: id, at: instant) },
                    model.highest(group: id, at: instant))
            }
            compare(
                "balances at \(instant)",
                resolution.balances.map { balance in
                    let totals = balance.totals(at: instant)
                    return ReferenceBalance(
                        id: balance.id, credited: totals.credited, clawedBack: totals.clawedBack,
                        balance: totals.balance)
                }, model.consumables(at: instant))
            if !found.isEmpty { return found }
        }
        // The model needs long to find runs and next changes, so these are compared only at some instants.
        for instant in candidates.enumerated().filter({ $0.offset.isMultiple(of: 7) }).map(\.element) {
            for id in model.productIDs {
                let run = (resolution.product(id)?.timeline ?? Timeline(.never)).run(at: instant)
                let expected = model.run(product: id, at: instant, candidates: candidates)
                compare("run of \(id) at \(instant)", ReferenceRun(since: run.from, until: run.to), expected)
            }
            for feature in resolution.features {
                let run = feature.timeline.run(at: instant)
                let expected = model.run(feature: feature.id, at: instant, candidates: candidates)
                compare(
                    "run of feature \(feature.id) at \(instant)", ReferenceRun(since: run.from, until: run.to), expected
                )
            }
            compare(
                "next change after \(instant)", resolution.nextChange(after: instant),
                model.nextChange(after: instant, candidates: candidates))
        }
        return found
    }
}

extension ReferenceAnswer {
    /// Converts an answer of the engine into the form of the model.
    init(_ answer: EntitlementAnswer) {
        let transaction = answer.basis?.transaction
        self.init(
            answer: answer.word, reason: answer.reasonWord, transactionID: transaction?.id.rawValue,
            originalTransactionID: transaction?.originalID.rawValue, ownership: transaction?.ownershipType.word,
            environment: transaction?.environment.rawValue)
    }
}

extension ReferenceStatus {
    /// Converts a status of the engine into the form of the model.
    fileprivate init(_ status: SubscriptionStatus, of groupID: SubscriptionGroup.ID, at instant: Instant) {
        let transaction = status.transaction
        self.init(
            groupID: groupID, originalTransactionID: transaction.originalID.rawValue,
            environment: transaction.environment.rawValue, transactionID: transaction.id.rawValue,
            productID: transaction.productID, state: status.state.rawValue, entitled: status.isEntitled,
            groupLevel: status.groupLevel, ownership: transaction.ownershipType.word)
        willAutoRenew = status.renewalInfo?.autoRenewStatus?.isOn
        autoRenewProductID = status.renewalInfo?.autoRenewProductID
        expires = transaction.expiresAt
        gracePeriodExpires = status.gracePeriodExpiresAt
        inBillingRetry = status.isInBillingRetry(at: instant)
        expirationReason = status.expirationReason?.word
    }
}
