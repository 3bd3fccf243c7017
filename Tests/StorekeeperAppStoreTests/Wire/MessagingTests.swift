import Crypto
import FoundationEssentials
import Storekeeper
import Testing

@testable import StorekeeperAppStore

@Suite("Retention messaging on the wire") struct MessagingTests {
    static let id = UUID(uuidString: "7F3C2A10-1111-4222-8333-444455556666") ?? UUID()

    @Test(
        "A message past a limit is not sent, and the error names Apple's code",
        arguments: [
            (RetentionMessage(header: String(repeating: "x", count: 67), body: ""), .headerTooLong),
            (RetentionMessage(header: "", body: String(repeating: "x", count: 145)), .bodyTooLong),
            (
                RetentionMessage(
                    header: "", body: "", image: RetentionMessage.Image(id, altText: String(repeating: "x", count: 151))
                ),
                .altTextTooLong
            ),
            (RetentionMessage(header: "", body: "", headerPosition: .aboveImage), .aboveImageRequiresAnImage),
            (
                RetentionMessage(
                    header: "", body: "",
                    bulletPoints: Array(
                        repeating: RetentionMessage.BulletPoint("", image: RetentionMessage.Image(id, altText: "")),
                        count: 6)), .tooManyBulletPoints
            ),
            (
                RetentionMessage(
                    header: "", body: "",
                    bulletPoints: [
                        RetentionMessage.BulletPoint(
                            String(repeating: "x", count: 67), image: RetentionMessage.Image(id, altText: ""))
                    ]), .bulletPointTextTooLong
            ),
        ] as [(RetentionMessage, AppStoreErrorCode)])
    func limits(_ message: RetentionMessage, _ code: AppStoreErrorCode) {
        let error = #expect(throws: AppStoreServerError.self) {
            _ = try AppStoreServerRequest.uploadMessage(message, id: Self.id)
        }
        #expect(error?.code == .invalidRequest && error?.apiCode == code)
    }

    @Test("A message at its limits is sent") func atTheLimits() throws {
        let image = RetentionMessage.Image(Self.id, altText: String(repeating: "é", count: 150))
        let point = RetentionMessage.BulletPoint(String(repeating: "x", count: 66), image: image)
        _ = try AppStoreServerRequest.uploadMessage(
            RetentionMessage(
                header: String(repeating: "x", count: 66), body: String(repeating: "x", count: 144), image: image,
                headerPosition: .aboveImage, bulletPoints: Array(repeating: point, count: 5)), id: Self.id)
    }

    @Test("The lists, a test and its result are read with all their members") func answers() async throws {
        let answers = [
            #"{"imageIdentifiers":[{"imageIdentifier":"\#(Self.id)","imageState":"PENDING","imageSize":"FULL_SIZE","x":1}]}"#,
            #"{"messageIdentifiers":[{"messageIdentifier":"\#(Self.id)","messageState":"REJECTED"}]}"#,
            #"{"requestId":"r","config":{"maxConcurrentRequests":1,"totalRequests":2,"totalDuration":3,"#
                + #""responseTimeThreshold":4,"successRateThreshold":5}}"#,
            #"{"config":{"totalRequests":2},"target":"https://a.example","result":"FAIL","successRate":50,"numPending":1,"#
                + #""responseTimes":{"average":1,"p50":2,"p90":3,"p95":4,"p99":5},"failures":{"TIMED_OUT":7,"NEW":1}}"#,
            #"{"imageIdentifiers":[{"imageIdentifier":"x"}]}"#,
        ]
        try await Fixture.withClient(attempts: 1, serving: { _, count in .json(answers[count]) }) { client, _ in
            let images = try await client.retentionImages(in: .production)
            #expect(images.map(\.state) == [.pending] && images.map(\.size) == [.fullSize])
            #expect(images.first?.id == Self.id && images.first?.unknownMembers == ["x": "1"])
            let messages = try await client.retentionMessages(in: .production)
            #expect(messages.map(\.state) == [.rejected] && messages.map(\.id) == [Self.id])
            let test = try await client.initiatePerformanceTest("1", in: .production)
            #expect(test.requestID == "r" && test.configuration?.successRateThreshold == 5)
            #expect(test.configuration?.unknownMembers.isEmpty == true && test.unknownMembers.isEmpty)
            let result = try await client.performanceTestResult("r", in: .production)
            #expect(result.status == .fail && result.successRate == 50 && result.pendingCount == 1)
            #expect(result.responseTimes?.p99 == 5 && result.target == "https://a.example")
            #expect(result.failures == [.timedOut: 7, SendAttemptResult(rawValue: "NEW"): 1])
            #expect(result.unknownMembers.isEmpty)
            let error = await Fixture.failure { try await client.retentionImages(in: .production) }
            #expect(error?.code == .malformedResponse)
        }
    }

    @Test("A response to a real-time request is exactly these bytes") func responses() throws {
        let id = Self.id.uuidString.lowercased()
        let offer = PromotionalOffer(productID: "gold", offerID: "loyal")
        let signature = PromotionalOfferSignature(
            keyID: "K", nonce: Self.id, signedAt: Instant(clamped: 5), signature: "s")
        let rows: [(RealtimeResponse, String)] = [
            (.message(Self.id), #"{"message":{"messageIdentifier":"\#(id)"}}"#),
            (
                .alternateProduct(Self.id, "gold", billingPlan: .monthly),
                #"{"alternateProduct":{"billingPlanType":"MONTHLY","messageIdentifier":"\#(id)","productId":"gold"}}"#
            ),
            (
                .promotionalOffer(Self.id, jws: "a.b.c"),
                #"{"promotionalOffer":{"messageIdentifier":"\#(id)","promotionalOfferSignatureV2":"a.b.c"}}"#
            ),
            (
                .signedPromotionalOffer(Self.id, offer, signature),
                #"{"promotionalOffer":{"messageIdentifier":"\#(id)","promotionalOfferSignatureV1":{"#
                    + #""encodedSignature":"s","keyId":"K","nonce":"\#(id)","offerIdentifier":"loyal","productId":"gold","#
                    + #""timestamp":5}}}"#
            ),
            (
                .advancedCommerce(Self.id, data: "e30="),
                #"{"advancedCommerceInfo":{"advancedCommerceData":"e30=","messageIdentifier":"\#(id)"}}"#
            ),
        ]
        for (response, text) in rows { #expect(String(decoding: response.body, as: UTF8.self) == text) }
    }
}
