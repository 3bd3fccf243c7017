import Storekeeper
import StorekeeperJWS
import Synchronization
import Testing

/// Tests with certificate chains that must not be accepted under a trusted root.
struct ChainAttackTests {
    typealias Shape = LocalAuthority.Shape

    private func code(_ change: (inout Shape) -> Void) throws -> VerificationError.Code? {
        var shape = Shape()
        change(&shape)
        let trust = try Trust(shape: shape)
        return trust.verifier.verify(try trust.sign()).code
    }

    @Test func `A chain like the App Store's is trusted`() throws {
        #expect(try code { _ in } == nil)
        #expect(try code { $0.rootPathLength = 1 } == nil)
    }

    @Test func `A certificate without its marker is refused`() throws {
        #expect(try code { $0.leafIsMarked = false } == .missingMarker)
        #expect(try code { $0.intermediateIsMarked = false } == .missingMarker)
    }

    @Test func `An intermediate that may not sign certificates is refused`() throws {
        #expect(try code { $0.intermediateIsAuthority = false } == .untrustedChain)
        #expect(try code { $0.intermediateMaySignCertificates = false } == .untrustedChain)
    }

    @Test func `A root customerOption path length is too short is refused`() throws {
        #expect(try code { $0.rootPathLength = 0 } == .untrustedChain)
    }

    @Test func `A leaf that is an authority, or may not sign data, is refused`() throws {
        #expect(try code { $0.leafIsAuthority = true } == .untrustedChain)
        #expect(try code { $0.leafMaySign = false } == .untrustedChain)
    }

    @Test func `A leaf on another curve is refused`() throws {
        #expect(try code { $0.leafCurve = .p384 } == .untrustedChain)
    }

    @Test func `An unknown critical extension is refused`() throws {
        #expect(try code { $0.leafHasUnknownCriticalExtension = true } == .untrustedChain)
    }

    @Test func `A leaf that names another issuer is refused`() throws {
        #expect(try code { $0.leafIssuerName = "Somebody Else" } == .untrustedChain)
    }

    @Test func `Of several faults the first in the order is reported`() throws {
        #expect(
            try code {
                $0.leafIsMarked = false
                $0.intermediateIsAuthority = false
            } == .untrustedChain)
        #expect(
            try code {
                $0.leafIsMarked = false
                $0.leafValidity = Instant(clamped: 0)...Instant(clamped: 1000)
            } == .missingMarker)
    }

    @Test func `Another root with the same name is refused`() throws {
        let (ours, foreign) = (try Trust(), try Trust())
        #expect(ours.verifier.verify(try foreign.sign()).code == .untrustedChain)
        // The chain contains the other root's leaf and intermediate, and our root.
        let mixed = try foreign.signer.certificates.prefix(2) + [ours.authority.root.der]
        let jws = try foreign.signer.sign(
            header: JWSSigner.header(certificates: Array(mixed)), payload: Sample.transaction())
        #expect(ours.verifier.verify(jws).code == .untrustedChain)
        // The chain contains our leaf, the other root's intermediate, and our root.
        let crossed = [try ours.signer.certificates[0], try foreign.signer.certificates[1], ours.authority.root.der]
        let crossedJWS = try ours.signer.sign(
            header: JWSSigner.header(certificates: crossed), payload: Sample.transaction())
        #expect(ours.verifier.verify(crossedJWS).code == .untrustedChain)
    }

    @Test func `A verifier without roots trusts nothing, and one with several trusts each`() throws {
        let (first, second) = (try Trust(), try Trust())
        let jws = try first.sign()
        #expect(JWSVerifier(.init(roots: [], bundleID: nil)).verify(jws).code == .untrustedChain)
        let both = JWSVerifier(.init(roots: [second.authority.root, first.authority.root], bundleID: nil))
        #expect(both.verify(jws).code == nil)
        #expect(both.verify(try second.sign()).code == nil)
    }

    @Test func `Items under the old and the new intermediate are verified after a rotation`() throws {
        let trust = try Trust()
        let rotated = try trust.authority.rotated()
        #expect(rotated.root == trust.authority.root)
        #expect(trust.verifier.verify(try trust.sign()).code == nil)
        #expect(trust.verifier.verify(try rotated.makeSigner().sign(payload: Sample.transaction())).code == nil)
    }

    @Test("Every certificate must be valid when the item was signed", arguments: [0, 1, 2])
    func validity(of certificate: Int) throws {
        let window = Instant(clamped: 1_700_000_000_000)...Instant(clamped: 1_800_000_000_000)
        var shape = Shape()
        switch certificate {
        case 0: shape.leafValidity = window
        case 1: shape.intermediateValidity = window
        default: shape.rootValidity = window
        }
        let trust = try Trust(shape: shape)
        // The first round verifies a new chain, and the second round verifies the same chain from the cache.
        for _ in 0..<2 {
            for (date, code) in [
                ("1699999999999", VerificationError.Code.certificateNotValidAtSigning), ("1700000000000", nil),
                ("1800000000000", nil), ("1800000000001", .certificateNotValidAtSigning),
            ] {
                let jws = try trust.sign(Sample.transaction(["signedDate": date]))
                #expect(trust.verifier.verify(jws).code == code, "signed at \(date)")
                let app = try trust.sign(Sample.appTransaction(["receiptCreationDate": date]))
                #expect(trust.verifier.verify(app).code == code, "created at \(date)")
            }
        }
    }

    @Test func `Extreme dates are compared with the validity of the certificates`() throws {
        let trust = try Trust.shared.get()
        for date in ["8640000000000000", "-8640000000000000", "0"] {
            let jws = try trust.sign(Sample.transaction(["signedDate": date]))
            #expect(trust.verifier.verify(jws).code == .certificateNotValidAtSigning)
        }
    }
}

/// Tests of a verifier with a revocation checker of the test.
struct RevocationTests {
    /// Returns an answer that a test may change, and counts the calls.
    private final class Checker: RevocationChecker {
        let answer = Mutex(RevocationStatus.good)
        let asked = Mutex<[(chain: SigningChain, at: Instant)]>([])

        func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
            asked.withLock { $0.append((chain, at)) }
            return answer.withLock { $0 }
        }
    }

    @Test func `The checker is asked about every item, even under a known chain`() throws {
        let checker = Checker()
        let trust = try Trust(revocation: checker)
        let jws = try trust.sign()
        #expect(trust.verifier.verify(jws).code == nil)
        checker.answer.withLock { $0 = .revoked }
        #expect(trust.verifier.verify(jws).code == .certificateRevoked)
        checker.answer.withLock { $0 = .unknown }
        #expect(trust.verifier.verify(jws).code == .revocationUnknown)
        let asked = checker.asked.withLock { $0 }
        #expect(asked.count == 3)
        #expect(try asked.allSatisfy { try $0.chain.leaf == trust.signer.certificates[0] })
        #expect(try asked.allSatisfy { try $0.chain.intermediate == trust.signer.certificates[1] })
        #expect(asked.allSatisfy { $0.at == Sample.signedAt })
    }

    @Test func `A revocation is reported before a signature fault and after a date fault`() throws {
        let checker = Checker()
        checker.answer.withLock { $0 = .revoked }
        let trust = try Trust(revocation: checker)
        var segments = Segments(try trust.sign())
        segments.signature = Segments(try trust.sign(Sample.renewalInfo())).signature
        #expect(trust.verifier.verify(segments.jws).code == .certificateRevoked)
        let early = try trust.sign(Sample.transaction(["signedDate": "0"]))
        #expect(trust.verifier.verify(early).code == .certificateNotValidAtSigning)
    }
}
