import Foundation
import Storekeeper
import Yams

/// A value of a description, and its place.
struct DescriptionNode {
    /// The value.
    let node: Node
    /// The file, as given.
    let file: String
    /// The name of the value in messages, such as `transactions.gold.purchaseDate`; empty for the whole file.
    let path: String

    /// Reads a description.
    ///
    /// - Throws: ``DescriptionError`` if the file cannot be read, is not YAML, or is empty.
    init(reading url: URL) throws {
        let file = url.relativePath
        guard let yaml = try? String(contentsOf: url, encoding: .utf8) else {
            throw DescriptionError("cannot be read as UTF-8 text", file: file)
        }
        do {
            guard let node = try Yams.compose(yaml: yaml) else {
                throw DescriptionError("the file is empty; describe a story", file: file)
            }
            self.init(node: node, file: file, path: "")
        } catch let error as YamlError {
            throw DescriptionError("no YAML: \(error)", file: file)
        }
    }

    private init(node: Node, file: String, path: String) {
        self.node = node
        self.file = file
        self.path = path
    }

    /// Returns an error about this value.
    func error(_ message: String) -> DescriptionError {
        DescriptionError(path.isEmpty ? message : "\(path): \(message)", file: file, line: node.mark?.line)
    }

    /// Whether the value is `null`.
    var isNull: Bool { node.null != nil }

    /// Returns the members of a mapping, in order.
    func members() throws -> [(name: String, value: DescriptionNode)] {
        guard let mapping = node.mapping else { throw error("expected members, each with a name") }
        return try mapping.map { key, value in
            guard let name = key.string else { throw error("a member's name is not a string") }
            return (name, DescriptionNode(node: value, file: file, path: path.isEmpty ? name : "\(path).\(name)"))
        }
    }

    /// Returns the members of a mapping by name, and refuses unknown names.
    func members(among known: Set<String>) throws -> [String: DescriptionNode] {
        let members = try members()
        for (name, value) in members where !known.contains(name) {
            throw value.error("not known here; one can say \(known.sorted().joined(separator: ", "))")
        }
        // The parser refuses duplicate names.
        return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the elements of a list, in order.
    func elements() throws -> [DescriptionNode] {
        guard let sequence = node.sequence else { throw error("expected a list") }
        return sequence.enumerated().map { DescriptionNode(node: $1, file: file, path: "\(path)[\($0)]") }
    }

    /// Returns a text that is not empty.
    func text() throws -> String {
        guard let text = node.scalar?.string, !text.isEmpty, !isNull else { throw error("expected a text") }
        return text
    }

    /// Returns a whole number.
    func number() throws -> Int64 {
        guard let number = Int64(try text()) else { throw error("expected a whole number") }
        return number
    }

    /// Returns `true` or `false`.
    func flag() throws -> Bool {
        guard let flag = node.bool else { throw error("expected true or false") }
        return flag
    }

    /// Returns an instant.
    func instant() throws -> Instant {
        let text = try text()
        guard let instant = Instant(text) else {
            throw error("\"\(text)\" is not a valid time; write one like 2026-03-01T09:30:00Z")
        }
        return instant
    }
}
