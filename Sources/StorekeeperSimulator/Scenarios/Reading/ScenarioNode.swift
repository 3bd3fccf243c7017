import Yams

/// A part of a scenario's text that knows where it stands, so that whatever is wrong with it can be shown.
struct ScenarioNode {
    let node: Node
    let file: String
    /// The mistakes of the whole text.
    let mistakes: ScenarioMistakes

    /// Makes a part of a text.
    init(node: Node, file: String, mistakes: ScenarioMistakes) {
        self.node = node
        self.file = file
        self.mistakes = mistakes
    }

    /// The most bytes of a scenario.
    static let maximumSize = 1 << 20
    /// How deep lists and mappings may stand in one another.
    static let maximumDepth = 16

    /// Reads a text.
    ///
    /// Anchors and aliases are refused, so that a small text stays small.
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
            throw ScenarioError(file: file, "the text is no mapping of keys to values", remedy: "begin with 'story:'")
        }
        return ScenarioNode(node: composed, file: file, mistakes: ScenarioMistakes())
    }

    /// Looks at the text before the parser does, which works recursively and unfolds aliases.
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
            // A bracket in prose closes somewhere; a million that never close are no scenario.
            if content.utf8.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) > 64 {
                try refuse("too many brackets stand in one line", "write the list over several lines")
            }
            var last: Character = " "
            for character in content {
                if character == "#", last == " " { break }
                if character == "&" || character == "*", last == " " || last == "[" || last == "{" || last == "," {
                    let rest = content.drop { $0 != character }.dropFirst()
                    if let next = rest.first, next.isLetter || next.isNumber || next == "_" {
                        try refuse("anchors and aliases are not read here", "write the value out, or quote the text")
                    }
                }
                last = character
            }
        }
        guard openers <= 50_000 else {
            throw ScenarioError(file: file, "the text has more than 50000 brackets", remedy: "split it")
        }
    }

    // MARK: Reading

    /// An error about this part.
    func error(_ message: String, _ remedy: String) -> ScenarioError {
        ScenarioError(
            file: file, line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, message, remedy: remedy)
    }

    /// An error about a file that is named here and cannot be read.
    func unreadable(_ message: String, _ remedy: String) -> ScenarioError {
        ScenarioError(
            file: file, line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, message, remedy: remedy,
            isUnreadableFile: true)
    }

    /// Does what may fail; adds the mistake where it does.
    func attempt<Value>(_ body: () throws(ScenarioError) -> Value) -> Value? { mistakes.attempt(body) }

    /// Adds a mistake of this part.
    func addMistake(_ message: String, _ remedy: String) { mistakes.add(error(message, remedy)) }

    var isMapping: Bool { node.mapping != nil }

    /// The text of a scalar; `nil` of anything else.
    var scalarText: String? { node.scalar?.string }

    /// All that stands here, in one line.
    var words: String {
        if let mapping = node.mapping {
            return mapping.map { key, value in
                [child(key).words, child(value).words].joined(separator: " ")
            }.joined(separator: ", ")
        }
        if let sequence = node.sequence {
            return sequence.map { child($0).words }.joined(separator: ", ")
        }
        return isEmpty ? "" : node.scalar?.string ?? ""
    }

    /// Nothing, in the same place.
    var emptied: ScenarioNode {
        child(.scalar(Node.Scalar("", .implicit, .any, node.mark)))
    }

    private func child(_ node: Node) -> ScenarioNode { ScenarioNode(node: node, file: file, mistakes: mistakes) }

    var line: Int { node.mark?.line ?? 0 }

    /// Whether nothing stands here.
    var isEmpty: Bool {
        guard let scalar = node.scalar else { return false }
        return scalar.style != .singleQuoted && scalar.style != .doubleQuoted
            && (scalar.string.isEmpty || node.null != nil)
    }

    /// The text of a scalar as it stands there.
    func text(_ name: String) throws(ScenarioError) -> String {
        guard let scalar = node.scalar, !isEmpty else {
            throw error("'\(name)' is no text", "write one value after it")
        }
        return scalar.string
    }

    func texts(_ name: String) throws(ScenarioError) -> [String] {
        try elements.map { element throws(ScenarioError) in try element.text(name) }
    }

    /// The elements of a list; of anything else itself, of nothing none.
    var elements: [ScenarioNode] {
        if let sequence = node.sequence { return sequence.map(child) }
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
            throw error("'\(name)' is no whole number", "write digits only")
        }
        return number
    }

    /// The keys and values of a mapping, in the order of the text.
    func pairs(_ name: String) throws(ScenarioError) -> [(key: ScenarioNode, word: String, value: ScenarioNode)] {
        guard let mapping = node.mapping else {
            throw error("\(name) is no mapping of keys to values", "see 'storekeeper simulate --help'")
        }
        var pairs: [(key: ScenarioNode, word: String, value: ScenarioNode)] = []
        var seen: Set<String> = []
        for (key, value) in mapping {
            let place = child(key)
            let word = try place.text("key")
            guard seen.insert(word).inserted else { throw place.error("'\(word)' stands twice", "keep one of them") }
            pairs.append((place, word, child(value)))
        }
        return pairs
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
                "'\(duplicates.first ?? "a key")' stands twice", remedy: "keep one of them")
        default: self.init(file: file, "the text is not YAML", remedy: "correct it")
        }
    }
}
