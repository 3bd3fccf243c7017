import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import Testing

/// Tests of accepted and refused roots, and of the authority that creates a root.
struct TrustedRootTests {
    let authority: LocalAuthority
    init() throws { authority = try Trust.shared.get().authority }

    @Test func `A root is the same from DER and from PEM`() throws {
        let pem = authority.rootPEM
        for text in [
            pem, "subject=Root\n" + pem + "\ntrailing\n", pem.replacing("\n", with: "\r\n"),
            pem.replacing("\n", with: "\n  "),
        ] {
            #expect(try TrustedRoot(pem: text) == authority.root)
            #expect(try TrustedRoot(derOrPEM: Array(text.utf8)) == authority.root)
        }
        #expect(try TrustedRoot(der: authority.root.der) == authority.root)
        #expect(try TrustedRoot(derOrPEM: authority.root.der) == authority.root)
        #expect(pem.hasSuffix("-----END CERTIFICATE-----\n"))
        #expect(pem.split(separator: "\n").allSatisfy { $0.count <= 64 })
    }

    @Test func `The error for a file that is not a root names the fault`() throws {
        let pem = authority.rootPEM
        func code(_ text: String) -> TrustedRootError.Code? {
            do throws(TrustedRootError) {
                _ = try TrustedRoot(derOrPEM: Array(text.utf8))
                return nil
            } catch { return error.code }
        }
        #expect(code("") == .notACertificate)
        #expect(code("hello") == .notACertificate)
        #expect(code("0hello") == .notACertificate)
        #expect(code(pem + pem) == .severalCertificates)
        #expect(code(String(pem.prefix(200))) == .noCertificateBlock)
        #expect(code(pem.replacing("CERTIFICATE", with: "PRIVATE KEY")) == .noCertificateBlock)
        #expect(code(pem.replacing("M", with: "!")) == .badBase64)
        #expect(code("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----") == .notACertificate)
        #expect(throws: TrustedRootError.self) { try TrustedRoot(der: authority.root.der + [0]) }
        #expect(throws: TrustedRootError.self) { try TrustedRoot(der: Array(authority.root.der.dropLast())) }
    }

    @Test func `A fingerprint is 32 upper-case pairs with colons`() throws {
        let pairs = authority.root.sha256Fingerprint.split(separator: ":")
        #expect(pairs.count == 32)
        #expect(pairs.allSatisfy { $0.count == 2 && $0.allSatisfy { "0123456789ABCDEF".contains($0) } })
        #expect(try LocalAuthority().root.sha256Fingerprint != authority.root.sha256Fingerprint)
    }

    @Test func `Certificates of the authority are valid from 1970 to 9999`() throws {
        let trust = try Trust.shared.get()
        for (date, isValid) in [
            ("86399999", false), ("86400000", true), ("4102444800000", true), ("253402300799000", true),
            ("253402300799001", false),
        ] {
            let jws = try trust.sign(Sample.transaction(["signedDate": date]))
            #expect((trust.verifier.verify(jws).code == nil) == isValid, "\(date)")
        }
    }

    @Test func `Signers of one authority have different leaves`() throws {
        let (first, second) = (authority.makeSigner(), authority.makeSigner())
        #expect(try first.certificates[0] != second.certificates[0])
        #expect(try first.certificates[1...] == second.certificates[1...])
    }
}

/// Tests of the digest that binds a signed copy to a device.
struct DeviceVerificationTests {
    // SHA-384 of "0ab2f1a4-9c2e-4f3d-8b7a-1c2d3e4f5a6b" + "7e3fb204-2d6a-4b1c-a8b4-6f0d35b7c1aa", computed with another
    // program.
    static let digest = "wDHIRJ7+kRE0GRkyPUd3tzI8VO5Sy3r6Zlktg+7Ser2OXw5jRa/kfbjqbDV9KUx6"
    static let nonce = "0AB2F1A4-9C2E-4F3D-8B7A-1C2D3E4F5A6B"
    static let device = "7E3FB204-2D6A-4B1C-A8B4-6F0D35B7C1AA"

    private func transaction(_ changes: Sample.Members) throws -> Transaction {
        try Trust.shared.get().verifier.transaction(Trust.shared.get().sign(Sample.transaction(changes))).payloadValue
    }

    @Test func `The digest of nonce and device matches in upper and lower case`() throws {
        let nonce = try #require(UUID(uuidString: Self.nonce))
        let device = try #require(UUID(uuidString: Self.device))
        #expect(DeviceVerification.digest(nonce: nonce, deviceID: device).count == 48)
        #expect(DeviceVerification.matches(Self.digest, nonce: nonce, deviceID: device))
        #expect(!DeviceVerification.matches(Self.digest, nonce: device, deviceID: nonce))
        for text in ["", "AAAA", Self.digest + "=", String(Self.digest.dropLast(4)), Self.digest.lowercased()] {
            #expect(!DeviceVerification.matches(text, nonce: nonce, deviceID: device))
        }
        for nonceText in [Self.nonce, Self.nonce.lowercased()] {
            let signed = try transaction([
                "deviceVerification": "\"\(Self.digest)\"", "deviceVerificationNonce": "\"\(nonceText)\"",
            ])
            #expect(DeviceVerification.matches(signed, deviceID: device))
            #expect(!DeviceVerification.matches(signed, deviceID: nonce))
        }
    }

    @Test func `A copy without digest or nonce matches no device`() throws {
        let device = try #require(UUID(uuidString: Self.device))
        #expect(!DeviceVerification.matches(try transaction([:]), deviceID: device))
        let lacking = try transaction(["deviceVerification": "\"\(Self.digest)\""])
        #expect(!DeviceVerification.matches(lacking, deviceID: device))
    }
}
