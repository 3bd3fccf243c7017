import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import Testing

@Suite("Requests for retention messages") struct RealtimeRequestTests {
    static let members: [String: JSONText] = [
        "originalTransactionId": .string("1"), "appAppleId": .integer(7), "productId": .string("gold"),
        "userLocale": .string("en-US"), "requestIdentifier": .string("7f3c2a10-1111-4222-8333-444455556666"),
        "signedDate": .integer(1_767_225_600_000), "environment": .string("Production"),
    ]

    private let authority: LocalAuthority
    private let verifier: JWSVerifier

    init() throws {
        authority = try LocalAuthority()
        verifier = JWSVerifier(
            JWSVerifier.Configuration(roots: [authority.root], bundleID: "com.example.game", appAppleID: 7))
    }

    private func body(
        _ change: [String: JSONText] = [:], by signer: JWSSigner? = nil
    ) throws -> [UInt8] {
        let payload = JSONText.object(Self.members.merging(change) { $1 }).bytes()
        let jws = try (signer ?? authority.makeSigner()).sign(payload: payload)
        return JSONText.object(["signedPayload": .string(jws)]).bytes()
    }

    @Test("A signed request is read") func good() throws {
        let request = try verifier.realtimeRequest(body: try body())
        #expect(request.originalTransactionID == "1" && request.appAppleID == 7 && request.productID == "gold")
        #expect(request.userLocale == "en-US" && request.environment == .production)
        #expect(request.requestIdentifier.uuidString == "7F3C2A10-1111-4222-8333-444455556666")
        #expect(request.signedAt.millisecondsSince1970 == 1_767_225_600_000)
    }

    @Test(
        "A request that is not trusted is refused with its reason",
        arguments: [
            (["environment": .string("Sandbox")], .environmentRefused), (["appAppleId": .integer(8)], .appMismatch),
            (["productId": .null], .malformed), (["originalTransactionId": .string("")], .malformed),
            (["requestIdentifier": .string("x")], .malformed), (["userLocale": .integer(1)], .malformed),
            (["appAppleId": .null], .malformed), (["signedDate": .string("x")], .malformed),
            // A transaction with a valid signature is not a real-time request.
            (["transactionId": .string("1"), "type": .string("Consumable")], .malformed),
        ] as [([String: JSONText], VerificationError.Code)])
    func refused(_ change: [String: JSONText], _ code: VerificationError.Code) throws {
        let body = try body(change)
        let error = #expect(throws: VerificationError.self) { _ = try verifier.realtimeRequest(body: body) }
        #expect(error?.code == code)
    }

    @Test("Another root, a changed signature, and text other than a request are refused") func forged() throws {
        let other = try LocalAuthority().makeSigner()
        var damaged = try body()
        damaged[damaged.count - 20] ^= 1
        for body in [try body(by: other), damaged, Array("{}".utf8), [], Array(#"{"signedPayload":"a.b"}"#.utf8)] {
            #expect(throws: VerificationError.self) { _ = try verifier.realtimeRequest(body: body) }
        }
    }
}
