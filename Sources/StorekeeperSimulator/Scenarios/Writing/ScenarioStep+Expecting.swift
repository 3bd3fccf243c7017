package import Storekeeper

extension ScenarioStep {
    /// Creates a step that checks expectations.
    package init(expecting expectations: [ScenarioExpectation], app: String? = nil) {
        self.init(.expect(expectations), text: "", app: app)
        text = Scenario.line(of: ScenarioWriter().pairs(of: self))
    }
}

extension Scenario {
    /// Parses an expectation that a person typed after `expect`, such as `entitled pro because active for anna`.
    ///
    /// - Throws: ``ScenarioError`` with all errors.
    package func expectation(typed text: String, people: [CustomerID]) throws(ScenarioError) -> ScenarioStep {
        let step = try step(typed: "expect \(text)", people: people)
        // Drop the line of the typed step, because the expectation is not from a file.
        return ScenarioStep(step.action, text: step.text, app: step.app)
    }

    /// Returns an expectation as a person would type it after `expect`; `nil` if the expectation cannot be typed, for
    /// example because a name contains a quotation mark.
    package func typed(_ expectation: ScenarioExpectation, app: String? = nil) -> String? {
        var parts: [String]
        switch expectation {
        case .answer, .offer, .highest, .state, .balance: parts = [Self.quoted(expectation.text)]
        case .receipt(let answer): parts = ["receipt", Self.quoted(answer.text)]
        case .signed(let signed):
            parts = ["signed", signed.document.rawValue]
            for member in signed.members {
                parts += [member.name, member.value.text].map { Self.quoted($0, isOneToken: true) }
            }
            switch signed.reference {
            case .id(let id)?: parts.append("purchase " + Self.quoted("transaction \(id.rawValue)"))
            case .latest(let product, _)?: parts.append("purchase " + Self.quoted(product.rawValue))
            case nil: break
            }
        case .notifications, .happened, .events: return nil
        }
        if let person = expectation.person { parts.append("for " + Self.quoted(person.rawValue)) }
        if let app { parts.append("app " + Self.quoted(app)) }
        let text = parts.joined(separator: " ")
        let people = [expectation.person].compactMap(\.self)
        guard let again = try? self.expectation(typed: text, people: people), again.app == app,
            again.action == .expect([expectation])
        else { return nil }
        return text
    }

    /// The words that are read as keys, and not as values, in a typed expectation.
    private static let expectationKeys = Set(
        StepKind.commonKeys + StepKind.all.filter { $0.name.hasPrefix("expect") }.flatMap(\.keys))
    private static let reserved = expectationKeys.union(ScenarioExpectation.Signed.Document.allCases.map(\.rawValue))

    /// Returns a value as a person would type it in an expectation.
    ///
    /// The value is in quotation marks if it would otherwise be misread, for example as a key.
    private static func quoted(_ text: String, isOneToken: Bool = false) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // In `purchase transaction 12`, the word 'transaction' is part of a value and not the name of another document.
        let isRead = words.allSatisfy { word in
            !word.isEmpty && !word.contains(where: \.isWhitespace) && !word.hasSuffix(":")
        }
        let isReserved =
            isOneToken ? words.count > 1 || reserved.contains(text) : words.contains(where: expectationKeys.contains)
        return isRead && !isReserved ? text : "\"\(text)\""
    }
}

extension ScenarioExpectation.Signed {
    /// Returns the members of a signed payload with their current values, in the order of the names.
    ///
    /// Absent members, objects and lists are left out.
    package static func members(
        _ names: [String], of document: Document, in payload: JSONObject
    ) -> [Member] {
        names.compactMap { name in
            guard let kind = document.members[name], let value = payload[name], !value.isNull else { return nil }
            let read: Value? =
                switch kind {
                case .text: value.string.map { .text($0) }
                case .whole: value.int64.map { .whole($0) }
                case .flag: value.bool.map { .flag($0) }
                case .date: value.int64.flatMap { Instant(millisecondsSince1970: $0) }.map { .time($0) }
                case .list, .object: nil
                }
            return read.map { Member(name, $0) }
        }
    }
}
