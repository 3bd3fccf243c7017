import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Results of verification")
struct VerificationResultTests {
    private static let draft = TransactionDraft(id: "1", productID: "coins", type: .consumable, purchasedAt: .day(0))

    @Test("An unsigned payload can be read, is not verified, and is not a fact that a vault accepts")
    func unsigned() throws {
        let transaction = try Self.draft.transaction()
        let result = VerificationResult.unsigned(transaction)
        #expect(result.unsafePayloadValue === transaction)
        #expect(result.error?.code == .unsignedEvidence)
        #expect(throws: VerificationError.self) { try result.payloadValue }
        #expect(CheckedEvidence.transaction(result).isUnsigned)
        #expect(VerifiedFact(.transaction(result)) == nil)
    }

    @Test("A signed payload that was not checked is not a fact, and answers from it are not verified")
    func signedButUnchecked() throws {
        let signed = try #require(try Self.draft.verifiedFact().transaction)
        #expect(signed.source.jws != nil)
        #expect(VerifiedFact(.transaction(.unsigned(signed))) == nil)
        var history = PurchaseHistory()
        history.merge(.verified(signed))
        #expect(history.isVerified)
        history.merge(.unsigned(signed))
        #expect(!history.isVerified)
    }
}
