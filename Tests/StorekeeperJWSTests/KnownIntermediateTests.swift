import Storekeeper
import Synchronization
import Testing

@testable import StorekeeperJWS

/// Tests that an intermediate certificate in the cache is trusted only with its exact bytes and under its own root.
struct KnownIntermediateTests {
    typealias Shape = LocalAuthority.Shape

    /// Returns a verifier that has verified an item under the authority's intermediate.
    private static func trust(shape: Shape = Shape(), signedAt: String = "1772358600000") throws -> Trust {
        let trust = try Trust(shape: shape)
        let first = try trust.sign(Sample.transaction(["signedDate": signedAt]))
        try #require(trust.verifier.verify(first).code == nil)
        return trust
    }

    private static func code(
        _ trust: Trust, _ certificates: [[UInt8]], signer: JWSSigner, _ payload: [UInt8] = Sample.transaction()
    ) throws -> VerificationError.Code? {
        let header = JWSSigner.header(certificates: certificates)
        return trust.verifier.verify(try signer.sign(header: header, payload: payload)).code
    }

    @Test func `Another leaf under a known intermediate is trusted, and the intermediate is not checked again`() throws
    {
        let trust = try Self.trust()
        let certificates = try trust.signer.certificates
        let known = try #require(trust.verifier.cache.intermediate(certificates[1], issuedBy: certificates[2]))
        let signer = trust.authority.makeSigner()
        let jws = try signer.sign(payload: Sample.transaction())
        #expect(trust.verifier.verify(jws).code == nil)
        let header = try #require(CompactJWS(jws)).header
        #expect(try #require(trust.verifier.cache.chain(for: header)).intermediate === known)
    }

    @Test func `An intermediate with any byte changed is not known`() throws {
        let trust = try Self.trust()
        let certificates = try trust.signer.certificates
        for position in stride(from: 0, to: certificates[1].count, by: 3) {
            var changed = certificates
            changed[1][position] ^= 0x01
            let code = try Self.code(trust, changed, signer: trust.signer)
            #expect(code == .untrustedChain, "byte \(position) of \(changed[1])")
        }
        for changed in [certificates[1] + [0], Array(certificates[1].dropLast()), []] {
            let mixed = [certificates[0], changed, certificates[2]]
            #expect(try Self.code(trust, mixed, signer: trust.signer) == .untrustedChain)
        }
    }

    @Test func `A known intermediate is trusted under its own root only`() throws {
        let (ours, other) = (try Trust(), try Trust())
        let both = JWSVerifier(.init(roots: [ours.authority.root, other.authority.root], bundleID: nil))
        #expect(both.verify(try ours.sign()).code == nil)
        #expect(both.verify(try other.sign()).code == nil)
        let mixed = Array(try ours.signer.certificates.prefix(2)) + [other.authority.root.der]
        let jws = try ours.signer.sign(header: JWSSigner.header(certificates: mixed), payload: Sample.transaction())
        #expect(both.verify(jws).code == .untrustedChain)
        // An untrusted root remains untrusted after a chain with our root is in the cache.
        #expect(ours.verifier.verify(try ours.sign()).code == nil)
        #expect(try Self.code(ours, mixed, signer: ours.signer) == .untrustedChain)
    }

    @Test func `A leaf that the known intermediate did not sign is refused`() throws {
        let (trust, foreign) = (try Self.trust(), try Trust())
        let certificates = try trust.signer.certificates
        // The chain has a leaf with the same names from another authority.
        let mixed = [try foreign.signer.certificates[0]] + certificates.dropFirst()
        #expect(try Self.code(trust, mixed, signer: foreign.signer) == .untrustedChain)
        // The chain has the intermediate, and then the root, in place of the leaf.
        #expect(
            try Self.code(trust, [certificates[1]] + certificates.dropFirst(), signer: trust.signer) == .untrustedChain)
        #expect(
            try Self.code(trust, [certificates[2]] + certificates.dropFirst(), signer: trust.signer) == .untrustedChain)
        // The chain has the valid leaf with one changed byte.
        for position in stride(from: 0, to: certificates[0].count, by: 11) {
            var changed = certificates
            changed[0][position] ^= 0x01
            #expect(try Self.code(trust, changed, signer: trust.signer) == .untrustedChain, "byte \(position)")
        }
    }

    @Test("A leaf under a known intermediate must satisfy all rules for leaves")
    func leafRules() throws {
        func code(_ change: (inout Shape) -> Void) throws -> VerificationError.Code? {
            let trust = try Self.trust()
            var shape = Shape()
            change(&shape)
            let signer = trust.authority.shaped(shape).makeSigner()
            try #require(try signer.certificates[1] == trust.signer.certificates[1])
            return trust.verifier.verify(try signer.sign(payload: Sample.transaction())).code
        }
        #expect(try code { _ in } == nil)
        #expect(try code { $0.leafIsMarked = false } == .missingMarker)
        #expect(try code { $0.leafIsAuthority = true } == .untrustedChain)
        #expect(try code { $0.leafMaySign = false } == .untrustedChain)
        #expect(try code { $0.leafCurve = .p384 } == .untrustedChain)
        #expect(try code { $0.leafHasUnknownCriticalExtension = true } == .untrustedChain)
        #expect(try code { $0.leafIssuerName = "Somebody Else" } == .untrustedChain)
        #expect(
            try code { $0.leafValidity = Instant(clamped: 0)...Instant(clamped: 1000) }
                == .certificateNotValidAtSigning)
    }

    @Test("The dates of a known intermediate and its root are checked for each item", arguments: [true, false])
    func validity(ofRoot: Bool) throws {
        let window = Instant(clamped: 1_700_000_000_000)...Instant(clamped: 1_800_000_000_000)
        var shape = Shape()
        if ofRoot { shape.rootValidity = window } else { shape.intermediateValidity = window }
        let trust = try Self.trust(shape: shape)
        for (date, code) in [
            ("1699999999999", VerificationError.Code.certificateNotValidAtSigning), ("1700000000000", nil),
            ("1800000000000", nil), ("1800000000001", .certificateNotValidAtSigning),
        ] {
            let signer = trust.authority.makeSigner()
            let jws = try signer.sign(payload: Sample.transaction(["signedDate": date]))
            #expect(trust.verifier.verify(jws).code == code, "signed at \(date)")
        }
    }

    @Test func `Another intermediate of the same root is checked separately`() throws {
        let trust = try Self.trust()
        for (change, code) in [
            ({ $0.intermediateIsMarked = false }, VerificationError.Code.missingMarker),
            ({ $0.intermediateIsAuthority = false }, .untrustedChain),
            ({ $0.intermediateMaySignCertificates = false }, .untrustedChain),
        ] as [((inout Shape) -> Void, VerificationError.Code)] {
            var shape = Shape()
            change(&shape)
            let signer = try trust.authority.rotated(shape: shape).makeSigner()
            for _ in 0..<2 {
                #expect(trust.verifier.verify(try signer.sign(payload: Sample.transaction())).code == code)
            }
        }
        let rotated = try trust.authority.rotated().makeSigner()
        #expect(trust.verifier.verify(try rotated.sign(payload: Sample.transaction())).code == nil)
    }

    @Test func `An intermediate is not known before an item under it was verified`() throws {
        let trust = try Trust()
        let certificates = try trust.signer.certificates
        var segments = Segments(try trust.sign())
        segments.signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
        #expect(trust.verifier.verify(segments.jws).code == .invalidSignature)
        #expect(trust.verifier.verify(try trust.sign(Sample.transaction(["signedDate": "0"]))).code != nil)
        #expect(trust.verifier.cache.intermediate(certificates[1], issuedBy: certificates[2]) == nil)
    }

    @Test func `The revocation of an intermediate is checked for each item, even if it is known`() throws {
        let checker = RevokedIntermediates()
        let trust = try Trust(revocation: checker)
        #expect(trust.verifier.verify(try trust.sign()).code == nil)
        checker.revoke(try trust.signer.certificates[1])
        let next = try trust.authority.makeSigner().sign(payload: Sample.transaction())
        #expect(trust.verifier.verify(next).code == .certificateRevoked)
    }
}

/// A revocation checker that reports an intermediate as revoked after a test has revoked it.
private final class RevokedIntermediates: RevocationChecker {
    private let revoked = Mutex<Set<[UInt8]>>([])

    func revoke(_ der: [UInt8]) { _ = revoked.withLock { $0.insert(der) } }

    func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
        revoked.withLock { $0.contains(chain.intermediate) } ? .revoked : .good
    }
}
