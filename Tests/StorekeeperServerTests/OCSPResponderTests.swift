import HTTPTypes
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of a verifier that asks the local App Store whether its certificates were revoked.
@Suite struct OCSPResponderTests {
    /// Delivers a request to the local App Store without a network.
    private struct LocalStoreOCSPTransport: OCSPTransport {
        let local: LocalAppStore

        func response(to request: [UInt8], at url: String, sizeLimit: Int) async throws -> [UInt8] {
            await local.respond(.post, "/ocsp", body: request).body
        }
    }

    private static let url = "http://127.0.0.1/ocsp"

    @Test(
        "A strict verifier sees the certificate status that the local App Store was set to",
        arguments: [
            ("{}", nil), (#"{"leaf": "revoked"}"#, .certificateRevoked),
            (#"{"intermediate": "revoked"}"#, .certificateRevoked), (#"{"leaf": "unknown"}"#, .revocationUnknown),
            (#"{"leaf": "garbage"}"#, .revocationUnknown),
        ] as [(String, VerificationError.Code?)])
    func verdicts(_ body: String, _ failure: VerificationError.Code?) async throws {
        let authority = try LocalAuthority(name: "Desk", ocspResponder: Self.url)
        let served = try await ServedStore(authority: authority)
        let answer = await served.local.respond(.post, "/local/v1/certificates", json: body)
        #expect(answer.status == 200)
        try await served.step("buy coins.100 by anna")
        let jws = try #require(try served.store.evidence(of: "anna").first)
        let wall = served.wall
        let checker = OCSPChecker(
            OCSPChecker.Configuration(policy: .hard), transport: LocalStoreOCSPTransport(local: served.local),
            time: RevocationTime(now: { wall.now }, sleep: { try await wall.sleep(until: $0) }))
        let verifier = JWSVerifier(
            JWSVerifier.Configuration(
                roots: [authority.root], bundleID: ServedStore.bundleID, environments: [.sandbox], revocation: checker))
        await verifier.learnRevocation(of: [jws])
        #expect(verifier.verify(jws).error?.code == failure)
    }

    @Test(
        "A malformed certificate status is refused and changes nothing",
        arguments: [#"{"root": "good"}"#, #"{"leaf": "bad"}"#, #"{"leaf": 1}"#, "[]", ""])
    func nonsense(_ body: String) async throws {
        let served = try await ServedStore()
        let answer = await served.local.respond(.post, "/local/v1/certificates", json: body)
        #expect(answer.status == 400)
        #expect(served.local.certificates.verdict(on: .leaf) == .good)
    }
}
