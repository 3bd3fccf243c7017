import FoundationEssentials
import Testing

@testable import StorekeeperEngine

struct CatalogFormatTests {
    @Test(
        "A file that is not a catalog gives an error that depends on its content",
        arguments: [
            ([], CatalogError.Code.empty), (Array(" \n\t".utf8), .empty), ([0xEF, 0xBB, 0xBF], .empty),
            ([0x00, 0x05, 0x16, 0x07, 0x00, 0x02], .appleDouble), (Array("book".utf8) + [0, 0, 0, 0], .alias),
            ([0xFF, 0xFE, 0x7B, 0x00], .notUTF8), ([0x7B, 0x22, 0xC3, 0x28], .notUTF8), ([0, 0, 0], .notUTF8),
            (Array("bplist00".utf8), .damagedPropertyList), (Array("<html><body/></html>".utf8), .notPropertyList),
            (Array("hello".utf8), .notJSON), (Array("{\"a\":".utf8), .truncated),
            (Array("{\"a\":1,\"a\":2}".utf8), .duplicateKey), (Array("// x\n{}".utf8), .notJSON),
            (Array("\n-----BEGIN CERTIFICATE-----\n".utf8), .noProductList),
            (Array("{\"products\":[],}".utf8), .notJSON), (Array("<plist><array>".utf8), .truncated),
        ] as [([UInt8], CatalogError.Code)])
    func faults(bytes: [UInt8], code: CatalogError.Code) {
        #expect(CatalogFixtures.error(bytes)?.code == code)
    }

    @Test("The error for malformed JSON names the line, the column, the file and the remedy")
    func brokenJSON() throws {
        let error = try #require(CatalogFixtures.error("{\n  \"products\" : [\"a\" \"b\"]\n}"))
        #expect(error.code == .notJSON)
        #expect(error.file == "Products")
        #expect(error.location == "line 2, column 21")
        #expect(
            error.description
                == "not JSON: expected ',' or ']' (Products, line 2, column 21): correct the JSON there")
    }

    @Test("A byte order mark and any line endings are accepted")
    func byteOrderMark() throws {
        let json = "\u{FEFF}{\r\n\"products\":[\"a\"]\r\n}\r\n"
        #expect(try CatalogFixtures.read(json).ids == ["a"])
        let plist = "\u{FEFF}" + CatalogFixtures.plist("<array>\r\n<string>a</string>\r\n</array>")
        #expect(try CatalogFixtures.read(plist).ids == ["a"])
    }

    @Test("The name of a file does not affect how it is read")
    func names() throws {
        let plist = CatalogFixtures.plist("<array><string>a</string></array>")
        #expect(try CatalogFixtures.read(plist, name: "Store.storekit").ids == ["a"])
        #expect(try CatalogFixtures.read(#"["a"]"#, name: "Products.plist").ids == ["a"])
    }

    @Test("Merge conflict markers are recognised in every text format")
    func conflicts() throws {
        let sides = "<<<<<<< HEAD\n\"a\"\n=======\n\"b\"\n>>>>>>> other\n"
        let json = try #require(CatalogFixtures.error("{\"products\":[\n\(sides)]}"))
        #expect(json.code == .conflictMarkers)
        #expect(json.location == "line 2")
        #expect(CatalogFixtures.error(sides)?.code == .conflictMarkers)
        #expect(CatalogFixtures.error(CatalogFixtures.plist("<array>\n\(sides)</array>"))?.code == .conflictMarkers)
    }

    @Test("A configuration saved as a property list gives one clear error")
    func configurationAsPropertyList() throws {
        let error = try #require(
            CatalogFixtures.error(
                CatalogFixtures.plist(
                    """
                    <dict><key>identifier</key><string>A</string><key>subscriptionGroups</key><array/>
                    <key>products</key><array/></dict>
                    """)))
        #expect(error.code == .xmlWhereJSON)
        #expect(error.remedy.contains("plutil -convert json"))
        // `{"settings": {}}` as a binary property list.
        let binary = CatalogFixtures.binaryPlist([[0xD1, 1, 2], [0x58] + Array("settings".utf8), [0xD0]])
        #expect(CatalogFixtures.error(binary)?.code == .binaryWhereJSON)
    }

    @Test("A file larger than 5 MiB, or nested deeper than 64 levels, is refused")
    func limits() throws {
        #expect(CatalogFixtures.error(Array(repeating: 0x20, count: CatalogFile.maximumSize + 1))?.code == .tooLarge)
        func nested(_ depth: Int) -> String {
            "{\"products\":[],\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                + "}"
        }
        #expect(CatalogFixtures.error(nested(63)) == nil)
        #expect(CatalogFixtures.error(nested(64))?.code == .tooDeep)
        func nestedPlist(_ depth: Int) -> String {
            CatalogFixtures.plist(
                "<dict><key>products</key><array/><key>x</key>" + String(repeating: "<array>", count: depth)
                    + String(repeating: "</array>", count: depth) + "</dict>")
        }
        #expect(CatalogFixtures.error(nestedPlist(63)) == nil)
        #expect(CatalogFixtures.error(nestedPlist(64))?.code == .tooDeep)
    }

    @Test(
        "XML property lists are read by the grammar of XML",
        arguments: [
            ("<array><string>a&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</string></array>", ["a<>&\"'AB"]),
            ("<array><string><![CDATA[<a>]]></string></array>", ["<a>"]),
            ("<array><!-- <string>no</string> --><string>a<!-- x -->b</string></array>", ["ab"]),
            ("<array><string />\n<string>a</string ></array>", ["a"]),
            ("<?target x?><array><string>a</string></array>", ["a"]), ("<array/>", []), ("<dict></dict>", []),
        ])
    func xmlGrammar(value: String, ids: [String]) throws {
        #expect(try CatalogFixtures.read(CatalogFixtures.plist(value)).ids == ids.map { Product.ID($0) })
    }

    @Test(
        "XML that violates the grammar is refused",
        arguments: [
            "", "<string>a</array>", "<array><string>a</string>", "<array><string>&nbsp;</string></array>",
            "<array><string>&#0;</string></array>", "<array><string>&#x110000;</string></array>",
            "<array><string>a & b</string></array>", "<dict><string>a</string></dict>", "<dict><key>a</key></dict>",
            "<array><integer>1.5</integer></array>", "<array><integer>--1</integer></array>",
            "<array><integer>99999999999999999999999</integer></array>", "<array>text</array>", "<array/><array/>",
            "<array><true>x</true></array>", "<array><string><b>a</b></string></array>", "<widget/>",
            "<array><string>\u{01}</string></array>", "<dict><key>a</key><true/><key>a</key><true/></dict>",
        ])
    func xmlFaults(value: String) throws {
        let error = try #require(CatalogFixtures.error(CatalogFixtures.plist(value)))
        #expect([.notPropertyList, .truncated, .duplicateKey].contains(error.code))
        #expect(error.location?.hasPrefix("line ") == true)
    }

    @Test("Numbers in property lists may be hexadecimal")
    func hexadecimal() throws {
        let catalog = try CatalogFixtures.read(
            CatalogFixtures.plist(
                "<array><dict><key>id</key><string>a</string><key>level</key><integer>0x2</integer></dict></array>"))
        #expect(catalog.product("a")?.subscription?.groupLevel == 2)
        #expect(catalog.diagnostics.isEmpty)
    }

    @Test("Text in an encoding other than UTF-8 is refused")
    func encodings() {
        let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><array/></plist>"
        #expect(CatalogFixtures.error(text)?.code == .notUTF8)
    }

    @Test(
        "Decimal text is read exactly",
        arguments: [
            ("0", 0), ("10", 10), ("10.0", 10), ("1e3", 1000), ("-5", -5), ("1.5", nil), ("", nil), ("1e", nil),
            ("+1", nil), (" 1", nil), ("1e9999", nil), ("0e9999", 0), ("1000000000000000000", nil),
        ] as [(String, Int64?)])
    func wholeNumbers(text: String, value: Int64?) {
        #expect(DecimalText(text)?.wholeNumber == value)
    }

    @Test(
        "Thousandths are the same number and text as the result of a division",
        arguments: [0, 1, -1, 10, 990, 1000, 4990, -4990, 12_345, 33_333, 100_000, 1_000_000_000, .max, .min])
    func thousandths(number: Int64) {
        #expect(Decimal(thousandths: number) == Decimal(number) / 1000)
        #expect("\(Decimal(thousandths: number))" == "\(Decimal(number) / 1000)")
    }
}
