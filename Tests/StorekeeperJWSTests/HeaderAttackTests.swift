import Crypto
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests that a header can neither weaken a check nor change the key with which the signature is verified.
struct HeaderAttackTests {
    let trust: Trust
    init() throws { trust = try Trust.shared.get() }

    @Test(
        "A header with an algorithm other than ES256 is refused",
        arguments: [
            #"{"alg":"none","x5c":X5C}"#, #"{"alg":"ES384","x5c":X5C}"#, #"{"x5c":X5C}"#, #"{"alg":"es256","x5c":X5C}"#,
            #"{"alg":"ES256 ","x5c":X5C}"#, #"{"alg":null,"x5c":X5C}"#, #"{"alg":256,"x5c":X5C}"#,
            #"{"alg":["ES256"],"x5c":X5C}"#, #"{"alg":"RS256","x5c":X5C}"#, #"{"ALG":"ES256","x5c":X5C}"#,
            // This header also has faults that are later in the order of faults.
            #"{"alg":"none","crit":["exp"],"x5c":[]}"#,
        ])
    func algorithm(header: String) throws {
        #expect(try trust.verifier.verify(trust.sign(header: header)).code == .unsupportedAlgorithm)
    }

    @Test func `HS256 with the public key as the secret is refused`() throws {
        let segments = Segments(try trust.sign(header: #"{"alg":"HS256","x5c":X5C}"#))
        let input = "\(segments.header).\(segments.payload)"
        for secret in try trust.signer.certificates {
            let code = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: secret))
            let jws = "\(input).\(Base64URL.encode(Array(code)))"
            #expect(trust.verifier.verify(jws).code == .unsupportedAlgorithm)
        }
    }

    @Test func `An unsecured token without a signature is malformed`() throws {
        let segments = Segments(try trust.sign(header: #"{"alg":"none","x5c":X5C}"#))
        #expect(trust.verifier.verify("\(segments.header).\(segments.payload).").code == .malformed)
    }

    @Test(
        "A header with a member that could redirect verification is refused",
        arguments: [
            #""crit":["b64"]"#, #""crit":null"#, #""b64":false"#, #""b64":true"#, #""zip":"DEF""#,
            #""jku":"https://example.com/keys""#, #""jwk":{"kty":"EC"}"#, #""x5u":"https://example.com/chain""#,
            #""\u0063rit":[]"#, #""x5\u0075":"""#,
        ])
    func forbidden(member: String) throws {
        let jws = try trust.sign(header: #"{"alg":"ES256",\#(member),"x5c":X5C}"#)
        #expect(trust.verifier.verify(jws).code == .forbiddenHeader)
    }

    @Test(
        "Members without effect on verification are ignored",
        arguments: [#""kid":"another""#, #""typ":"JWT""#, #""x5t":"AAAA""#, #""cty":"json""#, #""extra":{"deep":[1]}"#])
    func ignored(member: String) throws {
        let jws = try trust.sign(header: #"{"alg":"ES256",\#(member),"x5c":X5C}"#)
        #expect(trust.verifier.verify(jws).code == nil)
    }

    @Test(
        "A header that cannot be read is malformed, whatever its other faults",
        arguments: [
            #"{"alg":"ES256","alg":"none","x5c":X5C}"#, #"{"alg":"none","\u0061lg":"ES256","x5c":X5C}"#,
            #"{"alg":"ES256","x5c":X5C,"x5c":[]}"#, #"["ES256"]"#, "", "{", #"{"alg":"ES256","x5c":X5C} x"#,
            "\u{FEFF}" + #"{"alg":"ES256","x5c":X5C}"#, #"{"alg":"ES256","x5c":X5C,}"#,
            #"{"alg":"none"}"#, #"{"alg":"ES256","x5c":null}"#, #"{"alg":"ES256","x5c":{}}"#,
            #"{"alg":"ES256","x5c":"AAAA"}"#, #"{"alg":"ES256","x5c":["AAAA",5,"AAAA"]}"#,
            #"{"alg":"ES256","x5c":[["AAAA"],"AAAA","AAAA"]}"#, #"{"alg":"ES256","x5c":["\uD800","AAAA","AAAA"]}"#,
            #"{"alg":"ES256","x5c":["AAAA","AAAA","A"]}"#, #"{"alg":"ES256","x5c":["AAAA","AAAA","AA=A"]}"#,
            #"{"alg":"ES256","x5c":["AAA","AAAA","AAAA"]}"#, #"{"alg":"ES256","x5c":["AAB=","AAAA","AAAA"]}"#,
            #"{"alg":"ES256","x5c":["====","AAAA","AAAA"]}"#,
        ])
    func unreadable(header: String) throws {
        #expect(try trust.verifier.verify(trust.sign(header: header)).code == .malformed)
    }

    @Test func `A header nested deeper than 64 levels is malformed`() throws {
        for depth in [64, 10_000] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let jws = try trust.sign(header: #"{"alg":"ES256","x5c":X5C,"deep":\#(deep)}"#)
            #expect(trust.verifier.verify(jws).code == .malformed)
        }
    }

    @Test func `A header above 64 KiB is malformed, a smaller one is not`() throws {
        for (size, code) in [(60 << 10, nil), (70 << 10, VerificationError.Code.malformed), (10 << 20, .malformed)] {
            let padding = String(repeating: "k", count: size)
            let jws = try trust.sign(header: #"{"alg":"ES256","x5c":X5C,"kid":"\#(padding)"}"#)
            #expect(trust.verifier.verify(jws).code == code)
        }
    }
}

/// Tests that `x5c` must contain exactly the three certificates of the chain.
struct CertificateListTests {
    let trust: Trust
    let certificates: [[UInt8]]
    init() throws {
        trust = try Trust.shared.get()
        certificates = try trust.signer.certificates
    }

    private func code(_ certificates: [[UInt8]]) throws -> VerificationError.Code? {
        trust.verifier.verify(try trust.sign(header: JWSSigner.header(certificates: certificates))).code
    }

    @Test("Any number of certificates but three is refused", arguments: [0, 1, 2, 4, 40])
    func count(_ count: Int) throws {
        let list = (0..<count).map { certificates[min($0, 2)] }
        #expect(try code(list) == .chainLength)
    }

    @Test(
        "Certificates in another order are refused",
        arguments: [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 0, 2]])
    func order(_ order: [Int]) throws {
        #expect(try code(order.map { certificates[$0] }) == .untrustedChain)
    }

    @Test func `Bytes that are not a DER certificate are refused`() throws {
        for position in 0..<3 {
            for bytes in [
                [], [0x30], [0x30, 0x80, 0, 0], Array("certificate".utf8), Array(certificates[position].dropLast()),
            ] {
                var list = certificates
                list[position] = bytes
                #expect(try code(list) == .untrustedChain)
            }
        }
    }

    @Test func `Bytes after a certificate are refused`() throws {
        for position in 0..<3 {
            var list = certificates
            list[position].append(0)
            #expect(try code(list) == .untrustedChain)
        }
    }

    @Test func `A huge certificate is refused`() throws {
        var list = certificates
        list[1] = [0x30, 0x82, 0x9C, 0x40] + [UInt8](repeating: 0x30, count: 40_000)
        #expect(try code(list) == .untrustedChain)
    }

    @Test(
        "White space and base64url characters in a certificate are malformed",
        arguments: [" ", "\\n", "\\t", "=", "-", "_", "\\u0000"])
    func characters(_ inserted: String) throws {
        for position in [1, 40, 401] {
            var text = try trust.x5c()
            text.insert(contentsOf: inserted, at: text.index(text.startIndex, offsetBy: position + 1))
            let jws = try trust.sign(header: #"{"alg":"ES256","x5c":\#(text)}"#)
            #expect(trust.verifier.verify(jws).code == .malformed)
        }
    }

    @Test func `A single changed bit in any certificate is refused`() throws {
        var random = PropertySettings.environment.generator
        for position in 0..<3 {
            for _ in 0..<60 {
                var list = certificates
                let byte = Int.random(in: list[position].indices, using: &random)
                list[position][byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                #expect(try code(list) != nil)
            }
        }
    }
}
