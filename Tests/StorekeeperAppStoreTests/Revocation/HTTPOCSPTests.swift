import AsyncHTTPClient
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests of OCSP requests over HTTP.
@Suite(.system) struct HTTPOCSPTests {
    private static let payload = Array(
        #"""
        {"transactionId":"2000","originalTransactionId":"1000","bundleId":"com.example.game","productId":"gold",\#
        "purchaseDate":1772358000000,"quantity":1,"type":"Non-Consumable","inAppOwnershipType":"PURCHASED",\#
        "signedDate":1772358600000,"environment":"Production"}
        """#.utf8)
    private static let now = Instant(clamped: 1_772_358_600_000)

    /// Requests the revocation status from a responder, then verifies an item, and returns the error code.
    private func code(
        _ policy: RevocationPolicy, limit: Duration = .seconds(10),
        whenResponder conduct: (LocalAuthority) -> LoopbackResponder.Reaction
    ) async throws -> (code: VerificationError.Code?, questions: [LoopbackResponder.Question]) {
        try await LoopbackResponder.with { responder in
            let authority = try LocalAuthority(ocspResponder: responder.url)
            responder.conduct = conduct(authority)
            let configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let time = RevocationTime(WallClock())
            let checker = OCSPChecker(
                .init(policy: policy, timeLimit: limit), transport: HTTPOCSPTransport(client: client), time: time)
            let verifier = JWSVerifier(
                .init(roots: [authority.root], bundleID: "com.example.game", revocation: checker))
            let jws = try authority.makeSigner().sign(payload: Self.payload)
            await verifier.learnRevocation(of: [jws])
            let code = verifier.verify(jws).error?.code
            try await client.shutdown()
            return (code, responder.questions)
        }
    }

    @Test func `An item with good certificates is accepted, and the requests follow the protocol`() async throws {
        let (code, questions) = try await code(.hard) { authority in
            .answers { try authority.answer(ocspRequest: $0, at: WallClock().now) }
        }
        #expect(code == nil)
        #expect(questions.map(\.method) == ["POST", "POST"])
        #expect(questions.allSatisfy { $0.contentType == "application/ocsp-request" })
    }

    @Test func `A revoked certificate is refused`() async throws {
        let (code, _) = try await code(.soft) { authority in
            .answers {
                try authority.answer(ocspRequest: $0, at: WallClock().now) { _ in .revoked(at: Self.now, reason: 1) }
            }
        }
        #expect(code == .certificateRevoked)
    }

    static let failures: [(String, LoopbackResponder.Reaction)] = [
        ("503", .status(503)), ("404", .status(404)), ("closed", .closes), ("without end", .streams),
        ("redirected", .redirects), ("nonsense", .answers { _ in Array("no".utf8) }),
        ("echoed", .answers { $0 }),
    ]

    @Test("A failing responder leaves the status unknown", arguments: failures.map(\.0))
    func failure(_ name: String) async throws {
        let conduct = try #require(Self.failures.first { $0.0 == name }?.1)
        #expect(try await code(.hard) { _ in conduct }.code == .revocationUnknown)
        #expect(try await code(.soft) { _ in conduct }.code == nil)
    }

    @Test func `A responder that stalls is abandoned in time`() async throws {
        let (code, _) = try await code(.hard, limit: .milliseconds(150)) { _ in .stalls }
        #expect(code == .revocationUnknown)
    }

    @Test("A notification is not acknowledged until the responder answers", arguments: [true, false])
    func notification(isGood: Bool) async throws {
        try await LoopbackResponder.with { responder in
            let authority = try LocalAuthority(ocspResponder: responder.url)
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let checker = OCSPChecker(
                .init(policy: .hard, pause: .milliseconds(1)), transport: HTTPOCSPTransport(client: client),
                time: RevocationTime(WallClock()))
            let made = try HandmadeNotification(revocation: checker, authority: authority)
            let payload = try made.notification("TEST", part: made.data())
            let receiver = made.receiver()
            #expect(await receiver.receive(signedPayload: payload).word == "failed revocationUnknown")
            #expect(responder.questions.count == 2)
            responder.conduct = .answers {
                try authority.answer(ocspRequest: $0, at: WallClock().now) { _ in
                    isGood ? .good : .revoked(at: Self.now, reason: 1)
                }
            }
            // Waits for the end of the pause after the failure.
            try await Task.sleep(for: .milliseconds(20))
            let word = await receiver.receive(signedPayload: payload).word
            #expect(word == (isGood ? "accepted" : "refused untrusted"))
            try await client.shutdown()
        }
    }

    @Test func `An unreachable responder leaves the status unknown`() async throws {
        let url = try await LoopbackResponder.with { $0.url }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        await #expect(throws: (any Error).self) {
            try await HTTPOCSPTransport(client: client).response(to: [], at: url, sizeLimit: 100)
        }
        try await client.shutdown()
    }
}
