import Storekeeper
import StorekeeperJWS
import Testing

/// Tests that a JWS has exactly one accepted encoding, and that every other encoding of the same content is refused.
struct EncodingAttackTests {
    let trust: Trust
    let segments: Segments
    init() throws {
        trust = try Trust.shared.get()
        segments = Segments(try trust.sign())
    }

    private static let parts: [any WritableKeyPath<Segments, String> & Sendable] = [\.header, \.payload, \.signature]

    @Test(
        "Invalid characters in a segment are malformed",
        arguments: ["=", "==", " ", "\n", "\r\n", "\t", "+", "/", "é", "\0", "%3D"])
    func characters(_ inserted: String) {
        for part in Self.parts {
            for offset in [0, 7, segments[keyPath: part].count] {
                var changed = segments
                let text = segments[keyPath: part]
                changed[keyPath: part].insert(contentsOf: inserted, at: text.index(text.startIndex, offsetBy: offset))
                #expect(trust.verifier.verify(changed.jws).code == .malformed)
            }
        }
    }

    @Test func `Unused bits that are not zero are malformed`() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        // Payloads and headers of all lengths modulo three are tested.
        for padding in 0..<3 {
            let fill = String(repeating: "x", count: padding)
            let header = #"{"alg":"ES256","kid":"\#(fill)","x5c":X5C}"#
            let original = Segments(
                try trust.sign(header: header, Sample.transaction(["fill": "\"\(fill)\""])))
            #expect(trust.verifier.verify(original.jws).code == nil)
            for part in Self.parts where !original[keyPath: part].count.isMultiple(of: 4) {
                var changed = original
                let last = changed[keyPath: part].removeLast()
                let position = try #require(alphabet.firstIndex(of: last))
                changed[keyPath: part].append(alphabet[position ^ 1])
                #expect(trust.verifier.verify(changed.jws).code == .malformed)
            }
        }
    }

    @Test(
        "Any number of segments but three is malformed",
        arguments: ["", ".", "..", "...", "a", "a.b", "a.b.c.d", ".b.c", "a..c", "a.b."])
    func segmentCount(_ text: String) {
        let result = trust.verifier.verify(text)
        #expect(result.code == .malformed)
        #expect(result.kind == nil)
    }

    @Test func `A token with white space or additional segments is malformed`() {
        for text in [
            " \(segments.jws)", "\(segments.jws)\n", "\(segments.jws).", ".\(segments.jws)", "\(segments.jws).e30",
        ] {
            #expect(trust.verifier.verify(text).code == .malformed)
        }
    }

    @Test(
        "A payload that is not an unambiguous JSON object is malformed",
        arguments: [
            #"{"transactionId":"1","transactionId":"2"}"#, #"{"signedDate":1772358600000,"signed\u0044ate":5}"#,
            #"{"data":{"a":1,"a":2},"signedDate":1772358600000}"#, #"[]"#, "5", "null", #""text""#, "", " ", "{",
            #"{"a":01}"#, #"{"a":NaN}"#, #"{'a':1}"#, #"{"a":1}{"b":2}"#, "{\"a\":\"\u{0001}\"}", #"{"a":"\uD800"}"#,
            #"{"a":"\uDC00\uD800"}"#, #"{"\uDFFF":1}"#, "\u{FEFF}{}",
        ])
    func json(_ text: String) throws {
        #expect(try trust.verifier.verify(trust.sign(Array(text.utf8))).code == .malformed)
        // This fault is reported before any fault of the header.
        let jws = try trust.sign(header: #"{"alg":"none","crit":[],"x5c":[]}"#, Array(text.utf8))
        #expect(trust.verifier.verify(jws).code == .malformed)
    }

    @Test(
        "A payload that is not UTF-8 is malformed",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF5, 0x80, 0x80, 0x80]])
    func utf8(_ bytes: [UInt8]) throws {
        let payload = Array(#"{"signedDate":1772358600000,"a":""#.utf8) + bytes + Array(#""}"#.utf8)
        #expect(try trust.verifier.verify(trust.sign(payload)).code == .malformed)
        #expect(try trust.verifier.verify(trust.sign([0xEF, 0xBB, 0xBF] + Sample.transaction())).code == .malformed)
    }

    @Test(
        "JSON nested deeper than 64 levels is malformed",
        arguments: [(62, nil), (63, nil), (64, VerificationError.Code.malformed), (10_000, .malformed)])
    func depth(_ depth: Int, _ code: VerificationError.Code?) throws {
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try trust.verifier.verify(trust.sign(Sample.transaction(["deep": deep]))).code == code)
    }

    @Test func `A payload above 1 MiB is malformed, a smaller one is not`() throws {
        for (size, code) in [
            (1 << 20 - 1000, nil), (1 << 20, VerificationError.Code.malformed), (10 << 20, .malformed),
        ] {
            let text = "\"\(String(repeating: "x", count: size))\""
            #expect(try trust.verifier.verify(trust.sign(Sample.transaction(["fill": text]))).code == code)
        }
    }

    @Test func `Ten megabytes of any input are malformed`() {
        let big = String(repeating: "A", count: 10 << 20)
        #expect(trust.verifier.verify(big).code == .malformed)
        #expect(trust.verifier.verify("\(big).e30.AA").code == .malformed)
        #expect(trust.verifier.verify("\(segments.header).\(big).AA").code == .malformed)
        #expect(trust.verifier.verify("\(segments.header).\(segments.payload).\(big)").code == .invalidSignature)
    }

    @Test func `Every way to pass a token gives the same result`() throws {
        for text in [segments.jws, segments.jws + "A", "a.b"] {
            let expected = trust.verifier.verify(text).code
            #expect(trust.verifier.verify(bytes: Array(text.utf8)).code == expected)
            #expect(trust.verifier.verify(bytes: text.utf8.reversed().reversed()).code == expected)
            #expect(trust.verifier.verify(bytes: Array(text.utf8)[...]).code == expected)
            if let jws = CompactJWS(text) { #expect(trust.verifier.verify(jws).code == expected) }
        }
    }
}
