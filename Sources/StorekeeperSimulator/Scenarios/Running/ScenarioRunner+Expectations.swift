import Storekeeper
import StorekeeperJWS

extension ScenarioRunner {
    /// Checks the result of a purchase.
    mutating func check(_ outcome: PurchaseOutcome?, of step: ScenarioStep) async throws {
        if let name = step.name {
            guard let id = outcome?.transactionID else {
                addEntry(
                    .expectation(isMet: false, expected: "a transaction to call \(name)", found: "none"), step: step)
                return
            }
            names[name] = id
        }
        let found = outcome?.text ?? "nothing"
        if let expected = step.outcome {
            let isMet = found == expected || found.hasPrefix(expected + " ")
            addEntry(.expectation(isMet: isMet, expected: "outcome \(expected)", found: "outcome \(found)"), step: step)
        } else if case .failed = outcome, step.error == nil {
            addEntry(.expectation(isMet: false, expected: "a purchase that succeeds", found: found), step: step)
        } else if outcome != nil {
            addEntry(.outcome(found), step: step)
        }
    }

    /// Checks an expectation.
    ///
    /// Answers are those of now, which may be a moment later than the clock: evidence is signed later than what it
    /// replaces, so directly after a step the newest signature may be ahead of the clock.
    mutating func check(_ expectation: ScenarioExpectation, step: ScenarioStep) async throws {
        switch expectation {
        case .answer(let answer):
            let snapshot = try await store(of: answer.person, app: step.app).snapshot
            check(answer, in: snapshot, step: step, as: ScenarioExpectation.answer)
        case .receipt(let answer):
            let snapshot = try receiptSnapshot(of: answer.person, app: step.app)
            check(answer, in: snapshot, step: step, as: ScenarioExpectation.receipt)
        case .offer(let offer):
            let engine = try await store(of: offer.person, app: step.app)
            let answers = try await engine.offers(at: engine.snapshot.now(byClock: store.now))
            let row = answers.rows.first {
                $0.productID == offer.product && $0.offer.kind == offer.offer.kind
                    && (offer.offer.id == nil || $0.offer.id == offer.offer.id)
            }
            var found = offer
            found.word = row?.answer.word ?? "none"
            found.reason = row?.answer.reasonWord
            (found.until, found.isEndless) = (row?.until, row != nil && row?.until == nil)
            let isMet =
                found.word == offer.word && (offer.reason == nil || found.reason == offer.reason)
                && (offer.until == nil || found.until == offer.until) && (!offer.isEndless || found.isEndless)
            addEntry(
                .expectation(isMet: isMet, expected: offer.text, found: found.text), step: step, person: offer.person)
        case .highest(let group, let product, let person):
            let snapshot = try await store(of: person, app: step.app).snapshot
            let status = snapshot.highestStatus(group: group, at: snapshot.now(byClock: store.now))
            let found = status?.transaction.productID
            addEntry(
                .expectation(
                    isMet: found == product, expected: "highest \(group) \(product ?? "none")",
                    found: "highest \(group) \(found ?? "none")\(status.map { ", \($0.state.rawValue)" } ?? "")"),
                step: step, person: person)
        case .state(let subject, let state, let person):
            let snapshot = try await store(of: person, app: step.app).snapshot
            let now = snapshot.now(byClock: store.now)
            let group = snapshot.resolution.catalog.group(containing: Product.ID(subject))
            let statuses = snapshot.subscriptionStatuses(group: group?.id.rawValue ?? subject, at: now)
            let status =
                group == nil
                ? snapshot.highestStatus(group: subject, at: now)
                : statuses.first { $0.transaction.productID == Product.ID(subject) }
            addEntry(
                .expectation(
                    isMet: status?.state == state, expected: "state \(subject) \(state.rawValue)",
                    found: "state \(subject) \(status?.state.rawValue ?? "none")"),
                step: step, person: person)
        case .balance(let name, let amount, let person):
            let found = try await store(of: person, app: step.app).balance(of: name).amount
            addEntry(
                .expectation(
                    isMet: found == amount, expected: "balance \(name) \(amount)", found: "balance \(name) \(found)"),
                step: step, person: person)
        case .notifications(let expected, let person):
            let news = news(.notifications(person), of: person).compactMap(\.notification)
            compare("notifications", expected, news, step: step, person: person)
        case .happened(let expected, let person):
            let news = news(.happened(person), of: person).map { "\($0.kind)" }
            compare("happened", expected, news, step: step, person: person)
        case .events(let expected, let person):
            let (key, changes) = try await changes(of: person, app: step.app)
            let seen = checkedCounts[.events(key)] ?? 0
            checkedCounts[.events(key)] = changes.count
            compare("events", expected, changes.dropFirst(seen).map(\.text), step: step, person: person)
        case .signed(let signed): try check(signed, step: step)
        }
    }

    private mutating func check(
        _ answer: ScenarioExpectation.Answer, in snapshot: StoreSnapshot, step: ScenarioStep,
        as expectation: (ScenarioExpectation.Answer) -> ScenarioExpectation
    ) {
        let now = snapshot.now(byClock: store.now)
        let (product, feature) = (Product.ID(answer.subject), Feature.ID(answer.subject))
        let isFeature = snapshot.resolution.catalog.product(product) == nil
        let entitlement = isFeature ? snapshot.feature(feature, at: now) : snapshot.entitlement(for: product, at: now)
        var found = answer
        (found.word, found.reason) = (entitlement.word, entitlement.reasonWord)
        found.until =
            isFeature
            ? snapshot.resolution.feature(feature)?.timeline.nextChange(after: now)
            : snapshot.resolution.product(product)?.timeline.nextChange(after: now)
        found.isEndless = found.until == nil
        let isMet =
            found.word == answer.word && (answer.reason == nil || found.reason == answer.reason)
            && (answer.until == nil || found.until == answer.until) && (!answer.isEndless || found.isEndless)
        addEntry(
            .expectation(isMet: isMet, expected: expectation(answer).text, found: expectation(found).text), step: step,
            person: answer.person)
    }

    /// Returns the answers of an engine whose only evidence is the app receipt of a customer's device.
    private func receiptSnapshot(of person: CustomerID, app: String?) throws -> StoreSnapshot {
        let index = index(ofApp: app)
        let app = scenario.apps[index]
        let checked = ReceiptVerifier(verifiers[index].configuration).verify(
            try store.receipt(of: person, app: app.bundleID))
        if checked.receipt == nil, let error = checked.error {
            throw SimulatorError(.invalidAction, "the receipt of '\(person)' cannot be read: \(error)")
        }
        var history = PurchaseHistory()
        _ = history.merge(checked.evidence(catalog: app.catalog))
        let resolver = EntitlementResolver(catalog: app.catalog, policy: scenario.policy)
        // A receipt lists every purchase except finished consumables, so a product that is not in the receipt counts as
        // never bought.
        return StoreSnapshot(
            customer: person, resolution: resolver.resolve(history), freshness: Freshness(syncedAt: store.now))
    }

    /// Returns the happenings of a person, or of all people, since the last check of the list.
    private mutating func news(_ list: CheckedList, of person: CustomerID?) -> [Happening] {
        let news = store.happenings(after: checkedCounts[list] ?? 0)
        checkedCounts[list] = store.happeningCount
        return person.map { person in news.filter { $0.customer == person } } ?? news
    }

    private mutating func compare(
        _ word: String, _ expected: [String], _ found: [String], step: ScenarioStep, person: CustomerID?
    ) {
        func list(_ items: [String]) -> String { "\(word) [\(items.joined(separator: ", "))]" }
        addEntry(
            .expectation(isMet: expected == found, expected: list(expected), found: list(found)), step: step,
            person: person)
    }
}
