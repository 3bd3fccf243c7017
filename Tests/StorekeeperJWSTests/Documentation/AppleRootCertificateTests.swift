import StorekeeperJWS
import Testing

@Suite("The article Apple's root certificate") struct AppleRootCertificateTests {
    private struct WrongRoot: Error {}

    @Test("The article's code requires a fingerprint") func insisting() throws {
        func load(_ rootFile: [UInt8], expecting expectedFingerprint: String) throws -> TrustedRoot {
            let root = try TrustedRoot(derOrPEM: rootFile)
            guard root.sha256Fingerprint == expectedFingerprint else { throw WrongRoot() }
            return root
        }
        let root = try LocalAuthority().root
        #expect(try load(root.der, expecting: root.sha256Fingerprint) == root)
        #expect(throws: WrongRoot.self) { try load(root.der, expecting: LocalAuthority().root.sha256Fingerprint) }
    }
}
