import FoundationEssentials
import Storekeeper
import Testing

struct JSONTextTests {
    private let sample = JSONText.object([
        "b": .integer(5), "a": .array([.string("x"), .null, .bool(true)]), "é": .number("1.50"),
        "gone": .null, "empty": .object([:]), "none": .array([]),
    ])

    @Test("Members are sorted by bytes; nulls are omitted from objects and kept in arrays")
    func compact() {
        #expect(sample.text() == #"{"a":["x",null,true],"b":5,"empty":{},"none":[],"é":1.50}"#)
    }

    @Test("The pretty form has one member per line and indents by two spaces")
    func pretty() {
        let expected = """
            {
              "a": [
                "x",
                null,
                true
              ],
              "b": 5,
              "empty": {},
              "none": [],
              "é": 1.50
            }
            """
        #expect(sample.text(.pretty) == expected)
    }

    @Test("A value that was read keeps its digits and escapes, with its members sorted")
    func embedded() throws {
        let source = #"{"z":1.000,"a":"\u00e9\/","m":{"y":null,"x":[1e3,null]},"\u0062":-0}"#
        let document = try JSONReader().read(Array(source.utf8))
        let expected = #"{"a":"\u00e9\/","\u0062":-0,"m":{"x":[1e3,null]},"z":1.000}"#
        #expect(JSONText.value(document.root).text() == expected)
        #expect(JSONText.object(["p": .value(document.root)]).text() == #"{"p":"# + expected + "}")
    }

    @Test("Every character survives writing and reading", arguments: ["\"\\/\n\r\t\u{0}\u{1f}\u{7f}é😀\u{2028}", ""])
    func strings(text: String) throws {
        let written = JSONText.string(text).bytes()
        #expect(written.allSatisfy { $0 >= 0x20 })
        #expect(try JSONReader().read(written).root.string == text)
    }

    @Test("Amounts of money have no trailing zeros")
    func money() {
        #expect(JSONText.money(Decimal(string: "9.990")).text() == #""9.99""#)
        #expect(JSONText.money(Decimal(5)).text() == #""5""#)
        #expect(JSONText.object(["price": .money(nil), "n": .whole(nil as Int?)]).text() == "{}")
    }

    @Test("Writing appends to the existing text")
    func appending() {
        var bytes = Array("x".utf8)
        JSONText.integer(-7).write(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "x-7")
    }
}
