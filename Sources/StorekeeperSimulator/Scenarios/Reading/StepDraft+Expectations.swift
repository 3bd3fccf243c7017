import Storekeeper

extension StepDraft {
    /// Reads one expectation or a list of expectations.
    ///
    /// If one expectation has an error, the other expectations are still read.
    func expectations(
        _ read: (ScenarioNode, CustomerID) throws(ScenarioError) -> ScenarioExpectation
    ) throws(ScenarioError) -> [ScenarioExpectation] {
        let person = person()
        let expectations = value.elements.compactMap { node in
            node.attempt { () throws(ScenarioError) in try read(node, person) }
        }
        if value.elements.isEmpty { throw key.error("nothing is expected", "write it like 'entitled pro'") }
        return expectations
    }

    /// Returns the person whom the step names; `nil` if the step names none, and therefore concerns everyone.
    func namedPerson() -> CustomerID? {
        StepKind.personKeys.contains { members[$0] != nil } ? person() : nil
    }

    func list(among known: [String]) -> [String] {
        value.elements.compactMap { node in
            guard let text = node.attempt({ () throws(ScenarioError) in try node.text(word) }) else { return nil }
            if !known.contains(text) {
                node.addMistake("there is no '\(text)'", NearestWord.advice(for: text, among: known))
            }
            return text
        }
    }

    static let answers = ["entitled", "pending", "lapsed", "never", "unknown"]

    func expectation(
        _ node: ScenarioNode, of person: CustomerID
    ) throws(ScenarioError) -> ScenarioExpectation {
        let words = try node.text("expect").split(separator: " ").map(String.init)
        guard let first = words.first else { throw node.error("nothing is expected", "write it like 'entitled pro'") }
        switch (first, words.count) {
        case ("balance", 3):
            guard let amount = Int64(words[2]) else {
                throw node.error("'\(words[2])' is not a number", "write digits only")
            }
            let name = Balance.ID(words[1])
            check(balance: name, at: node)
            return .balance(name, amount: amount, person: person)
        case ("highest", 3...):
            // The name of a subscription group may contain spaces.
            let group = words[1..<words.count - 1].joined(separator: " ")
            try check(group: group, at: node)
            let product = words[words.count - 1]
            if product == "none" { return .highest(group: group, product: nil, person: person) }
            try check(product, among: catalog.products.map(\.id.rawValue), at: node)
            return .highest(group: group, product: Product.ID(product), person: person)
        case ("state", 3...):
            let subject = words[1..<words.count - 1].joined(separator: " ")
            let word = words[words.count - 1]
            guard let state = RenewalState(rawValue: word) else {
                throw node.error(
                    "'\(word)' is not a valid state",
                    NearestWord.advice(for: word, among: RenewalState.allCases.map(\.rawValue)))
            }
            if catalog.product(Product.ID(subject)) == nil { try check(group: subject, at: node) }
            return .state(subject: subject, state: state, person: person)
        case ("offer", 4...): return .offer(try offer(words, person: person, at: node))
        case (_, 2...) where Self.answers.contains(first):
            return .answer(try answer(first, words, person: person, at: node))
        default:
            let known = ScenarioExpectation.words
            throw node.error(
                "'\(words.joined(separator: " "))' is not a valid expectation",
                known.contains(first)
                    ? "write it like 'entitled pro because active until 2026-03-01' or 'balance coins 100'"
                    : NearestWord.advice(for: first, among: known))
        }
    }

    /// Reads the expected answer of an engine whose only evidence is a receipt; this answer cannot be `pending`.
    func receiptAnswer(
        _ node: ScenarioNode, of person: CustomerID
    ) throws(ScenarioError) -> ScenarioExpectation.Answer {
        guard case .answer(let answer) = try expectation(node, of: person), answer.word != "pending" else {
            throw node.error(
                "a receipt gives no such answer", "begin with entitled, lapsed, never or unknown, as in 'entitled pro'")
        }
        return answer
    }

    private func answer(
        _ word: String, _ words: [String], person: CustomerID, at node: ScenarioNode
    ) throws(ScenarioError) -> ScenarioExpectation.Answer {
        let subjects = catalog.products.map(\.id.rawValue) + catalog.features.map(\.id.rawValue)
        try check(words[1], among: subjects, at: node)
        let details = try details(words.dropFirst(2), of: word, reasons: Self.reasons[word] ?? [], at: node)
        return ScenarioExpectation.Answer(
            subject: words[1], word: word, reason: details.reason, until: details.until,
            isEndless: details.isEndless, person: person)
    }

    /// Reads the reason and the end of access, which follow the state and the product in an expected answer, such as
    /// `entitled pro until 2026-03-01`.
    func details(
        _ words: ArraySlice<String>, of word: String, reasons: [String], at node: ScenarioNode
    ) throws(ScenarioError) -> (reason: String?, until: Instant?, isEndless: Bool) {
        var details: (reason: String?, until: Instant?, isEndless: Bool) = (nil, nil, false)
        var rest = words
        while let key = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw node.error("nothing follows '\(key)'", "write 'because REASON' or 'until TIME'")
            }
            switch key {
            case "because":
                guard reasons.contains(value) else {
                    throw node.error(
                        "'\(value)' is not a valid reason of '\(word)'", NearestWord.advice(for: value, among: reasons))
                }
                details.reason = value
            case "until":
                guard let instant = Instant(value) else {
                    throw node.error(
                        "'\(value)' is not a valid time", "write it like 2026-03-01T09:30:00Z or 2026-03-01")
                }
                details.until = instant
            case "without" where value == "end": details.isEndless = true
            default:
                throw node.error("'\(key)' is not understood", "write 'because REASON', 'until TIME' or 'without end'")
            }
        }
        return details
    }

    static let reasons: [String: [String]] = [
        "entitled": ["active", "owned", "gracePeriod", "renewalLeeway", "granted", "paidApp"],
        "pending": ["askToBuy", "bankApproval"],
        "lapsed": [
            "expired", "billingRetry", "refunded", "familySharingEnded", "assignmentEnded", "upgraded", "movedToBundle",
        ],
        "never": ["noPurchase"], "unknown": ["neverSynced", "unverified", "backendFailed"],
    ]

    func check(_ id: String, among known: [String], at node: ScenarioNode) throws(ScenarioError) {
        guard knowsProducts, !known.contains(where: { $0.hasSameBytes(as: id) }) else { return }
        throw node.error("the catalog has no '\(id)'", NearestWord.advice(for: id, among: known))
    }

    private func check(group: String, at node: ScenarioNode) throws(ScenarioError) {
        let known = catalog.groups.flatMap { [$0.id.rawValue] + [$0.name].compactMap { $0 } }
        try check(group, among: known, at: node)
    }
}

extension HappeningKind {
    /// The notification's type and subtype as one word, such as `EXPIRED/VOLUNTARY`.
    var notificationWord: String? {
        notification.map { type, subtype in subtype.map { "\(type)/\($0)" } ?? type }
    }
}
