import FoundationEssentials
import Storekeeper

/// Reads the members of a JSON object in a response, and collects the members that were not read.
struct AnswerReader {
    private let object: JSONObject
    private let path: String
    private var asked: Set<String> = []

    /// Creates a reader of an object; error messages contain `path`, which locates the object in the response.
    ///
    /// - Throws: `malformedResponse` if the value is not an object.
    init(_ value: JSONValue, path: String = "") throws(AppStoreServerError) {
        guard let object = value.object else {
            throw AppStoreServerError(
                .malformedResponse, path.isEmpty ? "the response is not a JSON object" : "\(path) is not an object")
        }
        self.object = object
        self.path = path
    }

    /// The members that were not read, by name, each as JSON text.
    var unknownMembers: [String: String] {
        var members: [String: String] = [:]
        for member in object where !member.value.isNull && !asked.contains(member.name) {
            members[member.name] = String(decoding: member.value.sourceText, as: UTF8.self)
        }
        return members
    }

    private mutating func value(_ name: String) -> JSONValue? {
        asked.insert(name)
        return object[name]
    }

    private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func invalidAnswer(_ name: String, _ problem: String) -> AppStoreServerError {
        AppStoreServerError(.malformedResponse, "the response's \(place(name)) \(problem)")
    }

    private mutating func read<Value>(
        _ name: String, _ problem: String, _ reading: (JSONValue) -> Value?
    ) throws(AppStoreServerError) -> Value? {
        guard let found = value(name) else { return nil }
        guard let value = reading(found) else { throw invalidAnswer(name, problem) }
        return value
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(AppStoreServerError) -> Value {
        guard let value else { throw invalidAnswer(name, "is missing") }
        return value
    }

    mutating func text(_ name: String) throws(AppStoreServerError) -> String? {
        try read(name, "is not a string") { $0.string }
    }

    mutating func requiredText(_ name: String) throws(AppStoreServerError) -> String {
        try required(try text(name), name)
    }

    mutating func whole(_ name: String) throws(AppStoreServerError) -> Int64? {
        try read(name, "is not a whole number of 64 bits") { $0.int64 }
    }

    mutating func requiredWhole(_ name: String) throws(AppStoreServerError) -> Int64 {
        try required(try whole(name), name)
    }

    mutating func bool(_ name: String) throws(AppStoreServerError) -> Bool? {
        try read(name, "is not a boolean") { $0.bool }
    }

    mutating func requiredBool(_ name: String) throws(AppStoreServerError) -> Bool {
        try required(try bool(name), name)
    }

    /// Reads a time in milliseconds since 1970.
    mutating func instant(_ name: String) throws(AppStoreServerError) -> Instant? {
        try read(name, "is not a time in milliseconds since 1970") {
            $0.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
        }
    }

    /// Reads a UUID in upper or lower case.
    mutating func uuid(_ name: String) throws(AppStoreServerError) -> UUID? {
        try read(name, "is not a UUID") { $0.string.flatMap { UUIDText.uuid($0.utf8) } }
    }

    /// Reads an object; returns `nil` if the member is missing.
    mutating func object<Value>(
        _ name: String, _ reading: (inout AnswerReader) throws(AppStoreServerError) -> Value
    ) throws(AppStoreServerError) -> Value? {
        guard let found = value(name) else { return nil }
        var reader = try AnswerReader(found, path: place(name))
        return try reading(&reader)
    }

    /// Reads an object whose values are whole numbers; returns an empty dictionary if the member is missing.
    mutating func wholes(_ name: String) throws(AppStoreServerError) -> [String: Int64] {
        guard let object = try read(name, "is not an object", { $0.object }) else { return [:] }
        var wholes: [String: Int64] = [:]
        for member in object {
            guard let number = member.value.int64 else {
                throw invalidAnswer(name, "has a member that is not a number")
            }
            wholes[member.name] = number
        }
        return wholes
    }

    /// Reads an array of strings; returns an empty array if the member is missing.
    mutating func texts(_ name: String) throws(AppStoreServerError) -> [String] {
        try read(name, "is not an array of strings") { value -> [String]? in
            guard let array = value.array else { return nil }
            var texts: [String] = []
            for element in array {
                guard let text = element.string else { return nil }
                texts.append(text)
            }
            return texts
        } ?? []
    }

    /// Reads an array of objects, each with its own reader; returns an empty array if the member is missing.
    mutating func objects<Value>(
        _ name: String, _ reading: (inout AnswerReader) throws(AppStoreServerError) -> Value
    ) throws(AppStoreServerError) -> [Value] {
        guard let array = try read(name, "is not an array", { $0.array }) else { return [] }
        var values: [Value] = []
        for (index, element) in array.enumerated() {
            var reader = try AnswerReader(element, path: "\(place(name))[\(index)]")
            values.append(try reading(&reader))
        }
        return values
    }
}
