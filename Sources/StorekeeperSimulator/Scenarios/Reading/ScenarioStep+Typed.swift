package import Storekeeper

extension Scenario {
    /// Reads a step that a person has typed in one line, such as `buy gold.monthly by anna as first`.
    ///
    /// The keywords are the same as in scenario files, but without colons. A value of several words must be in double
    /// quotes if one of the words is a keyword.
    ///
    /// - Parameters:
    ///   - text: One line.
    ///   - people: The existing people.
    ///   - names: The names that earlier steps have given to purchases.
    ///   - granted: The balances that earlier steps have credited, in addition to the balances of the catalog.
    /// - Throws: ``ScenarioError`` with all errors.
    package func step(
        typed text: String, people: [CustomerID], names: Set<String> = [], granted: Set<Balance.ID> = []
    ) throws(ScenarioError) -> ScenarioStep {
        try step(typed: text, people: ScenarioPeople(people), names: names, granted: granted)
    }

    /// Reads a typed step, with a list of people that the caller creates once for many steps.
    package func step(
        typed text: String, people: ScenarioPeople, names: Set<String> = [], granted: Set<Balance.ID> = []
    ) throws(ScenarioError) -> ScenarioStep {
        let tokens = Self.tokens(of: text)
        func fits(_ name: String) -> Bool {
            let words = name.split(separator: " ").map(String.init)
            return tokens.count >= words.count && zip(words, tokens).allSatisfy { $0 == $1.text && !$1.isQuoted }
        }
        guard let kind = StepKind.all.filter({ fits($0.name) }).max(by: { $0.name.count < $1.name.count }) else {
            let first = tokens.first?.text ?? ""
            throw ScenarioError(
                file: "input", "there is no step '\(first)'",
                remedy: NearestWord.advice(for: first, among: StepKind.all.map(\.name)))
        }
        var rest = tokens.dropFirst(kind.name.split(separator: " ").count)
        let known = kind.keys + StepKind.commonKeys
        var pairs: [(key: String, value: [Token])] = [(kind.name, [])]
        while let token = rest.first {
            // The longest matching key is used, so that 'ask to buy' is not read as 'to'.
            let key = known.filter { key in
                let words = key.split(separator: " ").map(String.init)
                return rest.count > words.count
                    && zip(words, rest).allSatisfy { $0 == $1.text && !$1.isQuoted }
            }.max { $0.count < $1.count }
            // The place of a fault may begin with the name of a key: 'app transaction' begins with 'app'.
            let isPlace = kind.subject == .fault && pairs.count == 1 && pairs[0].value.isEmpty
            if let key, !isPlace, !pairs.contains(where: { $0.key == key }) {
                pairs.append((key, []))
                rest = rest.dropFirst(key.split(separator: " ").count)
            } else {
                pairs[pairs.count - 1].value.append(token)
                rest = rest.dropFirst()
            }
        }
        let tree = StepTree()
        let mapping = pairs.enumerated().map { index, pair in
            (pair.key, tree.value(pair.value, of: index == 0 ? kind.subject : nil))
        }
        return try step(tree.map(mapping), people: people, names: names, granted: granted)
    }

    /// Reads a step from the fields of a form: the step's keyword with its value, and the other keys with their values.
    ///
    /// The keywords are the same as in scenario files. A value may contain keywords, which are not interpreted.
    ///
    /// - Parameters:
    ///   - word: The keyword, such as `buy`.
    ///   - value: The value after the keyword, such as `gold.monthly`; for `set`, the setting and its value.
    ///   - members: The keys and their values. In the value of a list, such as `storefronts`, commas separate the
    ///     elements.
    ///   - people: The existing people.
    /// - Throws: ``ScenarioError`` with all mistakes.
    package func step(
        word: String, value: String, members: [(key: String, value: String)], people: ScenarioPeople
    ) throws(ScenarioError) -> ScenarioStep {
        let tree = StepTree()
        let kind = StepKind.named(word)
        let mapping = members.map { key, value in
            guard kind?.parameters.first(where: { $0.name == key })?.isList == true else {
                return (key, tree.scalar(value))
            }
            return (key, tree.list(value.split { $0 == "," || $0.isWhitespace }.map(String.init)))
        }
        let subject = tree.value([Token(text: value, isQuoted: true)], of: kind?.subject)
        return try step(
            tree.map([(word, subject)] + mapping), people: people, names: [], granted: [])
    }

    private func step(
        _ node: ScenarioNode, people: ScenarioPeople, names: Set<String>, granted: Set<Balance.ID>
    ) throws(ScenarioError) -> ScenarioStep {
        var reader = StepReader(apps: apps, people: people, names: names, granted: granted)
        let step = reader.step(node)
        if let error = node.mistakes.error { throw error }
        guard let step else { throw ScenarioError(file: "input", "the step cannot be read", remedy: "type 'help'") }
        return step
    }

    fileprivate struct Token {
        var text: String
        var isQuoted: Bool
    }

    private static func tokens(of text: String) -> [Token] {
        var tokens: [Token] = []
        var token = Token(text: "", isQuoted: false)
        var isInside = false
        for character in text {
            if character == "\"" {
                isInside.toggle()
                token.isQuoted = true
            } else if character.isWhitespace, !isInside {
                if !token.text.isEmpty || token.isQuoted { tokens.append(token) }
                token = Token(text: "", isQuoted: false)
            } else {
                token.text.append(character)
            }
        }
        if !token.text.isEmpty || token.isQuoted { tokens.append(token) }
        // A colon after a keyword, as in scenario files, is ignored.
        for index in tokens.indices where !tokens[index].isQuoted && tokens[index].text.hasSuffix(":") {
            tokens[index].text.removeLast()
        }
        return tokens
    }
}

/// Creates the tree of nodes for a typed step.
private struct StepTree {
    private let mistakes = ScenarioMistakes(file: "input")

    func scalar(_ text: String) -> ScenarioNode { ScenarioNode(.scalar(text, isQuoted: false), in: mistakes) }

    func list(_ texts: [String]) -> ScenarioNode { ScenarioNode(.list(texts.map(scalar)), in: mistakes) }

    func map(_ pairs: [(String, ScenarioNode)]) -> ScenarioNode {
        ScenarioNode(.map(pairs.map { (scalar($0), $1) }), in: mistakes)
    }

    /// Returns the node for the value of a keyword, or for the value of another key if `subject` is `nil`.
    func value(_ tokens: [Scenario.Token], of subject: StepSubject?) -> ScenarioNode {
        if subject?.isList == true { return list(tokens.map(\.text)) }
        let text = tokens.map(\.text).joined(separator: " ")
        switch subject {
        case .members: return signed(tokens)
        case .setting where !text.isEmpty: return setting(text)
        default: return scalar(text)
        }
    }

    /// Reads `SETTING VALUE`; the name of the setting may consist of several words.
    private func setting(_ text: String) -> ScenarioNode {
        let setting = ScenarioSettings.keys.filter { text.hasPrefix($0 + " ") }.max { $0.count < $1.count }
        guard let setting else { return map([(text, scalar(""))]) }
        let rest = String(text.dropFirst(setting.count + 1))
        guard setting == "errors", let blank = rest.lastIndex(of: " ") else { return map([(setting, scalar(rest))]) }
        return map([(setting, map([(String(rest[..<blank]), scalar(String(rest[rest.index(after: blank)...])))]))])
    }

    /// Reads `DOCUMENT MEMBER VALUE MEMBER VALUE …`.
    ///
    /// If no document is named, the document is a transaction.
    private func signed(_ tokens: [Scenario.Token]) -> ScenarioNode {
        var documents: [(name: String, members: [(String, ScenarioNode)])] = []
        var rest = tokens[...]
        let known = ScenarioExpectation.Signed.Document.allCases.map(\.rawValue)
        while let token = rest.popFirst() {
            if known.contains(token.text), !token.isQuoted {
                documents.append((token.text, []))
                continue
            }
            if documents.isEmpty { documents.append(("transaction", [])) }
            documents[documents.count - 1].members.append((token.text, scalar(rest.popFirst()?.text ?? "")))
        }
        return map(documents.map { ($0.name, map($0.members)) })
    }
}
