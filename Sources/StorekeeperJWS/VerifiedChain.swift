import Crypto
import StorekeeperEngine

/// A header with trusted certificates, and the data that is needed to verify items with this header.
///
/// The certificates either lead to a trusted root, or are a single certificate of Xcode that is among the roots. All
/// data depends only on the header and the roots, and not on the current time. No certificate is fetched. Dates,
/// revocation, signature, app and environment are checked for each item.
final class VerifiedChain: Sendable {
    /// The header segment, which is shared by all items with the same header bytes.
    let header: CompactJWS.HeaderSegment
    /// The certificates, the leaf first; `nil` for Xcode's certificate, which no other certificate has signed.
    let certificates: SigningChain?
    /// The certificate that signed the leaf; `nil` for Xcode's certificate.
    let intermediate: TrustedIntermediate?
    private let leafKey: P256.Signing.PublicKey
    /// The instants at which all certificates are valid; `nil` if the validity periods of the certificates do not
    /// overlap.
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
        // The intermediate is checked first with the trusted key, so that no work is done for a key that an attacker
        // may have put into the header.
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

    /// Creates the value for a header whose only certificate is a certificate of Xcode among the verifier's roots.
    ///
    /// - Throws: ``VerificationError`` with `untrustedChain` if the certificate's key is not on the curve P-256.
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

    /// Whether the items are signed with Xcode's certificate, and must therefore be of the environment Xcode.
    var isOfXcode: Bool { certificates == nil }

    private static func digest(of header: CompactJWS.HeaderSegment) -> SHA256 {
        var digest = SHA256()
        digest.update(data: header.bytes)
        digest.update(data: [UInt8(ascii: ".")])
        return digest
    }

    /// Returns whether all certificates are valid at an instant.
    func isValid(at instant: Instant) -> Bool { validity?.contains(instant) ?? false }

    /// Returns whether the leaf's key signed this header with a payload.
    ///
    /// - Parameters:
    ///   - payload: The payload segment as received.
    ///   - signature: The numbers r and s, 32 bytes each. For each r, two values of s are valid. Both are accepted, as
    ///     in Apple's own libraries; this is safe because no code distinguishes items by their signature.
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
