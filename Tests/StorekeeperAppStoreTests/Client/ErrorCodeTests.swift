import Storekeeper
import Testing

@testable import StorekeeperAppStore

@Suite("The App Store's error codes") struct ErrorCodeTests {
    static let retryable: Set<Int64> = [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_001]

    @Test("Each code is reported unchanged") func all() async throws {
        let known = [AppStoreErrorCode](AppStoreErrorCode.names.keys) + AppStoreErrorCode.advancedCommerceNames.keys
        let codes = known.map(\.rawValue).sorted() + [4_000_999, 4_099_999, 5_030_001]
        try await Fixture.withClient(
            attempts: 1, serving: { _, count in .error(codes[count], "because\\n\(codes[count])") }
        ) { client, _ in
            for code in codes {
                let error = await Fixture.failure { try await client.transaction("1") }
                #expect(error?.apiCode?.rawValue == code)
                #expect(error?.httpStatus == Int(code / 10_000))
                #expect(error?.code == (code == 4_290_000 ? .rateLimited : .refused))
                #expect(error?.isRetryable == Self.retryable.contains(code))
                #expect(error?.message.contains("because \(code)") == true)
            }
        }
        #expect(AppStoreErrorCode.names.count == 94 && Set(known).count == 127)
    }

    @Test(
        "The reason in the body of a response is part of the error, in one line; a page in HTML is not",
        arguments: [
            (401, "Unauthenticated\n\nRequest ID: AB12.0\n", #"("Unauthenticated Request ID: AB12.0")"#),
            (403, "Forbidden", #"("Forbidden")"#), (503, "upstream timed out", #"("upstream timed out")"#),
            (429, "slow down", #"("slow down")"#), (503, "<html><body>Bad gateway</body></html>", nil), (401, "", nil),
            (500, String(repeating: "x", count: 5000), #"("xxx"#),
        ] as [(Int, String, String?)])
    func reasons(status: Int, body: String, reason: String?) throws {
        let response = TransportResponse(status: status, fields: [], body: Array(body.utf8))
        let outcome = AttemptOutcome(response, to: .transactionInfo, expectsBody: true, at: .distantPast)
        guard case .failed(let error, _) = outcome else {
            Issue.record("the response is an error")
            return
        }
        #expect(error.message.contains(reason ?? "(") == (reason != nil), "\(error.message)")
        #expect(error.message.count < 400 && !error.message.contains("\n"))
    }

    @Test("A known code is described by its name, an unknown one by its number") func names() {
        #expect(AppStoreErrorCode.transactionIDNotFound.description == "4040010 (transactionIDNotFound)")
        #expect(AppStoreErrorCode(rawValue: 4_000_999).description == "4000999")
        #expect(AppStoreErrorCode(rawValue: 4_000_999).httpStatus == 400)
        #expect(AppStoreErrorCode(rawValue: 12).httpStatus == nil)
        #expect(AppStoreErrorCode(rawValue: .max).httpStatus == nil)
    }

    @Test(
        "Only requests that may succeed later are retried", arguments: [4_040_002, 4_040_010, 5_000_001])
    func repetition(_ code: Int64) async throws {
        let answer = #"{"revision":"r","hasMore":false,"bundleId":"com.example.game","environment":"Production"}"#
        try await Fixture.withClient(serving: { _, count in count < 2 ? .error(code) : .json(answer) }) {
            client, server in
            let error = await Fixture.failure { try await client.history(of: "1") }
            #expect((error == nil) == Self.retryable.contains(code))
            #expect(server.requests.count == (error == nil ? 3 : 1))
        }
    }
}
