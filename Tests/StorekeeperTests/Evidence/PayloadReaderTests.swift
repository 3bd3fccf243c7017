import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

@Suite("Members of a payload") struct PayloadReaderTests {
    private func reader(_ json: String) throws -> PayloadReader {
        try PayloadReader(JSONReader().read(Array(json.utf8)).root)
    }

    /// Names with lengths around the numbers of bytes that the reader compares at a time.
    private static let names: [PayloadReader.Name] = [
        "type", "price", "bundleId", "productId", "inAppOwnershipType", "subscriptionGroupIdentifier",
        "deviceVerificationNonce",
    ]

    @Test("A member is found by its exact name, among few members and among many", arguments: [0, 30, 63, 64, 500])
    func names(others: Int) throws {
        let rest = (0..<others).map { ",\"other\($0)\":\"\($0)\"" }.joined()
        for name in Self.names {
            let text = name.description
            #expect(try reader("{\"\(text)\":\"x\"\(rest)}").string(name) == "x")
            let escaped = "\\u00" + String(text.utf8.first ?? 0, radix: 16) + text.dropFirst()
            #expect(try reader("{\"\(escaped)\":\"x\"\(rest)}").string(name) == "x")
            for position in text.indices {
                // The other name has the same length, and differs only in one position.
                let other = text[..<position] + "!" + text[text.index(after: position)...]
                #expect(try !reader("{\"\(other)\":\"x\"\(rest)}").has(name))
            }
            #expect(try !reader("{\"\(text)s\":\"x\"\(rest)}").has(name))
            #expect(try !reader("{\"\(text.dropLast())\":\"x\"\(rest)}").has(name))
            #expect(try !reader("{\"\(text)\":null\(rest)}").has(name), "a null member counts as absent")
        }
    }

    @Test("A reader finds members of the object itself, not of nested objects")
    func inner() throws {
        var reader = try reader(#"{"a":{"type":"inner","b":{"type":"deep"}},"c":[{"type":"element"}],"type":"outer"}"#)
        #expect(try reader.string("type") == "outer")
        #expect(try reader.part("a").string("type") == "inner")
        #expect(reader.object("a") { $0.text("type") } == "inner")
        #expect(reader.object("a") { $0.object("b") { $0.text("type") } } == .some("deep"))
        #expect(reader.unknownValues == [])
    }

    @Test("Members whose names collide are found")
    func crowdedPlace() throws {
        // Names of equal length with the same beginning and the same end have the same hash, whatever is between.
        let names = (0..<60).map { "aaaaaaaa\(String(1_000_000 + $0))zzzzzzzz" }
        let json = "{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + ",\"type\":\"x\"}"
        #expect(try reader(json).string("type") == "x")
        #expect(try reader(json).has("aaaaaaaa1000059zzzzzzzz"))
        #expect(try !reader(json).has("aaaaaaaa1000060zzzzzzzz"))
    }

    @Test("An invalid member of a nested object is named with its path")
    func path() throws {
        var reader = try reader(#"{"a":{"b":{"c":1},"d":"x"}}"#)
        _ = reader.object("a") { inner in
            _ = inner.object("b") { $0.text("c") }
            _ = inner.number("d")
        }
        #expect(reader.unknownValues == ["a.b.c is not a string", "a.d is not a whole number of 64 bits"])
    }

    @Test(
        "A member that a notification has next to its part is listed if it is not understood",
        arguments: [#""data":{"environment":"Sandbox","bundleId":"b"}"#, #""other":{}"#])
    func notification(part: String) throws {
        let bytes = Array(#"{"notificationType":"TEST","signedDate":0,"version":2,\#(part)}"#.utf8)
        let notification = try ServerNotification(
            payload: try JSONReader().read(bytes).root, source: .unsigned(bytes))
        #expect(notification.unknownValues == ["version is not a string"])
    }
}
