import Crypto
import StorekeeperEngine

/// A header whose certificates led to a trusted root, with what the next item under it needs.
///
/// What is proved here depends on the header and the roots alone. Dates, revocation, signature and addressee
/// belong to each item and are checked for each.
final class VerifiedChain: Sendable {
    /// The header segment, shared by all items that have these bytes.
    let header: CompactJWS.HeaderSegment
    /// The certificate that signs items, as DER.
    let leaf: [UInt8]
    /// The certificate that signed the leaf, as DER.
    let intermediate: [UInt8]
    private let leafKey: P256.Signing.PublicKey
    private let validity: ClosedRange<Instant>?
    /// The digest of the header segment and the dot behind it, to go on from.
    private let digestOfHeader: SHA256

    /// Checks the certificates of a header.
    ///
    /// - Throws: ``VerificationError`` with `untrustedChain` or `missingMarker`.
    init(
        header: CompactJWS.HeaderSegment, certificates: [[UInt8]], roots: Set<TrustedRoot>
    ) throws(VerificationError) {
        let chain = try CertificateChain(certificates, roots: roots)
        self.header = header
        leaf = certificates[0]
        intermediate = certificates[1]
        leafKey = chain.leafKey
        validity = chain.validity
        var digest = SHA256()
        digest.update(data: header.bytes)
        digest.update(data: [UInt8(ascii: ".")])
        digestOfHeader = digest
    }

    /// Whether all certificates are valid at an instant.
    func isValid(at instant: Instant) -> Bool { validity?.contains(instant) ?? false }

    /// Whether the leaf's key signed this header with a payload.
    ///
    /// - Parameters:
    ///   - payload: The payload segment as it came.
    ///   - signature: r and s, 32 bytes each. Both forms of s are taken: the App Store's own libraries take
    ///     either, and nothing here tells items apart by their signature.
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
