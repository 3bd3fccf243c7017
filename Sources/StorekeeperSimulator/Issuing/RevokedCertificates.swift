import Storekeeper
import StorekeeperJWS

/// Certificates of which all were revoked, for the simulated failure of that name.
///
/// They have a root of their own, so that a verifier that does not check revocation does not trust them either.
struct RevokedCertificates: RevocationChecker {
    /// The authority that made them, created at the first use because that takes long.
    static let authority = Result { try LocalAuthority(name: "Revoked Root") }
    static let signer = authority.map { $0.makeSigner() }

    /// The root; none if it could not be created.
    static let roots: [TrustedRoot] = (try? authority.get()).map { [$0.root] } ?? []

    func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
        Self.roots.contains { $0.der == chain.root } ? .revoked : .good
    }
}
