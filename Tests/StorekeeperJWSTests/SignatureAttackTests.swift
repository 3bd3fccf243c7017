import Crypto
import Storekeeper
import StorekeeperJWS
import Testing

/// Tests of which signatures are accepted for an item.
struct SignatureAttackTests {
    let trust: Trust
    let segments: Segments
    let signature: [UInt8]

    init() throws {
        trust = try Trust.shared.get()
        segments = Segments(try trust.sign())
        signature = try #require(Base64URL.decode(segments.signature.utf8))
    }

    private func code(signature: [UInt8]) -> VerificationError.Code? {
        var segments = segments
        segments.signature = Base64URL.encode(signature)
        return trust.verifier.verify(segments.jws).code
    }

    @Test("A signature of another length is refused", arguments: [1, 2, 32, 63, 65, 66, 96, 128, 100_000])
    func length(_ length: Int) {
        #expect(
            code(signature: Array((signature + [UInt8](repeating: 0, count: length)).prefix(length)))
                == .invalidSignature)
    }

    @Test func `A signature with zero for r or s is refused`() {
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(code(signature: zero + signature[32...]) == .invalidSignature)
        #expect(code(signature: signature[..<32] + zero) == .invalidSignature)
        #expect(code(signature: zero + zero) == .invalidSignature)
    }

    /// The order of the group of P-256, big-endian.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    @Test func `A signature with the order of the group for r or s is refused`() {
        #expect(code(signature: Self.order + signature[32...]) == .invalidSignature)
        #expect(code(signature: signature[..<32] + Self.order) == .invalidSignature)
        #expect(code(signature: [UInt8](repeating: 0xFF, count: 64)) == .invalidSignature)
    }

    @Test func `Both forms of s are accepted, as in Apple's libraries`() {
        var other = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for position in (0..<32).reversed() {
            let difference = Int(Self.order[position]) - Int(signature[32 + position]) - borrow
            other[position] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        #expect(code(signature: signature[..<32] + other) == nil)
        #expect(code(signature: signature) == nil)
    }

    @Test func `A signature in DER is refused`() throws {
        let der = try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation
        #expect(code(signature: Array(der)) == .invalidSignature)
    }

    @Test func `A signature of another payload, key or header is refused`() throws {
        var other = segments
        other.payload = Segments(try trust.sign(Sample.transaction(["quantity": "2"]))).payload
        #expect(trust.verifier.verify(other.jws).code == .invalidSignature)
        let stranger = trust.authority.makeSigner()
        let header = JWSSigner.header(certificates: try trust.signer.certificates)
        #expect(
            trust.verifier.verify(try stranger.sign(header: header, payload: Sample.transaction())).code
                == .invalidSignature)
        var spaced = segments
        spaced.header = Base64URL.encode(Array((header + " ").utf8))
        #expect(trust.verifier.verify(spaced.jws).code == .invalidSignature)
    }

    @Test func `Items under a known chain are still checked`() throws {
        #expect(trust.verifier.verify(segments.jws).code == nil)
        var forged = segments
        forged.payload = Base64URL.encode(Sample.transaction(["productId": #""everything""#]))
        #expect(trust.verifier.verify(forged.jws).code == .invalidSignature)
        forged.signature = Base64URL.encode([UInt8](repeating: 7, count: 64))
        #expect(trust.verifier.verify(forged.jws).code == .invalidSignature)
        forged.payload += "="
        #expect(trust.verifier.verify(forged.jws).code == .malformed)
        #expect(
            trust.verifier.verify(try trust.sign(Sample.transaction(["bundleId": #""other""#]))).code == .bundleMismatch
        )
        #expect(trust.verifier.verify(segments.jws).code == nil)
    }
}
