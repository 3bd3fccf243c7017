import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@Suite("The article Verifying evidence") struct VerifyingEvidenceTests {
    private let authority: LocalAuthority
    private let jws: String

    init() throws {
        authority = try LocalAuthority()
        jws = try authority.makeSigner().sign(payload: TransactionDraft.purchase(of: "remove.ads", at: .day(0)).payload)
    }

    @Test("The article's code verifies single items and batches") func verifying() async throws {
        let rootFile = Array(authority.rootPEM.utf8)
        let lines = [jws, jws]
        var history = PurchaseHistory()
        var parts: [CheckedEvidence] = []

        let root = try TrustedRoot(derOrPEM: rootFile)
        let verifier = JWSVerifier(.init(roots: [root], bundleID: "com.example.game", appAppleID: 1_234_567_890))

        switch verifier.verify(jws) {
        case .transaction(let result):
            history.merge([result])
        case .renewalInfo(let result):
            history.merge(result)
        case .notification(.verified(let notification)):
            parts = verifier.contents(of: notification)
        case let other:
            print(other.error?.description ?? "nothing about purchases")
        }

        let transaction = try verifier.transaction(jws).payloadValue

        let results = await verifier.verifyBatch(lines.compactMap { CompactJWS($0) })

        #expect(history.count == 1 && parts.isEmpty)
        #expect(transaction.productID == "remove.ads")
        #expect(results.map { $0.error == nil } == [true, true])
    }

    @Test("The article's code signs") func signing() throws {
        let payload = TransactionDraft.purchase(of: "remove.ads", at: .day(0)).payload

        let authority = try LocalAuthority()
        let signed = try authority.makeSigner().sign(payload: payload)
        let ownVerifier = JWSVerifier(.init(roots: [authority.root], bundleID: nil))

        #expect(ownVerifier.verify(signed).error == nil)
        #expect(ownVerifier.verify(jws).error?.code == .untrustedChain)
    }
}
