import Storekeeper
import StorekeeperJWS

/// A revocation checker that treats all certificates of a separate certificate authority as revoked.
///
/// The certificates are used for the simulated failure ``SimulatedFailure/revokedCertificate``.
///
/// The authority has its own root, which other verifiers do not trust. Therefore even a verifier that does not check
/// revocation rejects the certificates.
struct RevokedCertificates: RevocationChecker {
    /// The authority, which is created at the first use, because creating it takes a long time.
    static let authority = Result { try LocalAuthority(name: "Revoked Root") }
    static let signer = authority.map { $0.makeSigner() }

    /// The root of the authority; empty if the authority could not be created.
    static let roots: [TrustedRoot] = (try? authority.get()).map { [$0.root] } ?? []

    func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
        Self.roots.contains { $0.der == chain.root } ? .revoked : .good
    }
}
