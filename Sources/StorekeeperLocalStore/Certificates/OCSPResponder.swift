import Storekeeper
import StorekeeperJWS
import Synchronization

/// The OCSP responder of a local App Store; tests can choose its responses.
///
/// - SeeAlso: RFC 6960, appendix A, "OCSP over HTTP".
final class OCSPResponder: Sendable {
    /// The status that the responder reports for a certificate.
    enum Verdict: String, Sendable, CaseIterable {
        case good
        case revoked
        case unknown
        /// A response that cannot be parsed.
        case garbage
        /// The status `good`, sent only after clients have timed out.
        case slow
    }

    /// The delay of a slow response; clients of the App Store wait for 30 seconds.
    static let delay = Duration.seconds(60)

    private let authority: LocalAuthority
    private let clock: any StoreClock
    private let verdicts = Mutex<[RevocationReport.Place: (verdict: Verdict, since: Instant)]>([:])
    private let changes = ChangeSignal()
    private let hasEnded = Mutex(false)

    /// Creates a responder.
    ///
    /// - Parameter clock: The machine's clock, because clients check responses with the clocks of their machines.
    init(authority: LocalAuthority, clock: any StoreClock) {
        self.authority = authority
        self.clock = clock
    }

    /// Returns the status that is reported for a certificate.
    func verdict(on place: RevocationReport.Place) -> Verdict {
        verdicts.withLock { $0[place]?.verdict ?? .good }
    }

    /// Sets the status that is reported for a certificate from now on.
    func set(_ verdict: Verdict, on place: RevocationReport.Place) {
        let now = clock.now
        verdicts.withLock { $0[place] = (verdict, now) }
        changes.send()
    }

    /// Ends all delays, because the store is closing.
    func end() {
        hasEnded.withLock { $0 = true }
        changes.send()
    }

    /// Returns the response to an OCSP request.
    func answer(to question: [UInt8]) async throws -> [UInt8] {
        let seen = changes.count
        if verdicts.withLock({ $0.values.contains { $0.verdict == .slow } }), !hasEnded.withLock({ $0 }) {
            // The wait usually times out, which is not a failure. It ends earlier if a test sets another status
            // meanwhile.
            try? await clock.within(Self.delay) { [changes] in await changes.wait(after: seen) }
        }
        let decided = verdicts.withLock { $0 }
        if decided.values.contains(where: { $0.verdict == .garbage }) { return [0x30, 0x03, 0x0a] }
        return try authority.answer(ocspRequest: question, at: clock.now) { certificate in
            switch decided[certificate.place] {
            case (.revoked, let since)?: .revoked(at: since, reason: nil)
            case (.unknown, _)?: .unknown
            default: .good
            }
        }
    }
}
