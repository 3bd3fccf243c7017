import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The JSON reader") struct JSONReaderTests {
    private func read(_ text: String, depth: Int = 64) throws -> JSONValue {
        try JSONReader(maximumDepth: depth).read(Array(text.utf8)).root
    }

    private func code(_ bytes: [UInt8], depth: Int = 64, size: Int = 1 << 20) -> String {
        do {
            _ = try JSONReader(maximumDepth: depth, maximumSize: size).read(bytes)
            return "accepted"
        } catch {
            return error.code.rawValue
        }
    }

    @Test("The reader keeps the order of members and exact numbers")
    func order() throws {
        let object = try #require(try read(#" {"b":1, "a":[true,null,"x"],"c":{"d":9007199254740993}} "#).object)
        #expect(object.map(\.name) == ["b", "a", "c"])
        #expect(object["c"]?.object?["d"]?.int64 == 9_007_199_254_740_993)
        #expect(object["a"]?.array?.map(\.kind) == [.boolean, .null, .string])
        #expect(object["missing"] == nil)
    }

    @Test(
        "Text that is not JSON is refused with a code",
        arguments: [
            ("", "unexpectedEnd"), ("{", "unexpectedEnd"), ("[1", "unexpectedEnd"), (#"{"a""#, "unexpectedEnd"),
            (#""abc"#, "unexpectedEnd"), ("[1,]", "unexpectedCharacter"), ("{,}", "unexpectedCharacter"),
            (#"{"a":1,}"#, "unexpectedCharacter"), (#"{'a':1}"#, "unexpectedCharacter"),
            ("nul", "unexpectedEnd"), ("nulL", "unexpectedCharacter"), ("01", "trailingContent"),
            ("1 2", "trailingContent"), ("-", "unexpectedEnd"), ("1.x", "invalidNumber"), ("1e+", "unexpectedEnd"),
            ("+1", "unexpectedCharacter"), ("[1 2]", "unexpectedCharacter"), ("// a\n1", "unexpectedCharacter"),
            ("\"a\u{1}\"", "invalidString"), (#""\x""#, "invalidString"), (#""\u12g4""#, "invalidString"),
            (#""\ud800""#, "invalidString"), (#""\udc00""#, "invalidString"), (#""\ud800\u0041""#, "invalidString"),
            (#"{"a":1,"a":2}"#, "duplicateMember"), (#"{"a":1,"\u0061":2}"#, "duplicateMember"),
            ("\u{FEFF}1", "unexpectedCharacter"),
        ])
    func refusing(text: String, expected: String) {
        #expect(code(Array(text.utf8)) == expected)
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xC3, 0x28], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(code([UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]) == "invalidString")
    }

    @Test("Escapes are resolved")
    func escapes() throws {
        #expect(try read(#""a\n\t\r\b\f\"\\\/\u00e9\ud83d\ude00""#).string == "a\n\t\r\u{8}\u{C}\"\\/é😀")
        #expect(try read("\"é😀\"").string == "é😀")
    }

    @Test("Input that is too deep or too large is refused without exhausting the stack")
    func limits() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 10_000)
        #expect(code(deep) == "tooDeep")
        #expect(code(Array("[[1]]".utf8), depth: 2) == "accepted")
        #expect(code(Array("[[[1]]]".utf8), depth: 2) == "tooDeep")
        #expect(code(Array("[1,2,3]".utf8), size: 6) == "tooLarge")
    }

    @Test("A repeated name is found among many members")
    func manyMembers() {
        let names = (0..<500).map { "\"name\($0)\":0" }
        #expect(code(Array("{\(names.joined(separator: ","))}".utf8)) == "accepted")
        #expect(code(Array("{\((names + ["\"name250\":1"]).joined(separator: ","))}".utf8)) == "duplicateMember")
    }

    @Test("An error names its line and column")
    func position() throws {
        let error = #expect(throws: JSONError.self) { try read("{\n  \"a\": 1\n  \"b\": 2\n}") }
        #expect(error?.line == 3 && error?.column == 3)
    }

    @Test(
        "Whole numbers are read in every notation and never rounded",
        arguments: [
            ("5", 5, 5), ("-5", -5, -5), ("5.0", 5, 5), ("5e0", 5, 5), ("0.5e1", 5, 5), ("50e-1", 5, 5),
            ("1697679936049.7297", nil, 1_697_679_936_049), ("-1.9", nil, -1), ("1e400", nil, nil),
            ("1e-400", nil, 0), ("9223372036854775807", .max, .max), ("9223372036854775808", nil, nil),
            ("-9223372036854775808", .min, .min), ("0e999999999999999999999", 0, 0),
            ("1.7e12", 1_700_000_000_000, 1_700_000_000_000),
            ("0.\(String(repeating: "0", count: 15_000))1e15001", 1, 1),
            ("1\(String(repeating: "0", count: 20_000))e-20000", 1, 1),
        ] as [(String, Int64?, Int64?)])
    func numbers(text: String, exact: Int64?, truncated: Int64?) throws {
        #expect(try read(text).int64 == exact)
        #expect(try read(text).truncatedInt64 == truncated)
        #expect(try read(text).numberText == text)
    }

    @Test("The reader never crashes, and accepts its values again after they are written")
    func mutations() {
        let samples = [
            #"{"a":[1,2.5,-3e7,"x\u00e9y",true,false,null,{"b":{}}],"c":"é"}"#, "[]", #""text""#,
        ].map { Array($0.utf8) }
        let mutator = ByteMutator(
            samples: samples, tokens: ["{", "]", "\"", ",", "\\u", "1e9", "null"].map { Array($0.utf8) })
        checkProperty(
            "mutated JSON is read or refused", cases: 10_000, generate: { mutator.mutant(&$0) },
            shrink: ByteMutator.simpler, describe: { String(decoding: $0, as: UTF8.self) },
            holds: { bytes in
                guard let document = try? JSONReader().read(bytes) else { return true }
                let text = document.root.sourceText
                return (try? JSONReader().read(text)) != nil
            })
    }
}
