import Storekeeper
import StorekeeperJWS
import Testing

/// Certificates of a form that the parser takes and no authority makes.
struct CertificateFormTests {
    private typealias Form = HandmadeChain.Form

    private static func code(_ chain: HandmadeChain) throws -> VerificationError.Code? {
        let verifier = JWSVerifier(
            .init(roots: [try TrustedRoot(der: chain.certificates[2])], bundleID: Sample.bundleID))
        return verifier.verify(try chain.sign(Sample.transaction())).code
    }

    /// A chain of which the certificate at a position, from the leaf, has a form.
    private static func chain(_ position: Int, _ form: Form) throws -> HandmadeChain {
        try HandmadeChain(
            leaf: position == 0 ? form : Form(), intermediate: position == 1 ? form : Form(),
            root: position == 2 ? form : Form())
    }

    @Test func `A chain put together by hand in the common form is trusted`() throws {
        #expect(try Self.code(try HandmadeChain()) == nil)
    }

    @Test func `A signature over another digest is good where both places say so`() throws {
        let form = Form(inner: DER.ecdsaWithSHA256, outer: DER.ecdsaWithSHA256, signsWithSHA256: true)
        for position in 0..<3 { #expect(try Self.code(Self.chain(position, form)) == nil, "\(position)") }
    }

    @Test("The signature algorithm inside must be the one outside, parameters included", arguments: 0..<3)
    func innerAlgorithm(position: Int) throws {
        let forms = [
            Form(inner: DER.ecdsaWithSHA256), Form(inner: DER.ecdsaWithSHA384AndNull),
            Form(outer: DER.ecdsaWithSHA256, signsWithSHA256: true),
        ]
        for form in forms { #expect(try Self.code(Self.chain(position, form)) == .untrustedChain) }
    }

    @Test("A signature is whole bytes: other bytes are another certificate", arguments: 0..<3)
    func unusedBit(position: Int) throws {
        #expect(try Self.code(Self.chain(position, Form(hasUnusedBit: true))) == .untrustedChain)
    }

    @Test("Only a certificate of version 3 may have extensions", arguments: 0..<3)
    func version(position: Int) throws {
        for version: UInt8? in [nil, 1] {
            #expect(try Self.code(Self.chain(position, Form(version: version))) == .untrustedChain)
        }
    }

    @Test("A version that does not exist is no certificate", arguments: [3, 7, 255] as [UInt8])
    func unknownVersion(version: UInt8) throws {
        #expect(try Self.code(Self.chain(0, Form(version: version))) == .untrustedChain)
    }

    @Test func `A certificate without extensions lacks what its place asks for`() throws {
        #expect(try Self.code(Self.chain(0, Form(extensions: []))) == .missingMarker)
        #expect(try Self.code(Self.chain(1, Form(extensions: []))) == .untrustedChain)
    }
}
