import Crypto
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("Offers signed by the app") struct OfferTests {
    static let offer = PromotionalOffer(productID: "gold.monthly", offerID: "come.back")
    static let nonce = "2F1D3C4B-5A69-4788-9786-A5B4C3D2E1F0"

    let secret = P256.Signing.PrivateKey()

    func signer() throws -> OfferSigner {
        OfferSigner(
            key: try Fixture.key(secret), bundleID: Fixture.bundleID,
            clock: VirtualClock(Instant(clamped: 1_700_000_000_123)))
    }

    /// Returns the signed message, written out by hand.
    func message(_ account: String) -> Data {
        Data(
            "com.example.game\u{2063}ABC123DEFG\u{2063}gold.monthly\u{2063}come.back\u{2063}\(account)\u{2063}2f1d3c4b-5a69-4788-9786-a5b4c3d2e1f0\u{2063}1700000000123"
                .utf8)
    }

    @Test(
        "The original signature is DER over seven parts",
        arguments: [("", ""), ("7F3C2A10-1111-4222-8333-444455556666", "7f3c2a10-1111-4222-8333-444455556666")])
    func original(_ account: String, _ signed: String) throws {
        let nonce = try #require(UUID(uuidString: Self.nonce))
        let made = try signer().promotionalOfferSignature(Self.offer, account: account, nonce: nonce)
        let der = try #require(Data(base64Encoded: made.signature))
        #expect(der.first == 0x30)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: der)
        #expect(secret.publicKey.isValidSignature(signature, for: message(signed)))
        #expect(!secret.publicKey.isValidSignature(signature, for: message("another")))
        #expect(made.keyID == Fixture.keyID && made.nonce == nonce)
        #expect(made.signedAt.millisecondsSince1970 == 1_700_000_000_123)
    }

    @Test("OpenSSL verifies the original signature, too") func openSSL() throws {
        let program = "/usr/bin/openssl"
        guard FileManager.default.isExecutableFile(atPath: program) else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let nonce = try #require(UUID(uuidString: Self.nonce))
        let made = try signer().promotionalOfferSignature(Self.offer, nonce: nonce)
        try secret.publicKey.pemRepresentation.write(
            to: folder.appending(path: "key"), atomically: true, encoding: .utf8)
        try #require(Data(base64Encoded: made.signature)).write(to: folder.appending(path: "signature"))
        for (account, isRight) in [("", true), ("x", false)] {
            try message(account).write(to: folder.appending(path: "message"))
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.currentDirectoryURL = folder
            process.arguments = ["dgst", "-sha256", "-verify", "key", "-signature", "signature", "message"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect((process.terminationStatus == 0) == isRight)
        }
    }

    @Test("A separator in a part and an empty name are refused") func refusals() throws {
        for offer in [
            PromotionalOffer(productID: "a\u{2063}b", offerID: "c"), PromotionalOffer(productID: "", offerID: "c"),
            PromotionalOffer(productID: "a", offerID: ""),
        ] {
            #expect(throws: AppStoreServerError.self) { try signer().promotionalOfferSignature(offer) }
        }
    }

    func claims(_ jws: String) throws -> [String: String] {
        let parts = jws.split(separator: ".")
        try #require(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: #require(Base64URL.decode(parts[2].utf8)))
        #expect(secret.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let header = try JSONReader().read(#require(Base64URL.decode(parts[0].utf8))).root.object
        #expect(header?["alg"]?.string == "ES256" && header?["kid"]?.string == Fixture.keyID)
        #expect(header?["typ"]?.string == "JWT")
        let text = try #require(Base64URL.decode(parts[1].utf8))
        let payload = try #require(try JSONReader().read(text).root.object)
        var claims: [String: String] = [:]
        for member in payload {
            claims[member.name] = member.value.string ?? String(decoding: member.value.sourceText, as: UTF8.self)
        }
        return claims
    }

    static let common = [
        "iss": Fixture.issuerID, "iat": "1700000000", "bid": "com.example.game",
        "nonce": "2f1d3c4b-5a69-4788-9786-a5b4c3d2e1f0",
    ]

    @Test("A signed request has exactly the claims of its kind") func requests() async throws {
        let nonce = try #require(UUID(uuidString: Self.nonce))
        let signer = try signer()
        let promotional = try await signer.promotionalOffer(Self.offer, transactionID: "70001", nonce: nonce)
        #expect(
            try claims(promotional)
                == Self.common.merging([
                    "aud": "promotional-offer", "productId": "gold.monthly", "offerIdentifier": "come.back",
                    "transactionId": "70001",
                ]) { $1 })
        let anonymous = try await signer.promotionalOffer(Self.offer, nonce: nonce)
        #expect(try claims(anonymous)["transactionId"] == nil)
        for isAllowed in [true, false] {
            let eligibility = try await signer.introductoryOfferEligibility(
                isAllowed, of: "gold.monthly", transactionID: "70001", nonce: nonce)
            #expect(
                try claims(eligibility)
                    == Self.common.merging([
                        "aud": "introductory-offer-eligibility", "productId": "gold.monthly",
                        "allowIntroductoryOffer": "\(isAllowed)", "transactionId": "70001",
                    ]) { $1 })
        }
        let request = Array(#"{"operation":"CREATE_ONE_TIME_CHARGE","version":"1"}"#.utf8)
        let commerce = try await signer.advancedCommerce(request: request, nonce: nonce)
        #expect(
            try claims(commerce)
                == Self.common.merging([
                    "aud": "advanced-commerce-api", "request": Data(request).base64EncodedString(),
                ]) { $1 })
        for wrong in ["", "[]", "{"] {
            await #expect(throws: AppStoreServerError.self) {
                try await signer.advancedCommerce(request: Array(wrong.utf8))
            }
        }
    }
}
