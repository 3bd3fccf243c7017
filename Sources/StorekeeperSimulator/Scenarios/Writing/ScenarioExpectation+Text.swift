package import Storekeeper

extension ScenarioExpectation {
    /// The expectation in one line, in the notation of scenarios.
    var text: String {
        switch self {
        case .answer(let answer): answer.text
        case .receipt(let answer): "receipt \(answer.text)"
        case .offer(let offer): offer.text
        case .highest(let group, let product, _): "highest \(group) \(product ?? "none")"
        case .state(let subject, let state, _): "state \(subject) \(state.rawValue)"
        case .balance(let name, let amount, _): "balance \(name) \(amount)"
        case .notifications(let items, _), .happened(let items, _), .events(let items, _):
            items.joined(separator: ", ")
        case .signed(let signed): signed.text
        }
    }

    /// The person; `nil` if the expectation is about all people.
    package var person: CustomerID? {
        switch self {
        case .answer(let answer), .receipt(let answer): answer.person
        case .offer(let offer): offer.person
        case .highest(_, _, let person), .state(_, _, let person), .balance(_, _, let person), .events(_, let person):
            person
        case .notifications(_, let person), .happened(_, let person): person
        case .signed(let signed): signed.person
        }
    }
}

extension ScenarioExpectation.Answer {
    /// The expectation in the notation of scenarios.
    var text: String {
        "\(word) \(subject)" + ScenarioExpectation.details(reason, until: until, isEndless: isEndless)
    }
}

extension ScenarioExpectation.Offer {
    /// The expectation in the notation of scenarios.
    var text: String {
        let offer = ([offer.kind.rawValue] + [offer.id?.rawValue].compactMap(\.self)).joined(separator: " ")
        return "offer \(product) \(offer) \(word)"
            + ScenarioExpectation.details(reason, until: until, isEndless: isEndless)
    }
}

extension ScenarioExpectation {
    fileprivate static func details(_ reason: String?, until: Instant?, isEndless: Bool) -> String {
        let because = reason.map { " because \($0)" } ?? ""
        return because + (until.map { " until \($0.scenarioText)" } ?? "") + (isEndless ? " without end" : "")
    }
}

extension ScenarioExpectation.Signed.Value {
    /// The value in the notation of scenarios.
    package var text: String {
        switch self {
        case .absent: "none"
        case .present: "any"
        case .whole(let number): "\(number)"
        case .text(let text): text
        case .flag(let flag): flag ? "true" : "false"
        case .time(let instant): instant.scenarioText
        case .list(let items): items.joined(separator: ",")
        }
    }
}

extension ScenarioExpectation.Signed {
    /// The expectation in one line, such as `signed transaction offerType 3, price 4990`.
    var text: String {
        let members = members.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        return "signed \(subject) \(members)"
    }

    /// The subject of the check, in words.
    var subject: String {
        switch reference {
        case nil: document.rawValue
        case .id(let id): "\(document.rawValue) of \(id)"
        case .latest(let product, _): "\(document.rawValue) of \(product)"
        }
    }
}
