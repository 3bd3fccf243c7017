public import StorekeeperEngine

/// Says whether certificates were revoked, from what it knows already.
///
/// A verifier asks for every item whose chain is good and whose dates fit, so an answer must be quick: a
/// checker that learns over a network does so in ``learn(_:)`` or on its own time, and answers from its memory. Without
/// a checker, which is the default, revocation is not looked at. ``OCSPChecker`` is the one that asks the issuers.
///
/// - SeeAlso: RFC 6960, "X.509 Internet Public Key Infrastructure Online Certificate Status Protocol - OCSP".
public protocol RevocationChecker: Sendable {
    /// The status of the two certificates that a root vouches for.
    ///
    /// - Parameters:
    ///   - chain: The certificates; that each was signed by the next is proved.
    ///   - at: When the item says it was signed.
    func status(of chain: SigningChain, at: Instant) -> RevocationStatus

    /// Finds out what is not known about a chain, and returns when that is done or cannot be done now.
    ///
    /// - Parameter chain: The certificates; that each was signed by the next is proved.
    func learn(_ chain: SigningChain) async
}

extension RevocationChecker {
    /// Finds out nothing: what the checker knows it knows already.
    public func learn(_ chain: SigningChain) async {}
}

/// The certificates that signed an item, each as DER.
public struct SigningChain: Hashable, Sendable {
    /// The certificate that signed the item.
    public let leaf: [UInt8]
    /// The certificate that signed the leaf.
    public let intermediate: [UInt8]
    /// The trusted certificate that signed the intermediate.
    public let root: [UInt8]

    /// Makes a chain.
    public init(leaf: [UInt8], intermediate: [UInt8], root: [UInt8]) {
        self.leaf = leaf
        self.intermediate = intermediate
        self.root = root
    }
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
