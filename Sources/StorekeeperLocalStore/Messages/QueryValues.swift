import Storekeeper
import StorekeeperPages

/// The names and values of a URL's query, in order.
struct QueryValues: Sendable {
    let items: [(name: String, value: String)]

    /// Returns all values of a parameter.
    func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// Returns the first value of a parameter.
    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// Returns the value of a parameter as a number; 0 if the query does not have the parameter.
    func count(_ name: String) throws(APIError) -> Int {
        guard let text = value(name) else { return 0 }
        guard let count = Int(text), count >= 0 else {
            throw .badRequest("'\(name)' must be a whole number, 0 or greater")
        }
        return count
    }
}

extension JSONObject {
    /// Reads the body of a request.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` if the body is not a JSON object.
    static func reading(_ body: [UInt8]) throws(APIError) -> JSONObject {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(body) } catch {
            throw .badRequest("the body is not JSON: \(error)")
        }
        guard let object = document.root.object else { throw .badRequest("the body is not a JSON object") }
        return object
    }

    /// Reads the body of a request of the control API, which may have only the members of its schema.
    ///
    /// A member that is present has a value: `null` is refused, as the description says.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` if the body is not a JSON object, has another member, or a member that is
    ///   `null`.
    static func reading(_ body: [UInt8], as schema: Schema) throws(APIError) -> JSONObject {
        let (object, members) = (try reading(body), schema.members)
        for member in object {
            let name = member.name.prefix(64)
            guard members.contains(member.name) else {
                throw .badRequest(
                    members.isEmpty
                        ? "'\(name)' must be left out" : "'\(name)' must be one of \(members.joined(separator: ", "))")
            }
            guard !member.value.isNull else { throw .badRequest("\(name) is null: leave it out, or give it a value") }
        }
        return object
    }

    /// Returns the text of a member; `nil` if the object does not have the member.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` if the member's value is not a text.
    func text(_ name: String) throws(APIError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .badRequest("\(name) must be a text") }
        return text
    }
}
