package import Storekeeper
import Yams

extension Scenario {
    /// Reads a step as somebody types it: `buy gold.monthly by anna as first`.
    ///
    /// The words and keys are those of scenario files, without colons; a value with blanks that holds a key is put in
    /// double quotes.
    ///
    /// - Parameters:
    ///   - text: One line.
    ///   - people: Who there is now.
    ///   - names: What purchases are called.
    ///   - granted: The balances to which something was added, besides those of the catalog.
    /// - Throws: ``ScenarioError``, with all that is wrong.
    package func step(
        typed text: String, people: [CustomerID], names: Set<String> = [], granted: Set<Balance.ID> = []
    ) throws(ScenarioError) -> ScenarioStep {
        try step(typed: text, people: ScenarioPeople(people), names: names, granted: granted)
    }

    /// Reads a step as somebody types it, for those who read many and keep the list of people.
    package func step(
        typed text: String, people: ScenarioPeople, names: Set<String> = [], granted: Set<Balance.ID> = []
    ) throws(ScenarioError) -> ScenarioStep {
        let tokens = Self.tokens(of: text)
        func fits(_ name: String) -> Bool {
            let words = name.split(separator: " ").map(String.init)
            return tokens.count >= words.count && zip(words, tokens).allSatisfy { $0 == $1.text && !$1.isQuoted }
        }
        guard let word = ScenarioWord.all.filter({ fits($0.name) }).max(by: { $0.name.count < $1.name.count }) else {
            let first = tokens.first?.text ?? ""
            throw ScenarioError(
                file: "input", "there is no step '\(first)'",
                remedy: NearestWord.advice(for: first, among: ScenarioWord.all.map(\.name)))
        }
        var rest = tokens.dropFirst(word.name.split(separator: " ").count)
        let known = word.keys + ScenarioWord.commonKeys
        var pairs: [(key: String, value: [Token])] = [(word.name, [])]
        while let token = rest.first {
            // The longest key first: 'ask to buy' before 'to'.
            let key = known.filter { key in
                let words = key.split(separator: " ").map(String.init)
                return rest.count > words.count
                    && zip(words, rest).allSatisfy { $0 == $1.text && !$1.isQuoted }
            }.max { $0.count < $1.count }
            // What a fault is about may begin with a key: 'app transaction'.
            let isPlace = word.name == "fault" && pairs.count == 1 && pairs[0].value.isEmpty
            if let key, !isPlace, !pairs.contains(where: { $0.key == key }) {
                pairs.append((key, []))
                rest = rest.dropFirst(key.split(separator: " ").count)
            } else {
                pairs[pairs.count - 1].value.append(token)
                rest = rest.dropFirst()
            }
        }
        let isList = ["notifications", "happened", "events"].contains(word.name)
        let mapping = pairs.enumerated().map { index, pair in
            (Self.typedScalar(pair.key), Self.node(pair.value, key: pair.key, isList: isList && index == 0))
        }
        return try step(of: mapping, people: people, names: names, granted: granted)
    }

    /// Reads a step as a form gives it: the word, what stands after it, and what stands beside it.
    ///
    /// The words and keys are those of scenario files; nothing in a value is taken for a key.
    ///
    /// - Parameters:
    ///   - word: The word, such as `buy`.
    ///   - value: What stands after it, such as `gold.monthly`; of `set` the setting and its value.
    ///   - members: The keys beside it and their values; of `storefronts` with commas between them.
    ///   - people: Who there is now.
    /// - Throws: ``ScenarioError``, with all that is wrong.
    package func step(
        word: String, value: String, members: [(key: String, value: String)], people: [CustomerID]
    ) throws(ScenarioError) -> ScenarioStep {
        var mapping = [
            (Self.typedScalar(word), Self.node([Token(text: value, isQuoted: true)], key: word, isList: false))
        ]
        for member in members {
            let items = member.value.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init)
            let node: Node =
                member.key == "storefronts"
                ? .sequence(Node.Sequence(items.map(Self.typedScalar))) : Self.typedScalar(member.value)
            mapping.append((Self.typedScalar(member.key), node))
        }
        return try step(of: mapping, people: ScenarioPeople(people), names: [], granted: [])
    }

    private func step(
        of mapping: [(Node, Node)], people: ScenarioPeople, names: Set<String>, granted: Set<Balance.ID>
    ) throws(ScenarioError) -> ScenarioStep {
        var reader = StepReader(apps: apps, people: people, names: names, granted: granted)
        let mistakes = ScenarioMistakes()
        let step = reader.step(ScenarioNode(node: .mapping(Node.Mapping(mapping)), file: "input", mistakes: mistakes))
        if let error = mistakes.error { throw error }
        guard let step else { throw ScenarioError(file: "input", "the step cannot be read", remedy: "type 'help'") }
        return step
    }

    private struct Token {
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
        // A colon after the word, as in files, says nothing more.
        for index in tokens.indices where !tokens[index].isQuoted && tokens[index].text.hasSuffix(":") {
            tokens[index].text.removeLast()
        }
        return tokens
    }

    private static func node(_ value: [Token], key: String, isList: Bool) -> Node {
        if isList { return .sequence(Node.Sequence(value.map { typedScalar($0.text) })) }
        let text = value.map(\.text).joined(separator: " ")
        if key == "expect signed" { return signedNode(value) }
        if key == "set", !text.isEmpty {
            // SETTING: VALUE, where the setting may have several words.
            let setting = ScenarioSettings.keys.filter { text.hasPrefix($0 + " ") }.max { $0.count < $1.count }
            guard let setting else { return .mapping(Node.Mapping([(typedScalar(text), typedScalar(""))])) }
            let rest = String(text.dropFirst(setting.count + 1))
            guard setting == "errors", let blank = rest.lastIndex(of: " ") else {
                return .mapping(Node.Mapping([(typedScalar(setting), typedScalar(rest))]))
            }
            let failure = (typedScalar(String(rest[..<blank])), typedScalar(String(rest[rest.index(after: blank)...])))
            return .mapping(Node.Mapping([(typedScalar(setting), .mapping(Node.Mapping([failure])))]))
        }
        return typedScalar(text)
    }

    /// DOCUMENT MEMBER VALUE MEMBER VALUE …, where the transaction need not be named.
    private static func signedNode(_ tokens: [Token]) -> Node {
        var documents: [(name: String, members: [(Node, Node)])] = []
        var rest = tokens[...]
        let known = ScenarioExpectation.Signed.Document.allCases.map(\.rawValue)
        while let token = rest.popFirst() {
            if known.contains(token.text), !token.isQuoted {
                documents.append((token.text, []))
                continue
            }
            if documents.isEmpty { documents.append(("transaction", [])) }
            let value = rest.popFirst()
            documents[documents.count - 1].members.append((typedScalar(token.text), typedScalar(value?.text ?? "")))
        }
        return .mapping(
            Node.Mapping(documents.map { (typedScalar($0.name), .mapping(Node.Mapping($0.members))) }))
    }

    private static func typedScalar(_ text: String) -> Node { .scalar(Node.Scalar(text, .implicit)) }
}
