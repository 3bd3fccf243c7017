import FoundationEssentials
import StorekeeperTesting
import Testing

@testable import Storekeeper

/// Tests that loops that read eight bytes at a time return the same results as loops over single bytes.
struct ByteBoundaryTests {
    private func read(_ text: String) throws -> JSONValue { try JSONReader().read(Array(text.utf8)).root }

    @Test("A special character ends or invalidates a string at any offset", arguments: 0..<24)
    func strings(offset: Int) throws {
        let before = String(repeating: "a", count: offset)
        for after in ["", "b", "bbbbbbbbbbbbbbbbbbbb"] {
            #expect(try read("[\"\(before)\",\"\(after)\"]").array?.map(\.string) == [before, after])
            #expect(try read("\"\(before)\\\"\(after)\"").string == "\(before)\"\(after)")
            #expect(try read("\"\(before)\\\\\(after)\"").string == "\(before)\\\(after)")
            #expect(try read("\"\(before)é\u{1F600}\u{7F}~!\(after)\"").string == "\(before)é\u{1F600}\u{7F}~!\(after)")
            for control in ["\u{0}", "\u{1}", "\n", "\u{1F}"] {
                #expect(throws: JSONError.self) { try read("\"\(before)\(control)\(after)\"") }
            }
            #expect(throws: JSONError.self) { try read("\"\(before)\(after)") }
            let broken = Array("\"\(before)".utf8) + [0x80] + Array("\(after)\"".utf8)
            #expect(throws: JSONError.self) { try JSONReader().read(broken) }
        }
    }

    @Test func `Names that differ only in the middle are different names`() throws {
        let object = try read(#"{"beginningOneWithItsEndings":1,"beginningTwoWithItsEndings":2}"#).object
        #expect(object?["beginningOneWithItsEndings"]?.int64 == 1)
        #expect(object?["beginningTwoWithItsEndings"]?.int64 == 2)
    }

    @Test(
        "A repeated name is refused, whatever its length and the number of other names",
        arguments: [0, 1, 7, 8, 9, 16, 40])
    func duplicates(length: Int) {
        let name = String(repeating: "n", count: length)
        for others in [0, 1, 30, 62, 63, 64, 200] {
            let members = (0..<others).map { "\"other\($0)\":0" }
            let unique = (members + ["\"\(name)\":1"]).joined(separator: ",")
            #expect(throws: Never.self) { try read("{\(unique)}") }
            #expect(throws: JSONError.self) { try read("{\"\(name)\":0,\(unique)}") }
            #expect(throws: JSONError.self) { try read("{\(unique),\"\(name)\":{}}") }
        }
    }

    @Test("A compact JWS is split at its dots at any offset", arguments: 1..<20)
    func split(length: Int) {
        let part = String(repeating: "A", count: length)
        for other in ["B", "BBBBBBBB", "BBBBBBBBBBB", "///", "---"] {
            let jws = CompactJWS("\(part).\(other).\(part)")
            #expect(jws?.header.bytes == Array(part.utf8))
            #expect(jws?.payload == Array(other.utf8))
            #expect(jws?.signature == Array(part.utf8))
            #expect(CompactJWS("\(part).\(other)\(part)") == nil)
            #expect(CompactJWS("\(part).\(other).\(part).") == nil)
        }
    }

    @Test func `Header segments are equal by their bytes`() {
        let bytes = (0..<40).map { UInt8($0) }
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 1
            #expect(CompactJWS.HeaderSegment(bytes: bytes) != CompactJWS.HeaderSegment(bytes: changed))
            #expect(
                CompactJWS.HeaderSegment(bytes: bytes) != CompactJWS.HeaderSegment(bytes: Array(bytes[..<position])))
        }
        #expect(CompactJWS.HeaderSegment(bytes: bytes) == CompactJWS.HeaderSegment(bytes: bytes))
    }

    @Test func `UUIDs are read as the platform reads them`() {
        var random = PropertySettings.environment.generator
        for _ in 0..<500 {
            let (high, low) = (
                UInt64.random(in: 0...(.max), using: &random), UInt64.random(in: 0...(.max), using: &random)
            )
            let digits = String(high, radix: 16).leftPadded(to: 16) + String(low, radix: 16).leftPadded(to: 16)
            var text = Array(digits)
            for position in [8, 13, 18, 23] { text.insert("-", at: position) }
            #expect(UUIDText.uuid(String(text).utf8) == UUID(uuidString: String(text)))
            #expect(UUIDText.uuid(String(text).uppercased().utf8) == UUID(uuidString: String(text)))
            let position = Int.random(in: 0..<36, using: &random)
            text[position] = text[position] == "-" ? "0" : "x"
            #expect(UUIDText.uuid(String(text).utf8) == nil)
        }
        for text in [
            "", "0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a6", "0ab2f1a49c2e4f3d8b7a1c2d3e4f5a6b",
            "{0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a}",
        ] {
            #expect(UUIDText.uuid(text.utf8) == nil)
        }
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: Swift.max(0, count - self.count)) + self
    }
}
