import HTTPTypes
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore

/// Tests of the receipts of the local App Store, and of its `verifyReceipt`.
@Suite struct ReceiptEndpointTests {
    private func receipt(of person: String, in served: ServedStore) async throws -> String {
        let answer = await served.local.respond(.get, "/local/v1/people/\(person)/receipt")
        #expect(answer.status == 200)
        return try #require(answer.document?.object?["receipt-data"]?.string)
    }

    private func verify(_ body: String, by served: ServedStore) async throws -> JSONValue {
        let answer = await served.local.respond(.post, "/verifyReceipt", json: body)
        #expect(answer.status == 200)
        return try #require(answer.document)
    }

    private func request(_ data: String) -> String {
        JSONText.object(["receipt-data": .string(data), "password": .string("secret")]).text()
    }

    @Test("A receipt is verified, and the response has what was bought since")
    func current() async throws {
        let served = try await ServedStore()
        try await served.step("buy gold.monthly by anna")
        let old = try await receipt(of: "anna", in: served)
        try await served.step("advance 40 days")
        try await served.step("buy remove.ads by anna")
        let answer = try #require(try await verify(request(old), by: served).object)
        #expect(answer["status"]?.int64 == 0 && answer["environment"]?.string == "Sandbox")
        let receipt = answer["receipt"]?.object
        #expect(receipt?["receipt_type"]?.string == "ProductionSandbox")
        #expect(receipt?["bundle_id"]?.string == ServedStore.bundleID)
        #expect(receipt?["receipt_creation_date"]?.string == "2026-01-01 00:00:00 Etc/GMT")
        #expect(receipt?["receipt_creation_date_ms"]?.string == "1767225600000")
        #expect(receipt?["in_app"]?.array?.map { $0.object?["product_id"]?.string ?? "" } == ["gold.monthly"])
        // `latest_receipt_info` lists all purchases, the newest first.
        let bought = try served.store.receiptContent(of: "anna").purchases
        let listed = answer["latest_receipt_info"]?.array?.map { $0.object?["transaction_id"]?.string ?? "" }
        #expect(bought.count > 2 && listed == bought.reversed().map(\.transactionID.rawValue))
        let latest = try #require(answer["latest_receipt"]?.string)
        let verifier = ReceiptVerifier(
            .init(roots: [served.store.root], bundleID: ServedStore.bundleID, environments: [.sandbox]))
        let checked = verifier.verify(Array(latest.utf8))
        #expect(checked.error == nil && checked.receipt?.purchases == bought)
        // A receipt verifier also accepts the whole response.
        let again = JSONText.value(try await verify(request(old), by: served)).bytes()
        #expect(verifier.verify(again).receipt == checked.receipt)
    }

    @Test("Without old transactions the response has the newest period of each subscription")
    func exclusion() async throws {
        let served = try await ServedStore()
        func listed(_ value: JSONText) async throws -> [String]? {
            let data = try await receipt(of: "anna", in: served)
            let body = JSONText.object(["receipt-data": .string(data), "exclude-old-transactions": value]).text()
            let answer = try await verify(body, by: served).object
            return answer?["latest_receipt_info"]?.array?.map { $0.object?["product_id"]?.string ?? "" }
        }
        try await served.step("buy remove.ads by anna")
        #expect(try await listed(.bool(true)) == nil)
        #expect(try await listed(.bool(false)) == nil)
        try await served.step("buy silver.monthly by anna")
        try await served.step("buy news.monthly by anna")
        try await served.step("advance 40 days")
        try await served.step("buy gold.monthly by anna")
        #expect(try await listed(.bool(true)) == ["gold.monthly", "news.monthly", "remove.ads"])
        let all = ["gold.monthly", "news.monthly", "silver.monthly", "news.monthly", "silver.monthly", "remove.ads"]
        for value in [JSONText.bool(false), .null, .string("true")] {
            #expect(try await listed(value)?.sorted() == all.sorted())
        }
    }

    @Test("A request may have 12 MiB", arguments: [(2 << 20, 200), (12 << 20, 413)])
    func size(_ bytes: Int, _ status: Int) async throws {
        let served = try await ServedStore()
        let body = request(String(repeating: "A", count: bytes))
        let answer = await served.local.respond(.post, "/verifyReceipt", json: body)
        #expect(answer.status == status)
        #expect(status != 200 || answer.document?.object?["status"]?.int64 == 21_002)
        #expect(await served.local.respond(.post, "/ocsp", json: body).status == 413)
    }

    @Test("The response says which subscriptions will renew, and what was upgraded")
    func renewals() async throws {
        let served = try await ServedStore()
        try await served.step("buy silver.monthly by anna")
        try await served.step("advance 10 days")
        try await served.step("buy gold.monthly by anna")
        let now = served.store.now
        let answer = try #require(try await verify(request(receipt(of: "anna", in: served)), by: served).object)
        let pending = try #require(answer["pending_renewal_info"]?.array?.map { $0.object })
        try #require(pending.count == 1)
        #expect(pending[0]?["auto_renew_status"]?.string == "1")
        #expect(pending[0]?["auto_renew_product_id"]?.string == "gold.monthly")
        #expect(pending[0]?["expiration_intent"] == nil)
        let listed = answer["latest_receipt_info"]?.array?.map { $0.object } ?? []
        try #require(listed.count == 2)
        #expect(listed[1]?["product_id"]?.string == "silver.monthly" && listed[1]?["is_upgraded"]?.string == "true")
        #expect(listed[1]?["cancellation_date_ms"]?.string == String(now.millisecondsSince1970))
        #expect(listed[0]?["is_upgraded"] == nil && listed[0]?["cancellation_date_ms"] == nil)
        // The receipt verifier reads the response, and its receipt distinguishes the upgrade from a refund.
        let checked = ReceiptVerifier(
            .init(roots: [served.store.root], bundleID: ServedStore.bundleID, environments: [.sandbox])
        ).verify(JSONText.value(try await verify(request(receipt(of: "anna", in: served)), by: served)).bytes())
        #expect(checked.isVerified)
        #expect(try checked.renewals == served.store.receiptRenewals(of: "anna"))
        let old = checked.evidence().lazy.compactMap { item -> Storekeeper.Transaction? in
            guard case .transaction(.verified(let transaction)) = item else { return nil }
            return transaction.productID == "silver.monthly" ? transaction : nil
        }.first
        #expect(old?.isUpgraded == true && old?.revokedAt == nil && old?.isFromReceipt == true)
        try await served.step("cancel gold.monthly by anna")
        let later = try #require(try await verify(request(receipt(of: "anna", in: served)), by: served).object)
        let cancelled = later["pending_renewal_info"]?.array?.map { $0.object?["auto_renew_status"]?.string ?? "" }
        #expect(cancelled == ["0"])
    }

    @Test("If a shared secret is set, a request with another secret is refused")
    func sharedSecret() async throws {
        let served = try await ServedStore { $0.sharedSecret = "secret" }
        let data = try await receipt(of: "anna", in: served)
        func status(_ password: JSONText) async throws -> Int64? {
            let body = JSONText.object(["receipt-data": .string(data), "password": password]).text()
            return try await verify(body, by: served).object?["status"]?.int64
        }
        #expect(try await status(.string("secret")) == 0)
        for other in [JSONText.null, .string("Secret"), .string(""), .integer(1)] {
            #expect(try await status(other) == 21_004)
        }
    }

    @Test("Each refusal has Apple's status")
    func refusals() async throws {
        let (sandbox, production) = (try await ServedStore(), try await ServedStore(environment: .production))
        let (tested, paid) = (
            try await receipt(of: "anna", in: sandbox), try await receipt(of: "anna", in: production)
        )
        func status(_ body: String, by served: ServedStore) async throws -> Int64? {
            try await verify(body, by: served).object?["status"]?.int64
        }
        #expect(try await status(request(tested), by: sandbox) == 0)
        #expect(try await status(request(paid), by: production) == 0)
        #expect(try await status(request(tested), by: production) == 21_007)
        #expect(try await status(request(paid), by: sandbox) == 21_008)
        #expect(try await status(request(tested), by: ServedStore()) == 21_003)
        for body in ["", "{}", "[]", #"{"receipt-data":5}"#, request(""), request("AAAA"), request("receipt")] {
            #expect(try await status(body, by: sandbox) == 21_002, "\(body)")
        }
        let answer = await sandbox.local.respond(.get, "/verifyReceipt")
        #expect(answer.status == 200 && answer.document?.object?["status"]?.int64 == 21_000)
        #expect(await sandbox.local.respond(.get, "/local/v1/people/nobody/receipt").status == 422)
    }
}
