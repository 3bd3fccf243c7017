import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Tests that functions that scan eight bytes at a time return the same results as functions that scan each byte.
@Suite("Scanning eight bytes at a time") struct ByteScanTests {
    /// Returns a text in which bytes near the limits of the compared ranges are frequent, and a position in the text.
    private func sample(_ random: inout SplitMix64) -> (bytes: [UInt8], start: Int) {
        let special: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x2F, 0x3A, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xFF]
        let bytes = (0..<random.number(in: 0...40)).map { _ -> UInt8 in
            switch random.number(in: 0...9) {
            case 0: random.element(of: special) ?? 0
            case 1: UInt8.random(in: .min ... .max, using: &random)
            default: UInt8.random(in: 0x30...0x39, using: &random)
            }
        }
        return (bytes, random.number(in: 0...bytes.count))
    }

    @Test("The end of a run of digits is found")
    func digits() {
        checkProperty("the end of digits", cases: 5_000, generate: sample) { bytes, start in
            let end = bytes[start...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
            return ByteScan.endOfDigits(in: bytes.span, from: start) == end
        }
    }

    @Test("Plain text ends at the first special byte, or less than eight bytes before the end")
    func plainText() {
        checkProperty("plain text", cases: 5_000, generate: sample) { bytes, start in
            let plain = bytes[start...].prefix { $0 >= 0x20 && $0 < 0x80 && $0 != 0x22 && $0 != 0x5C }.count
            let found = ByteScan.plainText(in: bytes.span, from: start)
            return found == plain || (found < plain && bytes.count - start - found < 8)
        }
    }

    @Test("Whole numbers of up to 18 digits are read")
    func wholeNumbers() {
        checkProperty("whole numbers", cases: 5_000, generate: sample) { bytes, start in
            let digits = bytes[start...]
            let isShort = (1...18).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
            let number = isShort ? Int64(String(decoding: digits, as: UTF8.self)) : nil
            return ByteScan.wholeNumber(in: bytes.span, from: start) == number
        }
    }

    private func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { ByteScan.areEqual(left.span, right.span) }

    private func haveEqualEnds(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        ByteScan.Ends(of: left.span) == ByteScan.Ends(of: right.span)
    }

    @Test("Texts that differ in one byte are not equal", arguments: 0..<40)
    func equality(count: Int) {
        let text = [UInt8](repeating: 0x61, count: count)
        #expect(areEqual(text, text))
        #expect(haveEqualEnds(text, text))
        for position in 0..<count {
            var other = text
            other[position] = 0x62
            #expect(!areEqual(text, other))
            #expect(haveEqualEnds(text, other) == (position >= 8 && position < count - 8))
        }
    }
}
