package import Storekeeper

/// The OpenAPI document of a service, as YAML.
///
/// - SeeAlso: OpenAPI Initiative, "OpenAPI Specification", version 3.1.
package struct OpenAPIDocument: Sendable {
    /// The description of the requests with a method and a path.
    package struct Operation: Sendable {
        let method: String
        let path: String
        let keywords: [String: JSONText]
        let schemas: [JSONSchema]

        /// Creates the description.
        ///
        /// - Parameters:
        ///   - method: The HTTP method.
        ///   - path: The path, with the names of parameters in braces.
        ///   - parameters: The query parameters and header fields.
        ///   - body: The body; `nil` for none.
        ///   - responses: OpenAPI's response objects, by status.
        ///   - schemas: The schemas to which the responses refer.
        ///   - keywords: The other members of OpenAPI's operation object.
        package init(
            _ method: String, _ path: String, parameters: [RequestParameter], body: BodyDescription?,
            responses: [String: JSONText], schemas: [JSONSchema], _ keywords: [String: JSONText]
        ) {
            (self.method, self.path) = (method, path)
            self.schemas = parameters.map(\.schema) + [body?.schema].compactMap(\.self) + schemas
            self.keywords = keywords.merging([
                "parameters": parameters.isEmpty ? .null : .array(parameters.map(\.description)),
                "requestBody": body?.description ?? .null, "responses": .object(responses),
            ]) { own, _ in own }
        }
    }

    /// Returns OpenAPI's response object.
    package static func response(
        _ note: String, _ content: [String: JSONSchema] = [:], headers: [String: JSONText] = [:]
    ) -> JSONText {
        .object([
            "description": .string(note), "headers": headers.isEmpty ? .null : .object(headers),
            "content": content.isEmpty ? .null : Self.content(content),
        ])
    }

    /// Returns a reference to a component that is no schema.
    package static func reference(_ kind: String, _ name: String) -> JSONText {
        .object(["$ref": .string("#/components/\(kind)/\(name)")])
    }

    /// Returns OpenAPI's media type objects, by content type.
    static func content(_ schemas: [String: JSONSchema]) -> JSONText {
        .object(schemas.mapValues { .object(["schema": .object($0.keywords)]) })
    }

    /// The document in YAML.
    package let text: String

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - note: What the title does not say.
    ///   - operations: The operations, in the order of the document.
    ///   - components: OpenAPI's components object, besides its schemas.
    ///   - schemas: The named schemas to which no operation refers.
    package init(
        title: String, _ note: String, _ operations: [Operation], components: [String: JSONText] = [:],
        schemas: [JSONSchema] = []
    ) {
        var lines = ["openapi: 3.1.0", "info:"]
        let info: [String: JSONText] = ["title": .string(title), "version": .string("1"), "description": .string(note)]
        lines += JSONText.object(info).yamlLines(indent: "  ")
        lines.append("paths:")
        var known: Set<String> = []
        for path in operations.map(\.path) where known.insert(path).inserted {
            lines.append("  \(path):")
            var item: [String: JSONText] = [:]
            let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
            if !names.isEmpty {
                item["parameters"] = .array(
                    names.map {
                        .object([
                            "name": .string(String($0)), "in": .string("path"), "required": .bool(true),
                            "schema": .object(JSONSchema.nonEmpty.keywords),
                        ])
                    })
            }
            for operation in operations where operation.path == path {
                item[operation.method.lowercased()] = .object(operation.keywords)
            }
            lines += JSONText.object(item).yamlLines(indent: "    ")
        }
        let named = (operations.flatMap(\.schemas) + schemas).reduce(into: [:]) { known, schema in
            known.merge(schema.definitions) { own, _ in own }
        }
        var components = components
        components["schemas"] = .object(named.mapValues { .object($0) })
        lines.append("components:")
        lines += JSONText.object(components).yamlLines(indent: "  ")
        text = lines.map { $0 + "\n" }.joined()
    }
}

extension JSONText {
    /// The maximum length of a line with an object or an array.
    private static let longestLine = 120

    /// Returns the members of an object as lines of YAML; an object or array that fits into a line is in one.
    fileprivate func yamlLines(indent: String) -> [String] {
        guard case .object(let members) = self else { return [indent + yamlFlow] }
        return members.filter { !$0.value.isAbsent }.sorted { $0.key < $1.key }.flatMap { key, value -> [String] in
            let name = indent + JSONText.string(key).yamlFlow + ":"
            let line = "\(name) \(value.yamlFlow)"
            guard line.utf8.count > Self.longestLine else { return [line] }
            switch value {
            case .object: return [name] + value.yamlLines(indent: indent + "  ")
            case .array(let elements):
                return [name]
                    + elements.flatMap { element in
                        let line = "\(indent)  - \(element.yamlFlow)"
                        guard case .object = element, line.utf8.count > Self.longestLine else { return [line] }
                        let lines = element.yamlLines(indent: indent + "    ")
                        return ["\(indent)  - \(lines.first?.dropFirst(indent.count + 4) ?? "{}")"] + lines.dropFirst()
                    }
            default: return [line]
            }
        }
    }

    private var isAbsent: Bool { if case .null = self { true } else { false } }

    /// The value as YAML in one line.
    private var yamlFlow: String {
        switch self {
        case .object(let members):
            let texts = members.filter { !$0.value.isAbsent }.sorted { $0.key < $1.key }
                .map { "\(JSONText.string($0.key).yamlFlow): \($0.value.yamlFlow)" }
            return "{\(texts.joined(separator: ", "))}"
        case .array(let elements): return "[\(elements.map(\.yamlFlow).joined(separator: ", "))]"
        case .string(let string) where string.isPlainYAML: return string
        default: return text()
        }
    }
}

extension String {
    /// Whether the text is a string in YAML without quotation marks.
    fileprivate var isPlainYAML: Bool {
        guard let first = utf8.first, first >= UInt8(ascii: "A") || first == UInt8(ascii: "$"),
            utf8.last != UInt8(ascii: " ")
        else { return false }
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "$ -_./+;()".utf8.contains(byte)
            }
        }
        return isPlain && !["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(lowercased())
    }
}
