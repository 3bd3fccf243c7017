import Storekeeper
import StorekeeperJWS
import Testing

/// Tests of the signatures of webhooks.
@Suite struct WebhookSecretsTests {
    private static let now = Instant(clamped: 1_614_265_330_000)
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private static func code(
        _ secrets: [String] = [Self.secret], _ body: [UInt8] = Self.body, id: String? = Self.id,
        timestamp: String? = "1614265330",
        signature: String? = Self.signature, after seconds: Int64 = 0, tolerance: Duration = .seconds(300)
    ) -> WebhookError.Code? {
        do throws(WebhookError) {
            try WebhookSecrets(secrets).verify(
                body, id: id, timestamp: timestamp, signature: signature,
                at: now.adding(milliseconds: seconds * 1_000), tolerance: tolerance)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("The vector of the Standard Webhooks libraries is signed and verified")
    func vector() throws {
        let secrets = try WebhookSecrets([Self.secret])
        #expect(secrets.signature(of: Self.body, id: Self.id, timestamp: 1_614_265_330) == Self.signature)
        #expect(Self.code() == nil)
        #expect(Self.code([String(Self.secret.dropFirst(6))]) == nil, "the prefix is optional")
    }

    @Test("Signatures by old and new secrets are valid together")
    func rotation() throws {
        let new = WebhookSecrets.make()
        #expect(new.hasPrefix("whsec_") && new != WebhookSecrets.make())
        let both = try WebhookSecrets([new, Self.secret])
        let signature = both.signature(of: Self.body, id: Self.id, timestamp: 1_614_265_330)
        #expect(signature.hasSuffix(" " + Self.signature))
        #expect(Self.code([new], signature: signature) == nil)
        #expect(Self.code(signature: signature) == nil)
        #expect(Self.code([new, Self.secret]) == nil)
        #expect(Self.code([new]) == .invalidSignature)
        // Signatures of other versions than v1 are ignored.
        #expect(Self.code(signature: "v1a,AAAA \(Self.signature) v2,BBBB") == nil)
    }

    static let forgeries: [(String, WebhookError.Code?)] = [
        ("body", code([secret], body + [0x20])), ("body", code([secret], [])), ("id", code(id: "msg_other")),
        ("timestamp", code(timestamp: "1614265331")), ("signature", code(signature: "v1,AAAA")),
        ("signature", code(signature: "")), ("version", code(signature: "v2" + signature.dropFirst(2))),
        ("version", code(signature: String(signature.dropFirst(3)))),
        ("padding", code(signature: String(signature.dropLast()))),
        ("comma", code(signature: signature + "," + signature)),
        ("secret", code(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx"])),
    ]

    @Test("A message that differs in anything is refused", arguments: forgeries.indices)
    func forged(_ index: Int) { #expect(Self.forgeries[index].1 == .invalidSignature, "\(Self.forgeries[index].0)") }

    @Test("A message outside of the tolerance, or without a header, is refused")
    func times() {
        #expect(Self.code(after: 300) == nil && Self.code(after: -300) == nil)
        #expect(Self.code(after: 301) == .wrongTime && Self.code(after: -301) == .wrongTime)
        #expect(Self.code(after: 11, tolerance: .seconds(10)) == .wrongTime)
        for text in [
            "", "x", "1614265330.5", "+1614265330", " 1614265330", "9223372036854775807", "-9223372036854775808",
        ] {
            #expect(Self.code(timestamp: text) == .malformedTimestamp, "\(text)")
        }
        #expect(Self.code(id: nil) == .missingHeader && Self.code(id: "") == .missingHeader)
        #expect(Self.code(timestamp: nil) == .missingHeader && Self.code(signature: nil) == .missingHeader)
    }

    @Test("A secret has 24 to 64 bytes in Base64, and is never shown")
    func secrets() throws {
        for text in [
            "", "whsec_", "whsec_AAAA", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "secret", Self.secret + " ",
            "whsec_" + String(repeating: "AAAA", count: 22),
        ] {
            #expect(Self.code([text]) == .invalidSecret, "\(text)")
            #expect(Self.code([Self.secret, text]) == .invalidSecret, "\(text)")
        }
        #expect(Self.code([]) == .invalidSecret)
        let secrets = try WebhookSecrets([Self.secret])
        var text = "\(secrets) \(String(reflecting: secrets))"
        dump(secrets, to: &text)
        #expect(!text.contains("MfKQ9r8G"))
        for text in [Self.secret + "!", "whsec_abc"] {
            let error = #expect(throws: WebhookError.self) { try WebhookSecrets([text]) }
            #expect(error?.message.contains(text) == false)
        }
    }
}
