import Storekeeper

extension StepKind.Key {
    static let key = StepKey<String>.text("key")
    static let until = StepKey<Instant>.instant("until", placeholder: "").required()
    static let purchase = StepKey<String>.text("purchase")
}

extension StepKind {
    /// The steps that change a customer's account in an engine, and those that check the engines and the App Store.
    static let ofEngines: [StepKind] = [
        StepKind("spend", .amount, "subtracts from a balance", [Key.key]) { step throws(ScenarioError) in
            let (person, key) = (step.person(), step[Key.key].map { LedgerRequest.Key($0) })
            let (number, balance) = try step.amount()
            step.check(balance: balance, at: step.value)
            return .spend(number, of: balance, by: person, key: key)
        } writesAction: { action, _ in
            if case .spend(let number, let balance, let person, let key) = action {
                .text("\(number) \(balance)", ScenarioWriter.by(person), Key.key(key?.rawValue))
            } else {
                nil
            }
        },
        StepKind("grant", .amount, "adds to a balance", [Key.key]) { step throws(ScenarioError) in
            let (person, key) = (step.person(), step[Key.key].map { LedgerRequest.Key($0) })
            let (number, balance) = try step.amount()
            return .grant(number, of: balance, to: person, key: key)
        } writesAction: { action, _ in
            if case .grant(let number, let balance, let person, let key) = action {
                .text("\(number) \(balance)", ScenarioWriter.for(person), Key.key(key?.rawValue))
            } else {
                nil
            }
        },
        StepKind(
            "grant access", .access, "gives access without a purchase", [Key.until, Key.key]
        ) { step throws(ScenarioError) in
            let (person, key) = (step.person(), step[Key.key].map { AccessGrant.ID($0) })
            let end = step[Key.until] ?? .distantFuture
            return .grantAccess(try step.accessSubject(), to: person, until: end, key: key)
        } writesAction: { action, _ in
            if case .grantAccess(let subject, let person, let end, let key) = action {
                .text(subject.name, ScenarioWriter.for(person), Key.until(end), Key.key(key?.rawValue))
            } else {
                nil
            }
        },
        StepKind("revoke access", .accessKey, "ends access that was granted with a key") { step throws(ScenarioError) in
            let person = step.person()
            return .revokeAccess(AccessGrant.ID(try step.value.text(step.word)), of: person)
        } writesAction: { action, _ in
            if case .revokeAccess(let key, let person) = action {
                .text(key.rawValue, ScenarioWriter.for(person))
            } else {
                nil
            }
        },
        expectation("expect", .answers, "checks the engine's answers") { step throws(ScenarioError) in
            try step.expectations { node, person throws(ScenarioError) in try step.expectation(node, of: person) }
        } writes: { expectations in
            switch expectations.first {
            case .answer?, .offer?, .highest?, .state?, .balance?: .oneOrList(expectations.map(\.text))
            default: nil
            }
        },
        expectation(
            "expect receipt", .receiptAnswers, "checks the answers that the app receipt gives by itself"
        ) { step throws(ScenarioError) in
            try step.expectations { node, person throws(ScenarioError) in
                .receipt(try step.receiptAnswer(node, of: person))
            }
        } writes: { expectations in
            guard case .receipt? = expectations.first else { return nil }
            return .oneOrList(
                expectations.compactMap { if case .receipt(let answer) = $0 { answer.text } else { nil } })
        },
        StepKind(
            "expect signed", .members, "checks members of signed data", [Key.purchase]
        ) { step throws(ScenarioError) in
            .expect(try step.signedExpectations())
        } writesAction: { action, writer in
            guard case .expect(let expectations) = action, case .signed(let first)? = expectations.first else {
                return nil
            }
            let documents = expectations.compactMap { if case .signed(let signed) = $0 { signed.mapping } else { nil } }
            return StepValues(
                .mapping(documents),
                [Key.purchase(first.reference.map(writer.text)), first.person.map(ScenarioWriter.for)])
        },
        expectation(
            "notifications", .notifications, "checks that exactly these were sent since the last check"
        ) { step in
            let known = Set(HappeningKind.allCases.compactMap(\.notificationWord))
            return [.notifications(step.list(among: known.sorted()), person: step.namedPerson())]
        } writes: {
            if case .notifications(let items, _)? = $0.first { .list(items) } else { nil }
        },
        expectation(
            "happened", .happenings, "checks that exactly this happened since the last check"
        ) { step in
            [.happened(step.list(among: HappeningKind.allCases.map { "\($0)" }), person: step.namedPerson())]
        } writes: {
            if case .happened(let items, _)? = $0.first { .list(items) } else { nil }
        },
        expectation(
            "events", .events, "checks the engine's exact events since the last check"
        ) { step throws(ScenarioError) in
            let person = step.person()
            return [.events(try step.value.texts(step.word), person: person)]
        } writes: {
            if case .events(let items, _)? = $0.first { .list(items) } else { nil }
        },
    ]

    /// A step that checks expectations about one person, or about everyone.
    private static func expectation(
        _ name: String, _ subject: StepSubject, _ help: String,
        reads expectations: @escaping @Sendable (StepDraft) throws(ScenarioError) -> [ScenarioExpectation],
        writes value: @escaping @Sendable ([ScenarioExpectation]) -> ScenarioWriter.Value?
    ) -> StepKind {
        StepKind(name, subject, help) { step throws(ScenarioError) in
            .expect(try expectations(step))
        } writesAction: { action, _ in
            guard case .expect(let expectations) = action, let value = value(expectations) else { return nil }
            return StepValues(value, [expectations.first?.person.map(ScenarioWriter.for)])
        }
    }
}

extension ScenarioExpectation.Signed {
    /// The document and its expected members, as YAML.
    fileprivate var mapping: [String] {
        let members = members.map { "\(Scenario.scalar($0.name)): \(Scenario.scalar($0.value.text))" }
        return [document.rawValue, "{ \(members.joined(separator: ", ")) }"]
    }
}
