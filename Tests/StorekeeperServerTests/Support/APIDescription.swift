import HTTPTypes
import Storekeeper
import Testing
import Yams

/// An OpenAPI document, with which tests compare answers.
struct APIDescription {
    let paths: [String: [String: Any]]
    private let schemas: [String: Any]

    init(_ text: String) throws {
        let document = try #require(try Yams.load(yaml: text) as? [String: Any])
        paths = try #require(document["paths"] as? [String: [String: Any]])
        schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    }

    /// Returns the schema of a JSON answer; `nil` if the answer is not JSON.
    func schema(of method: HTTPRequest.Method, _ path: String) -> Any? {
        let operation = paths[path]?[method.rawValue.lowercased()] as? [String: Any]
        let answer = (operation?["responses"] as? [String: Any])?["200"] as? [String: Any]
        let content = answer?["content"] as? [String: Any]
        return (content?["application/json"] as? [String: Any])?["schema"]
    }

    /// Returns the differences between a value and a schema that the document names.
    func faults(_ value: JSONValue, named name: String) -> [String] { faults(value, schemas[name] as Any) }

    /// Returns the differences between a value and its schema.
    ///
    /// The comparison is stricter than JSON Schema: a member that the schema does not name is a fault.
    func faults(_ value: JSONValue, _ schema: Any, at place: String = "$") -> [String] {
        guard let schema = schema as? [String: Any] else { return ["\(place): the schema is missing"] }
        if let reference = schema["$ref"] as? String {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return faults(value, schemas[name] as Any, at: place)
        }
        if schema["type"] == nil, let choices = schema["oneOf"] as? [Any] {
            let found = choices.map { faults(value, $0, at: place) }
            let fitting = found.filter(\.isEmpty).count
            if fitting > 1 { return ["\(place): fits \(fitting) schemas"] }
            return fitting == 1 ? [] : found.min { $0.count < $1.count } ?? ["\(place): no schema"]
        }
        switch schema["type"] as? String {
        case "object":
            guard let object = value.object else { return ["\(place): not an object"] }
            guard schema["properties"] != nil || schema["additionalProperties"] != nil else { return [] }
            let members = schema["properties"] as? [String: Any] ?? [:]
            let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
            return missing.map { "\(place).\($0): missing" }
                + object.flatMap { member in
                    guard let schema = members[member.name] ?? schema["additionalProperties"] else {
                        return ["\(place).\(member.name): not described"]
                    }
                    return faults(member.value, schema, at: "\(place).\(member.name)")
                }
        case "array":
            guard let items = value.array.map(Array.init) else { return ["\(place): not an array"] }
            return items.enumerated().flatMap { faults($1, schema["items"] as Any, at: "\(place)[\($0)]") }
        case "string":
            guard let text = value.string else { return ["\(place): not a string"] }
            if let words = schema["enum"] as? [String], !words.contains(text) { return ["\(place): '\(text)'"] }
            if schema["format"] as? String == "date-time", Instant(text)?.description != text {
                return ["\(place): '\(text)' is not a valid time"]
            }
            return []
        case "integer": return value.int64 == nil ? ["\(place): not an integer"] : []
        case "boolean": return value.bool == nil ? ["\(place): not a boolean"] : []
        default: return ["\(place): a schema without type"]
        }
    }
}
