import HTTPTypes
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

/// Tests of the receipts of the local App Store.
@Suite struct ReceiptEndpointTests {
    @Test("A customer's receipt is verified by the receipt verifier, and has what was bought")
    func receipt() async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        try await served.step("buy remove.ads by anna")
        let answer = await served.local.respond(.get, "/local/v1/people/anna/receipt")
        let receipt = try #require(answer.document?.object?["receipt-data"]?.string)
        let verifier = ReceiptVerifier(
            .init(roots: [served.store.root], bundleID: ServedStore.bundleID, environments: [.sandbox]))
        let checked = verifier.verify(Array(receipt.utf8))
        #expect(checked.error == nil)
        #expect(try checked.receipt == served.store.receiptContent(of: "anna"))
        #expect(await served.local.respond(.get, "/local/v1/people/nobody/receipt").status == 422)
    }

    @Test("verifyReceipt is gone, however long the receipt is", arguments: [0, 2 << 20])
    func verifyReceipt(bytes: Int) async throws {
        let served = try await ServedStore()
        let body = #"{"receipt-data":""# + String(repeating: "A", count: bytes) + #""}"#
        let answer = await served.local.respond(.post, "/verifyReceipt", json: body)
        #expect(answer.status == 410)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("'storekeeper receipt'"))
    }
}
