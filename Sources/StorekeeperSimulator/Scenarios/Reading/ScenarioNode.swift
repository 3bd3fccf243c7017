import Storekeeper
import Yams

/// A node of the tree that represents a scenario or a step: a scalar, a list or a map, with its position for error
/// messages.
///
/// YAML texts, typed lines and the values of forms are first converted to such a tree, from which the steps are then
/// read.
struct ScenarioNode {
    /// The content of a node.
    enum Content {
        /// A text.
        ///
        /// Without quotes, `~`, `null` and the empty text mean that no value exists.
        case scalar(String, isQuoted: Bool)
        /// Bytes in base64.
        case binary(String)
        case list([ScenarioNode])
        /// Keys and values in the order of the text.
        case map([(key: ScenarioNode, value: ScenarioNode)])
    }

    let content: Content
    /// The line, from 1; 0 if the node is not from a file.
    let line: Int
    /// The column, from 1.
    let column: Int
    /// The list to which all mistakes of the text are added.
    let mistakes: ScenarioMistakes

    init(_ content: Content, line: Int = 0, column: Int = 0, in mistakes: ScenarioMistakes) {
        self.content = content
        self.line = line
        self.column = column
        self.mistakes = mistakes
    }

    // MARK: Mistakes

    /// Returns an error about this node.
    func error(_ message: String, _ remedy: String) -> ScenarioError {
        ScenarioError(file: mistakes.file, line: line, column: column, message, remedy: remedy)
    }

    /// Returns an error about this node, which names a file that cannot be read.
    func unreadable(_ message: String, _ remedy: String) -> ScenarioError {
        ScenarioError(
            file: mistakes.file, line: line, column: column, message, remedy: remedy, isUnreadableFile: true)
    }

    /// Returns the result of a closure; if the closure throws, adds the error to the mistakes and returns `nil`.
    func attempt<Value>(_ body: () throws(ScenarioError) -> Value) -> Value? { mistakes.attempt(body) }

    /// Adds a mistake about this node.
    func addMistake(_ message: String, _ remedy: String) { mistakes.add(error(message, remedy)) }

    // MARK: Reading

    var isMapping: Bool {
        if case .map = content { true } else { false }
    }

    /// The text of a scalar; `nil` for a list or a map.
    var scalarText: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }

    /// The content of the node in one line.
    var words: String {
        switch content {
        case .scalar(let text, _): isEmpty ? "" : text
        case .binary(let text): text
        case .list(let elements): elements.map(\.words).joined(separator: ", ")
        case .map(let pairs): pairs.map { "\($0.key.words) \($0.value.words)" }.joined(separator: ", ")
        }
    }

    /// An empty scalar at the position of this node.
    var emptied: ScenarioNode {
        ScenarioNode(.scalar("", isQuoted: false), line: line, column: column, in: mistakes)
    }

    /// Whether the node has no value.
    var isEmpty: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// Returns the text of a scalar as it is written in the scenario.
    func text(_ name: String) throws(ScenarioError) -> String {
        guard let text = scalarText, !isEmpty else {
            throw error("'\(name)' is not a single value", "write one value after it")
        }
        return text
    }

    func texts(_ name: String) throws(ScenarioError) -> [String] {
        try elements.map { element throws(ScenarioError) in try element.text(name) }
    }

    /// The elements of a list.
    ///
    /// A node without a value counts as an empty list. Any other node that is not a list counts as a list with one
    /// element.
    var elements: [ScenarioNode] {
        if case .list(let elements) = content { return elements }
        return isEmpty ? [] : [self]
    }

    func flag(_ name: String) throws(ScenarioError) -> Bool {
        switch try text(name).lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error("'\(name)' is neither yes nor no", "write 'yes' or 'no'")
        }
    }

    func integer(_ name: String) throws(ScenarioError) -> Int64 {
        guard let number = Int64(try text(name).filter { $0 != "_" }) else {
            throw error("'\(name)' is not a whole number", "write digits only")
        }
        return number
    }

    /// Returns the keys and values of a map, in the order of the text.
    func pairs(_ name: String) throws(ScenarioError) -> [(key: ScenarioNode, word: String, value: ScenarioNode)] {
        guard case .map(let mapping) = content else {
            throw error("\(name) is not a mapping of keys to values", "see 'storekeeper simulate --help'")
        }
        var pairs: [(key: ScenarioNode, word: String, value: ScenarioNode)] = []
        var seen: Set<String> = []
        for (key, value) in mapping {
            let word = try key.text("key")
            guard seen.insert(word).inserted else { throw key.error("'\(word)' occurs twice", "keep one of them") }
            pairs.append((key, word, value))
        }
        return pairs
    }
}

extension ScenarioNode {
    /// Returns the values of a map by key; adds an error for each unknown key, and ignores keys without a value.
    func members(_ name: String, among known: [String]) throws(ScenarioError) -> [String: ScenarioNode] {
        var members: [String: ScenarioNode] = [:]
        for pair in try pairs(name) {
            guard known.contains(pair.word) else {
                pair.key.addMistake(
                    "\(name) has no key '\(pair.word)'", NearestWord.advice(for: pair.word, among: known))
                continue
            }
            if !pair.value.isEmpty { members[pair.word] = pair.value }
        }
        return members
    }

    func instant(_ name: String) throws(ScenarioError) -> Instant {
        let text = try text(name)
        guard let instant = Instant(text) else {
            throw error("'\(text)' is not a valid time", "write it like 2026-03-01T09:30:00Z or 2026-03-01")
        }
        return instant
    }

    func word<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type
    ) throws(ScenarioError) -> Value where Value.RawValue == String {
        let text = try text(name)
        guard let value = Value(rawValue: text) else {
            throw error(
                "'\(text)' is not a valid value of '\(name)'",
                NearestWord.advice(for: text, among: Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// Returns a decimal number in thousandths, such as 12990 for `12.99`.
    func thousandths(_ name: String) throws(ScenarioError) -> Int64 {
        let text = try text(name)
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard let whole = parts.first, (1...12).contains(whole.utf8.count), fraction.utf8.count <= 3,
            parts.count == 1 || !fraction.isEmpty, (whole + fraction).utf8.allSatisfy({ (48...57).contains($0) }),
            let value = Int64(whole + fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
        else { throw error("'\(text)' is not a number with at most three decimals", "write it like 12.99") }
        return value
    }

    /// Returns an error about this node, which names an invalid catalog; the message contains the position in the
    /// catalog's file.
    func error(_ error: CatalogError) -> ScenarioError {
        let place = error.location.map { " (\(error.file), \($0))" } ?? ""
        return self.error("'\(error.file)' is not a valid catalog: \(error.message)\(place)", error.remedy)
    }
}

extension ScenarioNode {
    /// The maximum size of a scenario, in bytes.
    static let maximumSize = 1 << 20

    /// Reads a YAML text as a tree.
    ///
    /// Anchors and aliases are refused, because with them a small text could become a very large tree.
    static func root(of text: String, file: String) throws(ScenarioError) -> ScenarioNode {
        guard text.utf8.count <= maximumSize else {
            throw ScenarioError(file: file, "the scenario is larger than 1 MiB", remedy: "split it")
        }
        try checkDepth(of: text, file: file)
        let composed: Node?
        do {
            composed = try Parser(yaml: text, encoding: .utf8).singleRoot()
        } catch let error as YamlError {
            throw ScenarioError(error, file: file)
        } catch {
            throw ScenarioError(file: file, "the text is not YAML", remedy: "correct it")
        }
        guard let composed, composed.mapping != nil else {
            throw ScenarioError(
                file: file, "the text is not a mapping of keys to values", remedy: "begin with 'story:'")
        }
        return ScenarioNode(composed, in: ScenarioMistakes(file: file))
    }

    private init(_ node: Node, in mistakes: ScenarioMistakes) {
        func converted(_ node: Node) -> ScenarioNode { ScenarioNode(node, in: mistakes) }
        let content: Content =
            if let mapping = node.mapping {
                .map(mapping.map { (converted($0.key), converted($0.value)) })
            } else if let sequence = node.sequence {
                .list(sequence.map(converted))
            } else if node.scalar?.tag.rawValue == Tag.Name.binary.rawValue {
                .binary(node.scalar?.string ?? "")
            } else {
                .scalar(
                    node.scalar?.string ?? "",
                    isQuoted: node.scalar?.style == .singleQuoted || node.scalar?.style == .doubleQuoted)
            }
        self.init(content, line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, in: mistakes)
    }

    /// Refuses text with deep nesting or aliases before the parser runs, because the parser is recursive and expands
    /// aliases.
    private static func checkDepth(of text: String, file: String) throws(ScenarioError) {
        var openers = 0
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            func refuse(_ message: String, _ remedy: String) throws(ScenarioError) {
                throw ScenarioError(file: file, line: number + 1, column: 1, message, remedy: remedy)
            }
            let content = line.drop { $0 == " " || $0 == "-" || $0 == "?" || $0 == "\t" }
            if line.utf8.count - content.utf8.count > 80 {
                try refuse("the line is indented too far", "indent it less")
            }
            openers += content.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
            // The parser would recurse for each open bracket. Text that a person writes has few brackets in a line.
            if content.utf8.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) > 64 {
                try refuse("a line has too many brackets", "write the list over several lines")
            }
            var last: Character = " "
            for character in content {
                if character == "#", last == " " { break }
                if character == "&" || character == "*", last == " " || last == "[" || last == "{" || last == "," {
                    let rest = content.drop { $0 != character }.dropFirst()
                    if let next = rest.first, next.isLetter || next.isNumber || next == "_" {
                        try refuse("anchors and aliases are not supported", "write the value out, or quote the text")
                    }
                }
                last = character
            }
        }
        guard openers <= 50_000 else {
            throw ScenarioError(file: file, "the text has more than 50000 brackets", remedy: "split it")
        }
    }
}

extension ScenarioError {
    fileprivate init(_ error: YamlError, file: String) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(
                file: file, line: mark.line, column: mark.column, "the text is not YAML: \(problem)",
                remedy: "correct it")
        case .duplicatedKeysInMapping(let duplicates, let context):
            self.init(
                file: file, line: context.mark.line, column: context.mark.column,
                "'\(duplicates.first ?? "a key")' occurs twice", remedy: "keep one of them")
        default: self.init(file: file, "the text is not YAML", remedy: "correct it")
        }
    }
}
