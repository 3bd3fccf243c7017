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
