import StorekeeperEngine
import X509

/// An intermediate certificate that a trusted root has issued, with the data needed to check a leaf under it.
///
/// All data depends only on the bytes of the two certificates, so it can be used again for another leaf with the same
/// intermediate and root. The validity period is checked for each item.
final class TrustedIntermediate: Sendable {
    /// The certificate, as DER.
    let der: [UInt8]
    private let root: [UInt8]
    /// The issuer name that the leaf must have.
    let subject: DistinguishedName
    /// The key that must have signed the leaf.
    let publicKey: Certificate.PublicKey
    /// The instants at which intermediate and root are valid; `nil` if their validity periods do not overlap.
    let validity: ClosedRange<Instant>?
    /// Whether the intermediate has the App Store's marker extension; without the extension, it may have issued
    /// certificates for any purpose.
    let isMarked: Bool

    /// Checks an intermediate certificate.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - rootDER: The root, which is trusted.
    /// - Throws: ``VerificationError`` with `untrustedChain`.
    init(_ der: [UInt8], issuedBy rootDER: [UInt8]) throws(VerificationError) {
        let intermediate = try ChainCertificate(der, .intermediate)
        let root = try ChainCertificate(rootDER, .root)
        try intermediate.checkIsIssued(by: root.content.subject, key: root.content.publicKey)
        try intermediate.checkForm()
        try root.checkForm()
        try intermediate.checkMaySignCertificates(authoritiesBelow: 0)
        try root.checkMaySignCertificates(authoritiesBelow: 1)
        try intermediate.checkCriticalExtensions()
        try root.checkCriticalExtensions()
        self.der = der
        self.root = rootDER
        subject = intermediate.content.subject
        publicKey = intermediate.content.publicKey
        validity = intermediate.validity?.common(with: root.validity)
        isMarked = intermediate.isMarked(ChainCertificate.Marker.intermediate)
    }

    /// Returns whether this value was created from the given bytes of an intermediate and a root.
    func isMade(of der: [UInt8], issuedBy root: [UInt8]) -> Bool { self.der == der && self.root == root }
}

extension ClosedRange<Instant> {
    /// Returns the instants that two ranges have in common; `nil` if the ranges do not overlap.
    func common(with other: ClosedRange<Instant>?) -> ClosedRange<Instant>? {
        guard let other, overlaps(other) else { return nil }
        return clamped(to: other)
    }
}
