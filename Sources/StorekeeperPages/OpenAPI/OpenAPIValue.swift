import Storekeeper

/// A part of an OpenAPI document, whose members keep their order.
package indirect enum OpenAPIValue: Sendable {
    case string(String)
    case bool(Bool)
    case integer(Int)
    case list([OpenAPIValue])
    case map([(name: String, value: OpenAPIValue)])
    /// The address of a component, such as `#/components/schemas/Time`, and the component.
    case address(section: String, name: String, component: OpenAPIValue)

    /// Returns a reference to a component, so that the document contains the component.
    package static func reference(_ section: String, _ name: String, _ component: OpenAPIValue) -> OpenAPIValue {
        ["$ref": .address(section: section, name: name, component: component)]
    }

    /// Adds the components to which the value refers, directly or through other components.
    func collect(into components: inout [String: [String: OpenAPIValue]]) {
        switch self {
        case .string, .bool, .integer: return
        case .list(let elements): for element in elements { element.collect(into: &components) }
        case .map(let members): for member in members { member.value.collect(into: &components) }
        case .address(let section, let name, let component):
            guard components[section]?[name] == nil else { return }
            components[section, default: [:]][name] = component
            component.collect(into: &components)
        }
    }
}

extension OpenAPIValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .string(text) }
    package init(booleanLiteral bool: Bool) { self = .bool(bool) }
    package init(integerLiteral number: Int) { self = .integer(number) }
}

extension OpenAPIValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(arrayLiteral elements: OpenAPIValue...) { self = .list(elements) }
    package init(dictionaryLiteral members: (String, OpenAPIValue)...) { self = .map(members.map { ($0, $1) }) }
}

// MARK: - YAML

extension OpenAPIValue {
    /// The longest line that contains a list or a map, in bytes.
    private static let width = 120

    /// The value as YAML, with a list or a map on one line if it fits.
    var yaml: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    private func write(to text: inout String, indent: Int) {
        let space = String(repeating: " ", count: indent)
        switch self {
        case .list(let elements):
            for element in elements { element.write(after: "\(space)-", to: &text, indent: indent) }
        case .map(let members):
            for (name, value) in members {
                value.write(after: "\(space)\(Self.scalar(name)):", to: &text, indent: indent)
            }
        default: text += "\(space)\(line)\n"
        }
    }

    private func write(after start: String, to text: inout String, indent: Int) {
        let line = "\(start) \(line)\n"
        switch self {
        case .list where line.utf8.count > Self.width + 1, .map where line.utf8.count > Self.width + 1:
            text += "\(start)\n"
            write(to: &text, indent: indent + 2)
        default: text += line
        }
    }

    private var line: String {
        switch self {
        case .string(let text): Self.scalar(text)
        case .bool(let bool): "\(bool)"
        case .integer(let number): "\(number)"
        case .list(let elements): "[\(elements.map(\.line).joined(separator: ", "))]"
        case .map(let members):
            "{\(members.map { "\(Self.scalar($0.name)): \($0.value.line)" }.joined(separator: ", "))}"
        case .address(let section, let name, _): Self.scalar("#/components/\(section)/\(name)")
        }
    }

    /// Returns a string, in quotation marks unless it can only be read as a string.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map { !" _-.'()+0123456789".utf8.contains($0) } == true && text.last != " "
            && !otherWords.contains(text.lowercased())
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: " _-./()'+$".utf8.contains(byte)
                }
            }
        // A JSON string is a YAML string, too.
        return isPlain ? text : JSONText.string(text).text()
    }

    /// Words that readers of YAML understand as another value.
    private static let otherWords: Set = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]
}
