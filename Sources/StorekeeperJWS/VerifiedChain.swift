import Crypto
import StorekeeperEngine

/// A header whose certificates are trusted, with the data needed to verify items under it: they lead to a trusted root,
/// or are the one certificate of Xcode that the verifier's owner has named.
///
/// No path is searched, nothing is fetched, and nothing depends on the time of day: everything here follows from the
/// header and the roots alone. Dates, revocation, signature, app and environment are checked for each item.
final class VerifiedChain: Sendable {
    /// The header segment, shared by all items with these bytes.
    let header: CompactJWS.HeaderSegment
    /// The certificates, the leaf first; `nil` for Xcode's certificate, which no other certificate has signed.
    let certificates: SigningChain?
    /// The certificate that signed the leaf; `nil` for Xcode's certificate.
    let intermediate: TrustedIntermediate?
    private let leafKey: P256.Signing.PublicKey
    /// When all three certificates are valid, both ends included; `nil` if the periods do not overlap.
    private let validity: ClosedRange<Instant>?
    /// The hash state after the header segment and the dot, to be continued with a payload.
    private let digestOfHeader: SHA256

    /// Checks the certificates of a header.
    ///
    /// - Parameters:
    ///   - header: The header segment.
    ///   - certificates: Leaf, intermediate and root, as DER.
    ///   - roots: The trusted roots; the last certificate must be one of them, byte for byte.
    ///   - known: Chains that were verified against these roots before. If one of them has the same intermediate under
    ///     the same root, byte for byte, the intermediate is not checked again.
    /// - Throws: ``VerificationError`` with `untrustedChain`, or `missingMarker` if only a marker is missing.
    init(
        header: CompactJWS.HeaderSegment, certificates: [[UInt8]], roots: Set<TrustedRoot>, known: ChainCache
    ) throws(VerificationError) {
        guard certificates.count == 3 else { throw .untrusted("there are not three certificates") }
        guard roots.contains(where: { $0.der == certificates[2] }) else {
            throw .untrusted("the third certificate is not a trusted root")
        }
        // The trusted key comes first: no work for a key that anyone may have put there.
        let intermediate =
            if let known = known.intermediate(certificates[1], issuedBy: certificates[2]) {
                known
            } else {
                try TrustedIntermediate(certificates[1], issuedBy: certificates[2])
            }
        let leaf = try ChainCertificate(certificates[0], .leaf)
        try leaf.checkIsIssued(by: intermediate.subject, key: intermediate.publicKey)
        try leaf.checkForm()
        try leaf.checkIsEndEntity()
        try leaf.checkCriticalExtensions()
        guard let key = leaf.keyOnP256 else {
            throw .untrusted("the leaf certificate's key is not on the curve P-256")
        }
        guard leaf.isMarked(ChainCertificate.Marker.leaf) else {
            throw .unmarked(.leaf, ChainCertificate.Marker.leaf)
        }
        guard intermediate.isMarked else {
            throw .unmarked(.intermediate, ChainCertificate.Marker.intermediate)
        }
        self.header = header
        self.certificates = SigningChain(
            leaf: certificates[0], intermediate: certificates[1], root: certificates[2])
        self.intermediate = intermediate
        leafKey = key
        validity = leaf.validity?.common(with: intermediate.validity)
        digestOfHeader = Self.digest(of: header)
    }

    /// Creates the chain of a header whose only certificate is one of Xcode's that the verifier's owner has named.
    ///
    /// - Throws: ``VerificationError`` with `untrustedChain` if it cannot sign items.
    init(header: CompactJWS.HeaderSegment, xcodeCertificate: TrustedRoot) throws(VerificationError) {
        let certificate = try ChainCertificate(xcodeCertificate.der, .leaf)
        guard let key = certificate.keyOnP256 else {
            throw .untrusted("the leaf certificate's key is not on the curve P-256")
        }
        self.header = header
        certificates = nil
        intermediate = nil
        leafKey = key
        validity = certificate.validity
        digestOfHeader = Self.digest(of: header)
    }

    /// Whether the items are signed under Xcode's certificate, and so must be of the environment Xcode.
    var isOfXcode: Bool { certificates == nil }

    private static func digest(of header: CompactJWS.HeaderSegment) -> SHA256 {
        var digest = SHA256()
        digest.update(data: header.bytes)
        digest.update(data: [UInt8(ascii: ".")])
        return digest
    }

    /// Whether all certificates are valid at an instant.
    func isValid(at instant: Instant) -> Bool { validity?.contains(instant) ?? false }

    /// Returns whether the leaf's key signed this header with a payload.
    ///
    /// - Parameters:
    ///   - payload: The payload segment as received.
    ///   - signature: r and s, 32 bytes each. Both forms of s are accepted: the App Store's own libraries accept
    ///     either, and nothing here distinguishes items by their signature.
    func signed(payload: [UInt8], signature: [UInt8]) -> Bool {
        guard signature.count == 64, signature[..<32].contains(where: { $0 != 0 }),
            signature[32...].contains(where: { $0 != 0 }),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        var digest = digestOfHeader
        payload.withUnsafeBytes { digest.update(bufferPointer: $0) }
        return leafKey.isValidSignature(signature, for: digest.finalize())
    }
}
