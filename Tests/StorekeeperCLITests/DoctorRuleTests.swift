import Storekeeper
import StorekeeperAppStore
import StorekeeperCompanion
import StorekeeperJWS
import Synchronization
import Testing

@testable import StorekeeperCLI

/// Tests of the rules by which `storekeeper doctor` judges its findings.
@Suite struct DoctorRuleTests {
    @Test(
        "A small clock difference passes, and one of minutes fails",
        arguments: [
            (0, Finding.Verdict.ok), (30_000, .ok), (-30_000, .ok), (30_001, .warning), (-299_999, .warning),
            (300_001, .failure), (-86_400_000, .failure),
        ] as [(Int64, Finding.Verdict)])
    func clock(_ difference: Int64, _ verdict: Finding.Verdict) {
        let served = Instant(clamped: 1_700_000_000_000)
        let finding = ClockCheckup.finding(now: served.adding(milliseconds: difference), served: served)
        #expect(finding.verdict == verdict)
        #expect((finding.remedy == nil) == (verdict == .ok))
    }

    @Test(
        "The time of a response is parsed, and an invalid time is refused",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
            ("Mon, 23 Nov 2026 00:00:00 GMT", "2026-11-23T00:00:00.000Z"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 06 Now 1994 08:49:37 GMT", nil),
            ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("", nil),
        ] as [(String, String?)])
    func httpDate(_ text: String, _ instant: String?) {
        #expect(ClockCheckup.instant(httpDate: text).map { "\($0)" } == instant)
    }

    @Test(
        "A file with a secret that others may open is reported",
        arguments: [(0o600, true), (0o400, true), (0o100_600, true), (0o640, false), (0o604, false), (0o777, false)]
            as [(UInt32, Bool)])
    func secrets(_ mode: UInt32, _ isPrivate: Bool) {
        let finding = TrustCheckup.secret("key file", "key.p8", mode: mode)
        #expect((finding.verdict == .ok) == isPrivate)
        #expect(isPrivate || finding.remedy == "chmod 600 key.p8")
    }

    @Test("A folder instead of a file with a secret is named, without advice about its mode")
    func folders() {
        let finding = TrustCheckup.secret("key file", "keys", mode: 0o755, isFile: false)
        #expect(finding.verdict == .failure && finding.remedy?.contains("chmod") == false, "\(finding)")
    }

    @Test(
        "The name of a key file contains its id",
        arguments: [
            ("AuthKey_2X9R4HXF34.p8", Finding.Verdict?.some(.ok)), ("keys/AuthKey_2X9R4HXF34.p8", .ok),
            ("SubscriptionKey_2X9R4HXF34.p8", .ok), ("AuthKey_2X9R4HXF35.p8", .warning),
            ("SubscriptionKey_9999999999.p8", .warning), ("key.p8", nil), ("AuthKey_2X9R4HXF35.pem", nil), ("", nil),
        ] as [(String, Finding.Verdict?)])
    func keyNames(_ path: String, _ verdict: Finding.Verdict?) {
        let finding = TrustCheckup.keyName(path, keyID: "2X9R4HXF34")
        #expect(finding?.verdict == verdict)
        #expect((finding?.remedy == nil) == (verdict != .warning))
    }

    @Test("A finding fits the width, and its other lines are aligned with the first")
    func width() {
        let finding = Finding.failure(
            "server", "https://api.storekit.apple.com cannot be reached: no connection to the server",
            "check the address and that a server listens there; check the firewall, or set HTTPS_PROXY")
        let lines = finding.lines(TerminalStyle(isColored: false), width: 80)
        #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        #expect(lines.first?.hasPrefix("failure  server         https://") == true, "\(lines)")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(String(repeating: " ", count: 24)) }, "\(lines)")
        let painted = finding.lines(TerminalStyle(isColored: true), width: 80)
        #expect(painted.count == lines.count && painted.first?.contains("\u{1B}") == true)
    }

    @Test(
        "Invalid input ends with 64 or 65, a server's failure with 69, a refusal with 77",
        arguments: [
            (AppStoreServerError.Code.refused, AppStoreErrorCode?.none, Int32(69)),
            (.refused, .transactionIDNotFound, 1), (.refused, .invalidTransactionID, 69),
            (.unauthorized, nil, 77), (.unverifiedResponse, nil, 77),
            (.malformedResponse, nil, 69), (.mismatchedResponse, nil, 69),
            (.endlessHistory, nil, 69), (.unreachable, nil, 69),
            (.rateLimited, nil, 69), (.invalidRequest, nil, 64), (.noHost, nil, 64),
            (.invalidHost, nil, 64), (.invalidKey, nil, 65),
        ] as [(AppStoreServerError.Code, AppStoreErrorCode?, Int32)])
    func statuses(_ code: AppStoreServerError.Code, _ apiCode: AppStoreErrorCode?, _ status: Int32) {
        let error = CommandError(asking: AppStoreServerError(code, "it says so", apiCode: apiCode), at: "there")
        #expect(error.status.rawValue == status && !error.advice.isEmpty)
    }

    @Test("A transaction that production does not know may be the sandbox's, and the option is named")
    func sandbox() {
        let error = AppStoreServerError(.refused, "it is not there", apiCode: .transactionIDNotFound)
        func advice(_ environments: Set<AppStore.Environment>) -> String {
            CommandError(asking: error, at: "the App Store", in: environments).advice
        }
        #expect(advice([.production]).contains("--environment Sandbox"))
        #expect(!advice([.production, .sandbox]).contains("Sandbox"))
    }

    @Test("Each reason for an unreachable server has its own remedy")
    func remedies() {
        let codes: [TransportError.Code] = [
            .hostNotFound, .tlsFailed, .noTLS, .notConnected, .timedOut, .connectionLost,
        ]
        #expect(Set(codes.map { TransportError($0, "no").remedy }).count == codes.count)
    }

    @Test(
        "Ids in another format than App Store Connect's are reported, for Apple's servers only",
        arguments: [
            ("2X9R4HXF34", "57246542-96fe-1a63-e053-0824d011072a", true),
            ("2x9r4hxf34", "57246542-96fe-1a63-e053-0824d011072a", false),
            ("2X9R4HXF3", "57246542-96fe-1a63-e053-0824d011072a", false), ("2X9R4HXF34", "issuer", false),
        ])
    func ids(_ keyID: String, _ issuerID: String, _ isRight: Bool) {
        let apple = TrustCheckup.ids(keyID: keyID, issuerID: issuerID, isOwnServer: false)
        #expect((apple.verdict == .ok) == isRight)
        #expect(TrustCheckup.ids(keyID: keyID, issuerID: issuerID, isOwnServer: true).verdict == .ok)
    }

    @Test("A root other than Apple's fails for production, but is valid for a custom server")
    func roots() throws {
        let own = try LocalAuthority(name: "Doctor").root
        func verdicts(_ environments: Set<AppStore.Environment>, isOwnServer: Bool) -> [Finding.Verdict] {
            TrustCheckup.findings(
                bundleID: "com.example.game", appAppleID: 1, environments: environments, roots: [own],
                isOwnServer: isOwnServer
            ).map(\.verdict)
        }
        #expect(verdicts([.production], isOwnServer: false) == [.ok, .warning, .failure])
        #expect(verdicts([.sandbox], isOwnServer: false) == [.ok, .ok, .failure])
        #expect(verdicts([.sandbox], isOwnServer: true) == [.ok, .ok])
        #expect(verdicts([.localTesting], isOwnServer: false) == [.ok, .ok])
        let nameless = TrustCheckup.findings(
            bundleID: nil, appAppleID: nil, environments: [.sandbox], roots: [own], isOwnServer: true)
        #expect(nameless.first?.verdict == .failure)
    }

    @Test(
        "An answer to an invented token shows whether the key is accepted, and each failure has a remedy",
        arguments: [
            (AppStoreServerError.Code.refused, AppStoreErrorCode?.some(.testNotificationNotFound), Finding.Verdict.ok),
            (.refused, .invalidTestNotificationToken, .ok), (.refused, .appNotFound, .failure),
            (.unauthorized, nil, .failure), (.serverFailure, nil, .failure), (.rateLimited, nil, .failure),
        ] as [(AppStoreServerError.Code, AppStoreErrorCode?, Finding.Verdict)])
    func tokens(_ code: AppStoreServerError.Code, _ apiCode: AppStoreErrorCode?, _ verdict: Finding.Verdict) {
        let error = AppStoreServerError(code, "it says so", apiCode: apiCode)
        let finding = ServerCheckup.verdict(onToken: error, of: "com.example.game", in: .sandbox)
        #expect(finding.verdict == verdict)
        #expect((finding.remedy == nil) == (verdict == .ok))
    }

    @Test("A key that only the sandbox accepts is valid, and the app is not released")
    func unreleased() {
        let error = AppStoreServerError(.unauthorized, "the App Store refuses the token")
        let finding = ServerCheckup.verdict(
            onToken: error, of: "com.example.game", in: .production, isAcceptedInSandbox: true)
        #expect(finding.verdict == .warning && finding.what.contains("not released"))
        #expect(finding.remedy?.contains("--environment Sandbox") == true)
    }

    @Test(
        "The sandbox is asked about a key that production refuses, and its answer is reported",
        arguments: [
            (200, #"{"signedPayload":"a.b.c","sendAttempts":[]}"#, true),
            (404, #"{"errorCode":4040008,"errorMessage":"Test notification not found."}"#, true),
            (404, #"{"errorCode":4040003,"errorMessage":"App not found."}"#, false), (401, "Unauthenticated", false),
            (403, "<html>a proxy</html>", nil),
        ] as [(Int, String, Bool?)])
    func sandboxIsAsked(_ status: Int, _ body: String, _ isAccepted: Bool?) async throws {
        let servers = UnreleasedApp(sandbox: status, body)
        let (production, sandbox) = (try servers.client(.production), try servers.client(.sandbox))
        var findings: [Finding] = []
        try await ServerCheckup(
            hosts: [.production], client: production, sandbox: sandbox, transport: servers, clock: servers.clock,
            sendsTestNotification: true
        ).run { findings.append($0) }
        let token = try #require(findings.last)
        #expect(token.check == "token" && token.verdict == (isAccepted == true ? .warning : .failure), "\(findings)")
        #expect(token.what.contains("is not released yet") == (isAccepted == true), "\(token)")
        #expect(servers.wasSandboxAsked)

        let error = AppStoreServerError(.unauthorized, "the App Store refuses the token")
        let refusal = try await CommandError(
            refusingKey: error, at: "the App Store", in: [.production], sandbox: sandbox)
        #expect(refusal.status == .refused)
        let sentence =
            switch isAccepted {
            case true?:
                "Production refuses the key, and the sandbox accepts it: the key is valid, but the app "
                    + "'com.example.game' is not released yet (the App Store): use --environment Sandbox until the "
                    + "first release"
            case false?:
                "the App Store refuses the token (the App Store): check --key-id, --issuer-id, --api-key and "
                    + "--bundle-id; the sandbox refuses the key as well"
            case nil:
                "the App Store refuses the token (the App Store): check --key-id, --issuer-id, --api-key and "
                    + "--bundle-id; if the app was never released, add --environment Sandbox"
            }
        #expect(refusal.description == "storekeeper: error: " + sentence)
    }

    @Test(
        "Apple's roots are known by their fingerprints",
        arguments: [
            ("63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179", "G3"),
            ("C2B9B042DD57830E7D117DAC55AC8AE19407D38E41D88F3215BC3A890444A050", "G2"),
            ("B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024", "Inc."),
            ("00", nil),
        ] as [(String, String?)])
    func appleRoots(_ fingerprint: String, _ word: String?) {
        let name = TrustCheckup.appleRoot(withFingerprint: fingerprint)
        #expect(name == nil ? word == nil : word.map { name?.contains($0) == true } ?? false)
    }

    @Test(
        "Every result of sending a notification has a remedy",
        arguments: [
            SendAttemptResult.timedOut, .tlsIssue, .circularRedirect, .noResponse, .socketIssue, .unsupportedCharset,
            .invalidResponse, .prematureClose, .unsuccessfulStatus, .other, SendAttemptResult(rawValue: "NEW_WORD"),
        ])
    func attempts(_ result: SendAttemptResult) {
        let finding = ServerCheckup.verdict(on: result)
        #expect(finding.verdict == .failure && finding.what.contains(result.rawValue) && finding.remedy != nil)
        #expect(ServerCheckup.verdict(on: .success).verdict == .ok)
    }

    @Test(
        "A disk with little room for a copy of the vault is reported",
        arguments: [
            (UInt64(5_000_000_000), Int64(4_000_000_000), Finding.Verdict.ok), (5_000_000_000, 6_000_000_000, .warning),
            (900_000_000, 1, .warning), (49_999_999, 1, .failure), (.max, .max, .ok),
        ] as [(UInt64, Int64, Finding.Verdict)])
    func room(_ free: UInt64, _ size: Int64, _ verdict: Finding.Verdict) {
        #expect(VaultCheckup.freeSpaceFinding(free, for: size).verdict == verdict)
    }

    @Test("Purchased products missing in the catalog are named, the most frequent first")
    func catalog() {
        let finding = VaultCheckup.products(missing: ["old": 1, "older": 9], known: 4, catalogCount: 3)
        #expect(finding.verdict == .warning && finding.what.hasSuffix("older (9), old (1)"), "\(finding.what)")
        #expect(VaultCheckup.products(missing: [:], known: 4, catalogCount: 3).verdict == .ok)
        #expect(VaultCheckup.products(missing: [:], known: 0, catalogCount: 0).verdict == .warning)
    }
}

/// Apple's servers: production refuses every token, as for an app that was never released.
private final class UnreleasedApp: HTTPTransport {
    /// The rate limits would let the test wait for seconds.
    let clock = LeapingClock()
    private let sandbox: TransportResponse
    private let asked = Mutex<[String]>([])

    /// - Parameters:
    ///   - status: The status of the sandbox's responses.
    ///   - body: The body of the sandbox's responses.
    init(sandbox status: Int, _ body: String) {
        sandbox = TransportResponse(
            status: status, fields: [HeaderField("Content-Type", "application/json")], body: Array(body.utf8))
    }

    var wasSandboxAsked: Bool {
        asked.withLock { $0.contains { $0.hasPrefix(AppStoreServerHost.sandbox.baseURL) } }
    }

    /// Returns a client of one of the servers.
    func client(_ host: AppStoreServerHost) throws -> AppStoreServerClient {
        AppStoreServerClient(
            AppStoreServerConfiguration(bundleID: "com.example.game", lookup: .only(host), maximumAttempts: 1),
            key: try AppStoreKey(keyID: "KEY1", issuerID: "issuer-1", pem: LeaseKeys.make()),
            verifier: JWSVerifier(
                JWSVerifier.Configuration(
                    roots: [], bundleID: "com.example.game", environments: [.production, .sandbox])),
            transport: self, limiter: RateLimiter(clock: clock))
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        asked.withLock { $0.append(request.url) }
        guard request.url.hasPrefix(AppStoreServerHost.sandbox.baseURL) else {
            return TransportResponse(status: 401, fields: [], body: Array("Unauthenticated".utf8))
        }
        return sandbox
    }
}

/// A clock that is set to the instant for which somebody waits.
private final class LeapingClock: StoreClock {
    private let instant = Mutex(WallClock().now)

    var now: Instant { instant.withLock { $0 } }

    func sleep(until instant: Instant) async throws {
        try Task.checkCancellation()
        self.instant.withLock { $0 = max($0, instant) }
    }
}
