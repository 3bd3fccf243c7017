import Yams

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
