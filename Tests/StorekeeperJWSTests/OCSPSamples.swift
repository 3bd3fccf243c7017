import Storekeeper
import StorekeeperJWS
import Synchronization

/// An OCSP responder in memory whose reactions a test sets.
final class ScriptedResponder: OCSPTransport {
    /// The reaction to a request.
    enum Reaction: Sendable {
        case answers(LocalAuthority.ResponseForm, OCSPStatus)
        case says([UInt8])
        /// The responder never answers.
        case hangs
        case fails
    }

    struct Unavailable: Error {}

    private struct State {
        var conduct: Reaction
        var asked = 0
        var urls: Set<String> = []
        var underWay = 0
        var mostUnderWay = 0
    }

    private let authority: LocalAuthority
    private let clock: VirtualClock
    private let state: Mutex<State>
    /// The lifetime of an answer.
    let use: Duration

    init(_ authority: LocalAuthority, _ clock: VirtualClock, use: Duration = .seconds(43_200)) {
        self.authority = authority
        self.clock = clock
        self.use = use
        state = Mutex(State(conduct: .answers(LocalAuthority.ResponseForm(), .good)))
    }

    var conduct: Reaction {
        get { state.withLock { $0.conduct } }
        set { state.withLock { $0.conduct = newValue } }
    }
    var asked: Int { state.withLock { $0.asked } }
    var urls: Set<String> { state.withLock { $0.urls } }
    var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

    func response(to request: [UInt8], at url: String, sizeLimit: Int) async throws -> [UInt8] {
        let conduct = state.withLock { state in
            state.asked += 1
            state.urls.insert(url)
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            return state.conduct
        }
        defer { state.withLock { $0.underWay -= 1 } }
        await Task.yield()
        switch conduct {
        case .answers(let form, let status):
            return try authority.answer(ocspRequest: request, at: clock.now, usableFor: use, form: form) { _ in status }
        case .says(let bytes): return bytes
        case .fails: throw Unavailable()
        case .hangs:
            try await Task.sleep(for: .seconds(3_600))
            return []
        }
    }
}

/// A verifier with a revocation checker that asks a scripted responder, and with a virtual clock.
struct OCSPTrust {
    static let url = "http://ocsp.example.com/leaves"

    let clock = VirtualClock(Sample.signedAt)
    let responder: ScriptedResponder
    let checker: OCSPChecker
    let verifier: JWSVerifier
    let signer: JWSSigner
    let authority: LocalAuthority
    let reports: Reports

    /// Collects the reports of a checker.
    final class Reports: Sendable {
        private let all = Mutex<[RevocationReport]>([])
        var codes: [OCSPError.Code] { all.withLock { $0.map(\.error.code) } }
        var areAllowed: Bool { all.withLock { $0.allSatisfy(\.isAllowed) } }
        func add(_ report: RevocationReport) { all.withLock { $0.append(report) } }
    }

    init(_ configuration: OCSPChecker.Configuration, use: Duration = .seconds(43_200), url: String? = Self.url) throws {
        let (clock, reports) = (clock, Reports())
        let authority = try LocalAuthority(ocspResponder: url)
        let responder = ScriptedResponder(authority, clock, use: use)
        let time = RevocationTime(now: { clock.now }, sleep: { try await clock.sleep(until: $0) })
        let checker = OCSPChecker(configuration, transport: responder, time: time) { reports.add($0) }
        (self.authority, self.responder, self.checker, self.reports) = (authority, responder, checker, reports)
        signer = authority.makeSigner()
        verifier = JWSVerifier(.init(roots: [authority.root], bundleID: Sample.bundleID, revocation: checker))
    }

    func sign() throws -> String { try signer.sign(payload: Sample.transaction()) }

    /// Lets the checker ask the responder, then verifies.
    func verify() async throws -> VerificationError.Code? {
        let jws = try sign()
        await verifier.learnRevocation(of: [jws])
        return verifier.verify(jws).code
    }
}
