import FoundationEssentials
import Storekeeper

/// Writes steps in the notation of scenario files.
struct ScenarioWriter {
    /// The value of a key in a scenario file.
    enum Value: Hashable {
        case text(String)
        case list([String])
        /// The keys with their values, which are YAML.
        case mapping([[String]])
    }

    typealias Pairs = [(key: String, value: Value)]

    /// The names that earlier steps have given to purchases.
    var names: Set<String> = []

    /// Returns a step as keys and values; the first key is the step's keyword.
    func pairs(of step: ScenarioStep) -> Pairs {
        var pairs: Pairs
        switch step.action {
        case .perform(let commands):
            let settings = commands.compactMap { command -> SimulatorSetting? in
                if case .setSetting(let setting) = command { setting } else { nil }
            }
            if settings.count == commands.count, commands.count > 0 {
                pairs = [("set", Self.mapping(settings))]
            } else {
                pairs = commands.first.map(self.pairs) ?? []
            }
        case .answerGuardian(let isYes, let reference): pairs = subject(isYes ? "approve" : "decline", reference)
        case .advance(let span): pairs = [("advance", .text(span.text))]
        case .advanceToNextEvent: pairs = [("advance", .text("next event"))]
        case .advanceToNow: pairs = [("advance to", .text("now"))]
        case .spend(let number, let balance, let person, let key):
            pairs = [("spend", .text("\(number) \(balance)")), by(person)]
            if let key { pairs.append(("key", .text(key.rawValue))) }
        case .grant(let number, let balance, let person, let key):
            pairs = [("grant", .text("\(number) \(balance)")), ("for", .text(person.rawValue))]
            if let key { pairs.append(("key", .text(key.rawValue))) }
        case .grantAccess(let subject, let person, let end, let key):
            pairs = [
                ("grant access", .text(subject.name)), ("for", .text(person.rawValue)),
                ("until", .text(end.scenarioText)),
            ]
            if let key { pairs.append(("key", .text(key.rawValue))) }
        case .revokeAccess(let key, let person):
            pairs = [("revoke access", .text(key.rawValue)), ("for", .text(person.rawValue))]
        case .expect(let expectations): pairs = self.pairs(of: expectations)
        }
        for (key, value) in [("as", step.name), ("app", step.app), ("outcome", step.outcome), ("error", step.error)] {
            if let value { pairs.append((key, .text(value))) }
        }
        return pairs
    }

    static func mapping(_ settings: [SimulatorSetting]) -> Value {
        var members: [[String]] = []
        for setting in settings {
            let (key, value) = ScenarioSettings.text(setting)
            guard case .simulatedError = setting else {
                members.append([key, Scenario.scalar(value)])
                continue
            }
            // Errors are merged under one key: { A: x } and { B: y } become { A: x, B: y }.
            if let place = members.firstIndex(where: { $0[0] == key }) {
                members[place][1] = String(members[place][1].dropLast(2)) + ", " + String(value.dropFirst(2))
            } else {
                members.append([key, value])
            }
        }
        return .mapping(members)
    }

    // MARK: Expectations

    private func pairs(of expectations: [ScenarioExpectation]) -> Pairs {
        guard let first = expectations.first else { return [] }
        func pairs(_ word: String, _ value: Value) -> Pairs {
            [(word, value)] + (first.person.map { [("for", .text($0.rawValue))] } ?? [])
        }
        func value(_ texts: [String]) -> Value { texts.count == 1 ? .text(texts[0]) : .list(texts) }
        switch first {
        case .notifications(let items, _): return pairs("notifications", .list(items))
        case .happened(let items, _): return pairs("happened", .list(items))
        case .events(let items, _): return pairs("events", .list(items))
        case .signed: return signedPairs(of: expectations)
        case .receipt:
            let answers = expectations.compactMap { if case .receipt(let answer) = $0 { answer.text } else { nil } }
            return pairs("expect receipt", value(answers))
        case .answer, .offer, .highest, .state, .balance: return pairs("expect", value(expectations.map(\.text)))
        }
    }

    private func signedPairs(of expectations: [ScenarioExpectation]) -> Pairs {
        let signed = expectations.compactMap { expectation in
            if case .signed(let signed) = expectation { signed } else { nil }
        }
        let documents = signed.map { signed in
            let members = signed.members.map { "\(Scenario.scalar($0.name)): \(Scenario.scalar($0.value.text))" }
            return [signed.document.rawValue, "{ \(members.joined(separator: ", ")) }"]
        }
        var pairs: Pairs = [("expect signed", .mapping(documents))]
        switch signed.first?.reference {
        case .id(let id)?:
            let isName = names.contains(id.rawValue)
            pairs.append(("purchase", .text(isName ? id.rawValue : "transaction \(id.rawValue)")))
        case .latest(let product, _)?: pairs.append(("purchase", .text(product.rawValue)))
        case nil: break
        }
        if let person = signed.first?.person { pairs.append(("for", .text(person.rawValue))) }
        return pairs
    }

    // MARK: Parts

    func by(_ person: CustomerID) -> (key: String, value: Value) { ("by", .text(person.rawValue)) }

    func subject(_ word: String, _ reference: TransactionReference) -> Pairs {
        switch reference {
        case .id(let id):
            [(word, .text(names.contains(id.rawValue) ? id.rawValue : "transaction \(id.rawValue)"))]
        case .latest(let product, let person): [(word, .text(product.rawValue)), by(person)]
        }
    }

    func product(_ word: String, _ id: Product.ID, _ person: CustomerID) -> Pairs {
        [(word, .text(id.rawValue)), by(person)]
    }

    static func text(_ offer: OfferReference) -> String {
        ([offer.word] + [offer.id?.rawValue].compactMap { $0 }).joined(separator: " ")
    }

    /// Returns thousandths as a number with up to three decimals.
    static func decimal(_ thousandths: Int64) -> String {
        let rest = String(abs(thousandths % 1000))
        var digits = String(repeating: "0", count: 3 - rest.count) + rest
        while digits.hasSuffix("0") { digits.removeLast() }
        return digits.isEmpty ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(digits)"
    }

    static func flag(_ isOn: Bool) -> Value { .text(isOn ? "yes" : "no") }

    static func text(_ plan: BillingPlanType) -> Value { .text(plan == .monthly ? "monthly" : "up front") }

    func request(_ request: PurchaseRequest) -> Pairs {
        var pairs: Pairs = []
        if request.quantity != 1 { pairs.append(("quantity", .text("\(request.quantity)"))) }
        if let offer = request.offer { pairs.append(("offer", .text(Self.text(offer)))) }
        if let token = request.appAccountToken { pairs.append(("token", .text(token.uuidString.lowercased()))) }
        if let isEligible = request.introductoryEligibility { pairs.append(("introductory", Self.flag(isEligible))) }
        if let plan = request.billingPlan { pairs.append(("billing", Self.text(plan))) }
        if let asks = request.asksToBuy { pairs.append(("ask to buy", Self.flag(asks))) }
        if let date = request.purchaseDate { pairs.append(("date", .text(date.scenarioText))) }
        if !request.renewsUntilNow { pairs.append(("renews", Self.flag(false))) }
        if request.isCancelled { pairs.append(("cancelled", Self.flag(true))) }
        return pairs
    }
}
