import Storekeeper
import StorekeeperJWS
import Testing

/// Tests of which fault is reported for an item with several faults.
struct FaultOrderTests {
    private struct Revoked: RevocationChecker {
        func status(of chain: SigningChain, at: Instant) -> RevocationStatus { .revoked }
    }

    /// The faults in the order in which the command line reports them.
    ///
    /// The fault of the Apple id has a separate test, because transactions have no Apple id.
    private static let order: [VerificationError.Code?] = [
        .malformed, .unsupportedAlgorithm, .forbiddenHeader, .chainLength, .untrustedChain, .missingMarker,
        .certificateNotValidAtSigning, .certificateRevoked, .invalidSignature, .malformed, .bundleMismatch,
        .environmentRefused, nil,
    ]

    @Test("If an item has several faults, the first in the order is reported", arguments: order.indices)
    func first(of rank: Int) throws {
        // The item has this fault and all faults that come after it in the order.
        func has(_ fault: Int) -> Bool { fault >= rank }
        var shape = LocalAuthority.Shape()
        if has(4) { shape.leafIsAuthority = true }
        if has(5) { shape.leafIsMarked = false }
        if has(6) { shape.leafValidity = Instant(clamped: 0)...Instant(clamped: 1000) }
        let trust = try Trust(shape: shape, revocation: has(7) ? Revoked() : nil)
        let payload = Sample.transaction([
            "productId": has(9) ? nil : #""gold.monthly""#,
            "bundleId": has(10) ? #""com.example.other""# : #""com.example.game""#,
            "environment": has(11) ? #""Sandbox""# : #""Production""#,
        ])
        let certificates = try trust.signer.certificates + (has(3) ? [trust.authority.root.der] : [])
        let header =
            #"{"alg":"\#(has(1) ? "ES384" : "ES256")",\#(has(2) ? #""crit":[],"# : "")"#
            + #""x5c":\#(Trust.x5c(certificates))}"#
        var segments = Segments(try trust.signer.sign(header: header, payload: payload))
        if has(8) { segments.signature = Base64URL.encode([UInt8](repeating: 1, count: 64)) }
        if has(0) { segments.signature += "!" }
        // The first round verifies a new chain. In the second round, the chain may be in the cache.
        for _ in 0..<2 { #expect(trust.verifier.verify(segments.jws).code == Self.order[rank]) }
    }
}
