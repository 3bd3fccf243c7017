import Storekeeper
import StorekeeperJWS
import Testing

/// Tests with certificates in forms that the parser accepts, but that no authority issues.
struct CertificateFormTests {
    private typealias Form = HandmadeChain.Form

    private static func code(_ chain: HandmadeChain) throws -> VerificationError.Code? {
        let verifier = JWSVerifier(
            .init(roots: [try TrustedRoot(der: chain.certificates[2])], bundleID: Sample.bundleID))
        return verifier.verify(try chain.sign(Sample.transaction())).code
    }

    /// Returns a chain in which the certificate at a position, counted from the leaf, has the given form.
    private static func chain(_ position: Int, _ form: Form) throws -> HandmadeChain {
        try HandmadeChain(
            leaf: position == 0 ? form : Form(), intermediate: position == 1 ? form : Form(),
            root: position == 2 ? form : Form())
    }

    @Test func `A handmade chain in the usual form is trusted`() throws {
        #expect(try Self.code(try HandmadeChain()) == nil)
    }

    @Test func `A signature with another digest is valid if both algorithm fields name it`() throws {
        let form = Form(inner: DER.ecdsaWithSHA256, outer: DER.ecdsaWithSHA256, signsWithSHA256: true)
        for position in 0..<3 { #expect(try Self.code(Self.chain(position, form)) == nil, "\(position)") }
    }

    @Test(
        "The signature algorithms inside and outside the signed part must be equal, parameters included",
        arguments: 0..<3)
    func innerAlgorithm(position: Int) throws {
        let forms = [
            Form(inner: DER.ecdsaWithSHA256), Form(inner: DER.ecdsaWithSHA384AndNull),
            Form(outer: DER.ecdsaWithSHA256, signsWithSHA256: true),
        ]
        for form in forms { #expect(try Self.code(Self.chain(position, form)) == .untrustedChain) }
    }

    @Test("A signature with unused bits is refused", arguments: 0..<3)
    func unusedBit(position: Int) throws {
        #expect(try Self.code(Self.chain(position, Form(hasUnusedBit: true))) == .untrustedChain)
    }

    @Test("Only a certificate of version 3 may have extensions", arguments: 0..<3)
    func version(position: Int) throws {
        for version: UInt8? in [nil, 1] {
            #expect(try Self.code(Self.chain(position, Form(version: version))) == .untrustedChain)
        }
    }

    @Test("A certificate with an unknown version is refused", arguments: [3, 7, 255] as [UInt8])
    func unknownVersion(version: UInt8) throws {
        #expect(try Self.code(Self.chain(0, Form(version: version))) == .untrustedChain)
    }

    @Test func `A certificate without the extensions for its position is refused`() throws {
        #expect(try Self.code(Self.chain(0, Form(extensions: []))) == .missingMarker)
        #expect(try Self.code(Self.chain(1, Form(extensions: []))) == .untrustedChain)
    }
}
