import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import Testing

@testable import StorekeeperCLI

/// What the doctor makes of what it finds.
@Suite struct DoctorRuleTests {
    @Test(
        "A clock that is a little off is let pass, one that is minutes off is not",
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
        "The time of an answer is read, and what is none is not",
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
        "A file with a secret is its owner's alone",
        arguments: [(0o600, true), (0o400, true), (0o100_600, true), (0o640, false), (0o604, false), (0o777, false)]
            as [(UInt32, Bool)])
    func secrets(_ mode: UInt32, _ isPrivate: Bool) {
        let finding = TrustCheckup.secret("key file", "key.p8", mode: mode)
        #expect((finding.verdict == .ok) == isPrivate)
        #expect(isPrivate || finding.remedy == "chmod 600 key.p8")
    }

    @Test(
        "Ids that App Store Connect cannot have given are noticed, for Apple's servers alone",
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

    @Test("A root that is not Apple's is no root for production, and may be one for a server of one's own")
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
        "What the App Store says of a token",
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

    @Test(
        "Whatever came of posting a notification, there is a remedy",
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
        "A vault has room for a copy of itself",
        arguments: [
            (UInt64(5_000_000_000), Int64(4_000_000_000), Finding.Verdict.ok), (5_000_000_000, 6_000_000_000, .warning),
            (900_000_000, 1, .warning), (49_999_999, 1, .failure), (.max, .max, .ok),
        ] as [(UInt64, Int64, Finding.Verdict)])
    func room(_ free: UInt64, _ size: Int64, _ verdict: Finding.Verdict) {
        #expect(VaultCheckup.room(free, for: size).verdict == verdict)
    }

    @Test("Products that customers bought and the catalog does not have are named, the most bought first")
    func catalog() {
        let finding = VaultCheckup.products(missing: ["old": 1, "older": 9], known: 4, catalogCount: 3)
        #expect(finding.verdict == .warning && finding.what.hasSuffix("older (9), old (1)"), "\(finding.what)")
        #expect(VaultCheckup.products(missing: [:], known: 4, catalogCount: 3).verdict == .ok)
        #expect(VaultCheckup.products(missing: [:], known: 0, catalogCount: 0).verdict == .warning)
    }
}
