public import StorekeeperEngine

/// Reports from memory whether certificates were revoked.
///
/// A verifier asks the checker about every item whose certificates are valid on the item's signing date, so the checker
/// must answer quickly. A checker that uses a network does so in ``learn(_:)`` or in its own tasks, and answers from
/// memory. By default, a verifier has no checker and does not check revocation. ``OCSPChecker`` is the implementation
/// that asks the issuers.
///
/// - SeeAlso: RFC 6960, "X.509 Internet Public Key Infrastructure Online Certificate Status Protocol - OCSP".
public protocol RevocationChecker: Sendable {
    /// Returns the status of the two certificates below the root.
    ///
    /// - Parameters:
    ///   - chain: The certificates, each proven to be signed by the next.
    ///   - at: The item's signing date.
    func status(of chain: SigningChain, at: Instant) -> RevocationStatus

    /// Requests the unknown statuses of a certificate chain, and returns when the statuses are known or cannot be found
    /// out now.
    ///
    /// - Parameter chain: The certificates, each proven to be signed by the next.
    func learn(_ chain: SigningChain) async
}

extension RevocationChecker {
    /// Does nothing, for checkers that do not send requests.
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

    /// Creates a certificate chain.
    public init(leaf: [UInt8], intermediate: [UInt8], root: [UInt8]) {
        self.leaf = leaf
        self.intermediate = intermediate
        self.root = root
    }
}

/// Whether certificates were revoked.
public enum RevocationStatus: Hashable, Sendable {
    /// Neither certificate was revoked.
    case good
    /// At least one certificate was revoked; the item is refused with `certificateRevoked`.
    case revoked
    /// The status is not known; the item is refused with `revocationUnknown`, and a retry may help.
    case unknown
}
