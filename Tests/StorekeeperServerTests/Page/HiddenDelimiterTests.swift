import HTTPTypes
import Storekeeper
import Testing

@testable import StorekeeperPages

/// Tests of delimiters that are part of a larger `Character`, such as a delimiter before a combining mark.
@Suite struct HiddenDelimiterTests {
    @Test("A form is divided at each byte that is a delimiter")
    func form() throws {
        let text = "a=\u{301}1&\u{301}b=2&c=\u{600}&d=+\u{301}&e\u{600}=3&f&=7"
        let expected = [
            ("a", "\u{301}1"), ("\u{301}b", "2"), ("c", "\u{600}"), ("d", " \u{301}"), ("e\u{600}", "3"), ("f", ""),
            ("", "7"),
        ]
        for fields in [text.formFields, try #require(text.strictFormFields)] {
            #expect(fields.count == expected.count, "\(fields)")
            for (field, pair) in zip(fields, expected) {
                #expect(field.name.hasSameBytes(as: pair.0), "\(field)")
                #expect(field.value.hasSameBytes(as: pair.1), "\(field)")
            }
        }
        #expect("".formFields.isEmpty && "&&".formFields.isEmpty)
    }

    @Test(
        "Only the own origin may send forms, compared by bytes",
        arguments: [
            ("shop.example:8080", "http://shop.example:8080", true), ("shop.example", "https://shop.example", true),
            ("shop.example", "https://shop.example:8080", false), ("shop.example", "ftp://shop.example", false),
            ("shop.example", "null", false), ("\u{212A}.example", "http://K.example", false),
        ])
    func origin(authority: String, origin: String, isOwn: Bool) {
        var headers = HTTPFields()
        headers[.origin] = origin
        let refusal = CrossOriginCheck(isLoopback: false).refusal(ofFormAt: authority, headers: headers)
        #expect(refusal == (isOwn ? nil : .foreignOrigin))
    }

    @Test(
        "A server that only this machine can reach is addressed by a name of this machine",
        arguments: [
            ("localhost", true), ("localhost:8080", true), ("127.0.0.1:80", true), ("[::1]:80", true), ("[::1]", true),
            ("evil.example", false), ("localhost.evil.example", false), ("\u{600}localhost", false),
            ("[::1\u{301}]", false), ("", false),
        ])
    func host(authority: String, isAllowed: Bool) {
        let refusal = CrossOriginCheck(isLoopback: true).refusal(authority: authority)
        #expect(refusal == (isAllowed ? nil : .foreignHost))
    }
}
