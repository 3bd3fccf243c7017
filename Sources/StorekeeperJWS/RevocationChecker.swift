public import StorekeeperEngine

/// Says whether certificates were revoked, from what it knows already.
///
/// A verifier asks for every item whose chain is good and whose dates fit, so an answer must be quick: a
/// checker that learns over a network does so on its own time and answers from its memory. Without a
/// checker, which is the default, revocation is not looked at.
///
/// - SeeAlso: RFC 6960, "X.509 Internet Public Key Infrastructure Online Certificate Status Protocol - OCSP".
public protocol RevocationChecker: Sendable {
    /// The status of the two certificates that a root vouches for.
    ///
    /// - Parameters:
    ///   - leaf: The certificate that signed the item, as DER.
    ///   - intermediate: The certificate that signed the leaf, as DER.
    ///   - at: When the item says it was signed.
    func status(leaf: [UInt8], intermediate: [UInt8], at: Instant) -> RevocationStatus
}

/// Whether certificates were revoked.
public enum RevocationStatus: Hashable, Sendable {
    /// Neither was.
    case good
    /// At least one was; the item is refused with `certificateRevoked`.
    case revoked
    /// It is not known; the item is refused with `revocationUnknown`, and trying again may help.
    case unknown
}
