package import HTTPTypes

/// A request of an API, as the API's description shows it.
package struct OpenAPIOperation: Sendable {
    /// A query parameter, or a header field.
    package struct Parameter: Sendable {
        let name: String
        let place: String
        let schema: Schema
        let isRequired: Bool
        let about: String?

        package static func query(
            _ name: String, _ schema: Schema = .string, isRequired: Bool = false, about: String? = nil
        ) -> Parameter {
            Parameter(name: name, place: "query", schema: schema, isRequired: isRequired, about: about)
        }

        package static func header(
            _ name: String, _ schema: Schema = .string, isRequired: Bool = false, about: String? = nil
        ) -> Parameter {
            Parameter(name: name, place: "header", schema: schema, isRequired: isRequired, about: about)
        }

        /// The name of a query parameter; `nil` for a header field.
        package var queryName: String? { place == "query" ? name : nil }

        fileprivate var value: OpenAPIValue {
            var members: [(name: String, value: OpenAPIValue)] = [("name", .string(name)), ("in", .string(place))]
            if isRequired { members.append(("required", true)) }
            if let about { members.append(("description", .string(about))) }
            return .map(members + [("schema", schema.value)])
        }
    }

    /// A content type, and the schema of the content.
    package typealias Content = (type: String, schema: Schema)

    let method: HTTPRequest.Method
    let path: String
    /// The operation as a part of the document.
    let value: OpenAPIValue

    /// Creates a description of a request.
    ///
    /// - Parameters:
    ///   - path: The path, in which braces enclose the name of a parameter.
    ///   - details: A longer description.
    ///   - extra: Further members of the operation.
    ///   - answers: The responses by their status.
    package init(
        _ method: HTTPRequest.Method, _ path: String, id: String? = nil, summary: String, details: String? = nil,
        parameters: [Parameter] = [], body: [Content] = [], isBodyRequired: Bool = true,
        extra: KeyValuePairs<String, OpenAPIValue> = [:], answers: [(status: Int, value: OpenAPIValue)]
    ) {
        self.method = method
        self.path = path
        var members: [(name: String, value: OpenAPIValue)] = []
        if let id { members.append(("operationId", .string(id))) }
        members.append(("summary", .string(summary)))
        if let details { members.append(("description", .string(details))) }
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        let all =
            names.map { Parameter(name: $0, place: "path", schema: .text, isRequired: true, about: nil) } + parameters
        if !all.isEmpty { members.append(("parameters", .list(all.map(\.value)))) }
        if !body.isEmpty {
            let required: [(name: String, value: OpenAPIValue)] = isBodyRequired ? [("required", true)] : []
            members.append(("requestBody", .map(required + [("content", Self.content(body))])))
        }
        members += extra.map { ($0, $1) }
        members.append(("responses", .map(answers.map { ("\($0.status)", $0.value) })))
        value = .map(members)
    }

    /// Returns the description of a response.
    package static func answer(
        _ about: String, headers: KeyValuePairs<String, OpenAPIValue> = [:], _ content: [Content] = []
    ) -> OpenAPIValue {
        var members: [(name: String, value: OpenAPIValue)] = [("description", .string(about))]
        if !headers.isEmpty { members.append(("headers", .map(headers.map { ($0, $1) }))) }
        if !content.isEmpty { members.append(("content", Self.content(content))) }
        return .map(members)
    }

    private static func content(_ content: [Content]) -> OpenAPIValue {
        .map(content.map { ($0.type, ["schema": $0.schema.value]) })
    }
}

/// The description of an API.
///
/// - SeeAlso: OpenAPI Initiative, "OpenAPI Specification", version 3.1.
package enum OpenAPIDocument {
    /// Returns the document in YAML, with all schemas and other components to which the operations refer.
    ///
    /// - Parameters:
    ///   - others: Schemas to which no operation refers.
    ///   - security: The ways in which a request is authenticated.
    package static func text(
        title: String, about: String, operations: [OpenAPIOperation], others: [Schema] = [],
        security: OpenAPIValue? = nil
    ) -> String {
        var paths: [(name: String, value: [(name: String, value: OpenAPIValue)])] = []
        for operation in operations {
            let member = (name: operation.method.rawValue.lowercased(), value: operation.value)
            if let index = paths.firstIndex(where: { $0.name == operation.path }) {
                paths[index].value.append(member)
            } else {
                paths.append((operation.path, [member]))
            }
        }
        var found: [String: [String: OpenAPIValue]] = [:]
        for value in operations.map(\.value) + others.map(\.value) { value.collect(into: &found) }
        var components = found.sorted { $0.key < $1.key }.map { section, members in
            (name: section, value: OpenAPIValue.map(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        }
        if let security { components.append(("securitySchemes", security)) }
        let document: OpenAPIValue = [
            "info": ["title": .string(title), "version": "1", "description": .string(about)],
            "paths": .map(paths.map { ($0.name, .map($0.value)) }), "components": .map(components),
        ]
        return "openapi: 3.1.0\n" + document.yaml
    }
}
