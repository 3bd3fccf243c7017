import Crypto
import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("Bearer tokens") struct TokenTests {
    func parts(_ token: String) throws -> (header: JSONValue, claims: JSONValue, input: [UInt8], signature: [UInt8]) {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let decoded = try parts.map { try #require(Base64URL.decode($0.utf8)) }
        return (
            try JSONReader().read(decoded[0]).root, try JSONReader().read(decoded[1]).root,
            Array("\(parts[0]).\(parts[1])".utf8), decoded[2]
        )
    }

    @Test("A token has the required claims and a valid signature") func claims() async throws {
        let key = P256.Signing.PrivateKey()
        let clock = VirtualClock(Instant(clamped: 1_700_000_000_999))
        let tokens = BearerTokens(
            key: try Fixture.key(key), bundleID: Fixture.bundleID, lifetime: .seconds(300), clock: clock)
        let (header, claims, input, signature) = try parts(try await tokens.token())
        #expect(header.object?["alg"]?.string == "ES256")
        #expect(header.object?["kid"]?.string == Fixture.keyID)
        #expect(header.object?["typ"]?.string == "JWT")
        #expect(claims.object?["iss"]?.string == Fixture.issuerID)
        #expect(claims.object?["iat"]?.int64 == 1_700_000_000)
        #expect(claims.object?["exp"]?.int64 == 1_700_000_300)
        #expect(claims.object?["aud"]?.string == "appstoreconnect-v1")
        #expect(claims.object?["bid"]?.string == Fixture.bundleID)
        let ecdsa = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        #expect(key.publicKey.isValidSignature(ecdsa, for: input))
    }

    @Test("A token is valid for an hour at most", arguments: [(0, 60), (600, 600), (7200, 3600)])
    func lifetime(_ asked: Int, _ given: Int64) async throws {
        let clock = VirtualClock(.testEpoch)
        let tokens = BearerTokens(key: try Fixture.key(), bundleID: "b", lifetime: .seconds(asked), clock: clock)
        let claims = try parts(try await tokens.token()).claims.object
        #expect(try #require(claims?["exp"]?.int64) - #require(claims?["iat"]?.int64) == given)
    }

    @Test("A token is cached, and renewed before its end") func renewal() async throws {
        let clock = VirtualClock(.testEpoch)
        let tokens = BearerTokens(key: try Fixture.key(), bundleID: "b", lifetime: .seconds(1000), clock: clock)
        let first = try await tokens.token()
        clock.advance(by: .milliseconds(799_999))
        #expect(try await tokens.token() == first)
        clock.advance(by: .milliseconds(1))
        #expect(try await tokens.token() != first)
        #expect(tokens.signedCount == 2)
        // The clock is set back. The App Store refuses a token that was issued in the future.
        clock.set(.testEpoch)
        _ = try await tokens.token()
        #expect(tokens.signedCount == 3)
    }

    @Test("A hundred callers share one signature") func sharing() async throws {
        let tokens = BearerTokens(key: try Fixture.key(), bundleID: "b", clock: VirtualClock(.testEpoch))
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await tokens.token() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 1)
        #expect(tokens.signedCount == 1)
    }

    @Test("A refused token is discarded, but not a newer one")
    func discarding() async throws {
        let clock = VirtualClock(.testEpoch)
        let tokens = BearerTokens(key: try Fixture.key(), bundleID: "b", lifetime: .seconds(1000), clock: clock)
        let old = try await tokens.token()
        clock.advance(by: .seconds(800))
        let new = try await tokens.token()
        #expect(new != old)
        // A refusal of the old token arrives after another request has already renewed the token.
        tokens.discard(old)
        #expect(try await tokens.token() == new)
        #expect(tokens.signedCount == 2)
        tokens.discard(new)
        #expect(try await tokens.token() != new)
        #expect(tokens.signedCount == 3)
    }

    @Test("A refused token is replaced once in a call") func refused() async throws {
        try await Fixture.withClient(serving: { _, count in
            count == 1 ? .json(WireFaultTests.page) : .answer(401, [:], "Unauthenticated", type: "text/plain")
        }) { client, server in
            let page = try await client.history(of: "1")
            #expect(page.revision == "r")
            let tokens = Set(server.requests.compactMap { $0.fields["authorization"] })
            #expect(tokens.count == 2)
            let error = await Fixture.failure { try await client.history(of: "1") }
            #expect(error?.code == .unauthorized)
            #expect(server.requests.count == 4)
        }
    }

    @Test("Descriptions of a key do not show it") func redaction() throws {
        let secret = P256.Signing.PrivateKey()
        let key = try Fixture.key(secret)
        var dumped = ""
        dump(key, to: &dumped)
        let raw = secret.rawRepresentation.base64EncodedString()
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(raw.prefix(12)))
            #expect(!text.contains("P256") && !text.contains("PRIVATE KEY"))
            #expect(text.contains(Fixture.keyID))
        }
    }

    @Test("A key is read from a file or from the environment") func sources() throws {
        let secret = P256.Signing.PrivateKey()
        let file = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString).p8")
        try secret.pemRepresentation.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let ids = ["APP_STORE_KEY_ID": "K", "APP_STORE_ISSUER_ID": "I"]
        let keys = try [
            AppStoreKey(keyID: "K", issuerID: "I", contentsOf: file.path()),
            AppStoreKey(environment: ids.merging(["APP_STORE_PRIVATE_KEY": secret.pemRepresentation]) { $1 }),
            AppStoreKey(environment: ids.merging(["APP_STORE_PRIVATE_KEY_FILE": file.path()]) { $1 }),
        ]
        for key in keys {
            #expect(key.publicKey.rawRepresentation == secret.publicKey.rawRepresentation)
            #expect(key.keyID == "K" && key.issuerID == "I")
        }
        #expect(throws: AppStoreServerError.self) { try AppStoreKey(environment: ids) }
        #expect(throws: AppStoreServerError.self) { try AppStoreKey(environment: [:]) }
    }

    static func block(_ label: String, _ body: String = "AAAA") -> String {
        "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
    }

    @Test(
        "A key is accepted without its line breaks, with escapes, and without its first and last line",
        arguments: ["", " ", "\\n", "\r\n", "\n\n"])
    func damagedKey(separator: String) throws {
        let secret = P256.Signing.PrivateKey()
        let pem = secret.pemRepresentation
        let key = try AppStoreKey(keyID: "K", issuerID: "I", pem: pem.replacing("\n", with: separator))
        #expect(key.publicKey.rawRepresentation == secret.publicKey.rawRepresentation)
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined(separator: separator)
        guard separator != "\\n" else { return }
        let bare = try AppStoreKey(keyID: "K", issuerID: "I", pem: body)
        #expect(bare.publicKey.rawRepresentation == secret.publicKey.rawRepresentation)
    }

    @Test(
        "For a text that is not such a key the error says what it is",
        arguments: [
            ("", "not PEM"), ("hello", "not PEM"), (block("EC PRIVATE KEY"), "openssl pkcs8"),
            (block("ENCRYPTED PRIVATE KEY"), "encrypted"), (block("PUBLIC KEY"), "public"),
            (block("CERTIFICATE"), "certificate"), (block("RSA PRIVATE KEY"), "no private key in PKCS #8"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n", "truncated"), (block("PRIVATE KEY", "*"), "base64"),
            (block("PRIVATE KEY"), "P-256"), (P384.Signing.PrivateKey().pemRepresentation, "P-256"),
            (Curve25519.Signing.PrivateKey().rawRepresentation.base64EncodedString(), "not PEM"),
        ])
    func noKey(_ pem: String, _ hint: String) {
        let error = #expect(throws: AppStoreServerError.self) {
            try AppStoreKey(keyID: "K", issuerID: "I", pem: pem)
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }
}
