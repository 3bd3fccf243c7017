import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// A faulty OCSP response, with the expected error.
struct ResponderFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: OCSPError.Code
    let conduct: ScriptedResponder.Reaction

    init(_ name: String, _ code: OCSPError.Code, _ conduct: ScriptedResponder.Reaction) {
        (testDescription, self.code, self.conduct) = (name, code, conduct)
    }

    init(_ name: String, _ code: OCSPError.Code, _ change: (inout LocalAuthority.ResponseForm) -> Void) {
        var form = LocalAuthority.ResponseForm()
        change(&form)
        self.init(name, code, .answers(form, .good))
    }
}

/// Tests of the checker's handling of OCSP responses.
struct OCSPResponseTests {
    static let faults: [ResponderFault] = [
        ResponderFault("down", .unreachable, .fails),
        ResponderFault("unknown", .unknownCertificate, .answers(.init(), .unknown)),
        ResponderFault("signed by a stranger", .notAuthentic) { $0.signer = .stranger },
        ResponderFault("delegate without the mark", .notAuthentic) {
            $0.signer = .delegate(mayAnswer: false, validThrough: Sample.signedAt)
        },
        ResponderFault("delegate that has expired", .notAuthentic) {
            $0.signer = .delegate(mayAnswer: true, validThrough: Sample.signedAt.adding(milliseconds: -1_000))
        },
        ResponderFault("about another certificate", .otherCertificate) { $0.serialNumber = [1, 2, 3] },
        ResponderFault("stale by more than the tolerance", .stale) { $0.age = 43_200_000 + 61_000 },
        ResponderFault("without an end", .stale) { $0.hasNextUpdate = false },
        ResponderFault("from the future", .notYetValid) { $0.age = -61_000 },
        ResponderFault("with a critical extension", .malformed) { $0.hasCriticalExtension = true },
        ResponderFault("garbage", .malformed, .says(Array("<html>no".utf8))),
        ResponderFault("empty", .malformed, .says([])),
        ResponderFault("deep", .malformed, .says([UInt8](repeating: 0x30, count: 4_000))),
        ResponderFault("that refuses", .refused, .says([0x30, 0x03, 0x0A, 0x01, 0x03])),
        ResponderFault("huge", .tooLarge, .says([UInt8](repeating: 0x30, count: 70_000))),
    ]

    @Test("An invalid response leaves the revocation unknown", arguments: faults)
    func fault(_ fault: ResponderFault) async throws {
        let hard = try OCSPTrust(.init(policy: .hard))
        hard.responder.conduct = fault.conduct
        #expect(try await hard.verify() == .revocationUnknown)
        #expect(Set(hard.reports.codes) == [fault.code])
        #expect(!hard.reports.areAllowed)

        let soft = try OCSPTrust(.init(policy: .soft))
        soft.responder.conduct = fault.conduct
        #expect(try await soft.verify() == nil)
        #expect(Set(soft.reports.codes) == [fault.code])
        #expect(soft.reports.areAllowed)
    }

    /// Valid responses that resemble invalid ones.
    static let goodAnswers: [ResponderFault] = [
        ResponderFault("by the issuer", .stale) { _ in },
        ResponderFault("by a delegate", .stale) {
            $0.signer = .delegate(mayAnswer: true, validThrough: Sample.signedAt)
        },
        ResponderFault("by the issuer, named by the subject", .stale) { $0.namesSubject = true },
        ResponderFault("by a delegate, named by the subject", .stale) {
            $0.signer = .delegate(mayAnswer: true, validThrough: Sample.signedAt)
            $0.namesSubject = true
        },
        ResponderFault("stale within the tolerance", .stale) { $0.age = 43_200_000 + 60_000 },
        ResponderFault("from the future within the tolerance", .stale) { $0.age = -60_000 },
    ]

    @Test("A valid response of the issuer counts", arguments: goodAnswers, [RevocationPolicy.soft, .hard])
    func good(_ answer: ResponderFault, policy: RevocationPolicy) async throws {
        let trust = try OCSPTrust(.init(policy: policy))
        trust.responder.conduct = answer.conduct
        #expect(try await trust.verify() == nil)
        #expect(trust.reports.codes.isEmpty)
        #expect(trust.responder.asked == 2)
        #expect(trust.responder.urls == [OCSPTrust.url])
    }

    @Test("A revoked certificate is refused", arguments: [RevocationPolicy.soft, .hard])
    func revoked(policy: RevocationPolicy) async throws {
        let trust = try OCSPTrust(.init(policy: policy))
        // The item is refused although its signing date is before the revocation.
        trust.responder.conduct = .answers(.init(), .revoked(at: trust.clock.now.adding(milliseconds: 1), reason: 1))
        #expect(try await trust.verify() == .certificateRevoked)
    }

    @Test func `One revoked certificate of the two suffices`() async throws {
        for place in [RevocationReport.Place.leaf, .intermediate] {
            let trust = try OCSPTrust(.init(policy: .soft))
            let asked = try trust.signer.certificates
            let chain = SigningChain(leaf: asked[0], intermediate: asked[1], root: asked[2])
            let (authority, clock) = (trust.authority, trust.clock)
            let transport = FunctionResponder { request in
                try authority.answer(ocspRequest: request, at: clock.now) {
                    $0.place == place ? .revoked(at: Sample.signedAt, reason: nil) : .good
                }
            }
            let checker = OCSPChecker(
                .init(policy: .soft), transport: transport,
                time: RevocationTime(now: { clock.now }, sleep: { try await clock.sleep(until: $0) }))
            await checker.learn(chain)
            #expect(checker.status(of: chain, at: Sample.signedAt) == .revoked)
        }
    }

    @Test("A modified revoked response is never read as good", arguments: 0..<4)
    func changed(seed: UInt64) async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        let certificates = try trust.signer.certificates
        let chain = SigningChain(leaf: certificates[0], intermediate: certificates[1], root: certificates[2])
        let (authority, clock) = (trust.authority, trust.clock)
        let time = RevocationTime(now: { clock.now }, sleep: { try await clock.sleep(until: $0) })
        var random = SplitMix64(seed: seed)
        for _ in 0..<150 {
            let (position, bit, cut) = (
                random.next(), UInt8(1) << UInt8(random.number(in: 0...7)), random.number(in: 0...9)
            )
            let transport = FunctionResponder { request in
                var bytes = try authority.answer(ocspRequest: request, at: clock.now) { _ in
                    .revoked(at: clock.now, reason: 1)
                }
                let index = Int(position % UInt64(bytes.count))
                bytes[index] ^= bit
                return cut == 0 ? Array(bytes.prefix(index)) : bytes
            }
            let checker = OCSPChecker(.init(policy: .hard), transport: transport, time: time)
            await checker.learn(chain)
            #expect(checker.status(of: chain, at: Sample.signedAt) != .good)
        }
    }

    @Test func `With the policy off no responder is asked`() async throws {
        let trust = try OCSPTrust(.init(policy: .off))
        trust.responder.conduct = .answers(.init(), .revoked(at: Sample.signedAt, reason: nil))
        #expect(try await trust.verify() == nil)
        #expect(trust.responder.asked == 0)
    }

    @Test func `The revocation of a certificate without a responder is unknown`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard), url: nil)
        #expect(try await trust.verify() == .revocationUnknown)
        #expect(trust.reports.codes == [.noResponder, .noResponder])
        let file = try OCSPTrust(.init(policy: .hard), url: "file:///etc/passwd")
        #expect(try await file.verify() == .revocationUnknown)
        #expect(file.responder.asked == 0)
    }

    @Test func `No responder is asked about certificates that do not lead to a trusted root`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        let stranger = try LocalAuthority(ocspResponder: "http://attacker.example.com").makeSigner()
        await trust.verifier.learnRevocation(of: [try stranger.sign(payload: Sample.transaction()), "a.b.c", ""])
        #expect(trust.responder.asked == 0)
    }

    @Test func `A responder refuses bytes that are not a request`() throws {
        let authority = try LocalAuthority()
        #expect(try authority.answer(ocspRequest: [1, 2, 3], at: Sample.signedAt) == [0x30, 0x03, 0x0A, 0x01, 0x01])
    }

    @Test func `An authority does not answer for another's certificates`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        let (other, clock, reports) = (try LocalAuthority(), trust.clock, trust.reports)
        let checker = OCSPChecker(
            .init(policy: .hard),
            transport: FunctionResponder { try other.answer(ocspRequest: $0, at: clock.now) },
            time: RevocationTime(now: { clock.now }, sleep: { try await clock.sleep(until: $0) })
        ) { reports.add($0) }
        let certificates = try trust.signer.certificates
        await checker.learn(
            SigningChain(leaf: certificates[0], intermediate: certificates[1], root: certificates[2]))
        #expect(reports.codes == [.refused, .refused])
    }
}

/// Tests with responders that identify certificates only by SHA-256 digests.
@Suite struct OCSPDigestTests {
    /// The DER encodings of the digests.
    private static let sha1: [UInt8] = [0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
    private static let sha256: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]

    /// Returns the verification result of an item after the verifier's checker has asked the responder.
    private func code(_ answer: @escaping @Sendable (LocalAuthority, [UInt8]) throws -> [UInt8]) async throws
        -> VerificationError.Code?
    {
        let authority = try LocalAuthority(ocspResponder: OCSPTrust.url)
        let clock = VirtualClock(Sample.signedAt)
        let checker = OCSPChecker(
            .init(policy: .hard), transport: FunctionResponder { try answer(authority, $0) },
            time: RevocationTime(now: { clock.now }, sleep: { try await clock.sleep(until: $0) }))
        let verifier = JWSVerifier(.init(roots: [authority.root], bundleID: Sample.bundleID, revocation: checker))
        let jws = try authority.makeSigner().sign(payload: Sample.transaction())
        await verifier.learnRevocation(of: [jws])
        return verifier.verify(jws).code
    }

    @Test(
        "A responder that refuses SHA-1 is asked with SHA-256",
        arguments: [
            (OCSPStatus.good, nil), (.revoked(at: Sample.signedAt, reason: 1), .certificateRevoked),
            (.unknown, .revocationUnknown),
        ] as [(OCSPStatus, VerificationError.Code?)])
    func modern(_ status: OCSPStatus, _ expected: VerificationError.Code?) async throws {
        let found = try await code { authority, request in
            guard !request.contains(Self.sha1) else { return [0x30, 0x03, 0x0A, 0x01, 0x06] }
            let answer = try authority.answer(ocspRequest: request, at: Sample.signedAt) { _ in status }
            #expect(answer.contains(Self.sha256) && !answer.contains(Self.sha1))
            return answer
        }
        #expect(found == expected)
    }

    @Test("A responder that refuses every digest leaves the revocation unknown")
    func refused() async throws {
        #expect(try await code { _, _ in [0x30, 0x03, 0x0A, 0x01, 0x06] } == .revocationUnknown)
    }
}

/// A responder that calls a function.
private struct FunctionResponder: OCSPTransport {
    let answer: @Sendable ([UInt8]) throws -> [UInt8]

    func response(to request: [UInt8], at url: String, sizeLimit: Int) async throws -> [UInt8] { try answer(request) }
}
