public import StorekeeperEngine

/// Verifies evidence that was signed by the App Store or, in place of the App Store, by a ``LocalAuthority``.
///
/// The following rules are checked in this order and cannot be changed. The algorithm must be ES256. There must be
/// three certificates in `x5c`; the last must be a trusted root byte for byte, and the other two must have the App
/// Store's marker extensions. The certificates must be valid on the item's signing date. Then the signature is checked,
/// and finally the app, the environment and the kind. The environments Xcode and local testing are not exempt from the
/// signature check. A call never waits for a network.
///
/// Xcode signs with a single self-signed certificate. A verifier accepts this evidence if its configuration contains
/// the certificate as a root, accepts the environment Xcode and does not accept production. The header of the evidence
/// must contain only this certificate, byte for byte.
///
/// A verifier may be used from many tasks at once. It caches recently verified certificate chains, so that a further
/// item with the same certificates requires only one signature check.
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransaction"; RFC 7515, "JSON Web Signature (JWS)".
public final class JWSVerifier: TransactionVerifier {
    /// The roots a verifier trusts, and the apps and environments it accepts.
    public struct Configuration: Sendable {
        /// The trusted roots; without a root, no evidence is trusted.
        ///
        /// The roots may include certificates of Xcode; see ``trustsXcodeCertificates``.
        public var roots: [TrustedRoot]
        /// The bundle id of the app; `nil` skips the check.
        ///
        /// A renewal info does not contain a bundle id, so it is used only together with a transaction of the same
        /// subscription, which does.
        public var bundleID: String?
        /// The App Store's number for the app, compared in production with the number in app transactions and
        /// notifications; `nil` skips the check.
        public var appAppleID: Int64?
        /// The environments that are accepted.
        public var environments: Set<AppStore.Environment>
        /// The revocation checker; `nil`, the default, skips the check.
        public var revocation: (any RevocationChecker)?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - roots: The trusted root certificates.
        ///   - bundleID: The app that evidence must be about. `nil` accepts evidence of every app. Use `nil` to inspect
        ///     evidence, but not to grant access.
        ///   - appAppleID: The App Store's number for the app, compared in production.
        ///   - environments: The environments that are accepted.
        ///   - revocation: The revocation checker; `nil` skips the check.
        public init(
            roots: [TrustedRoot], bundleID: String?, appAppleID: Int64? = nil,
            environments: Set<AppStore.Environment> = [.production], revocation: (any RevocationChecker)? = nil
        ) {
            self.roots = roots
            self.bundleID = bundleID
            self.appAppleID = appAppleID
            self.environments = environments
            self.revocation = revocation
        }

        /// Whether the certificates of Xcode among the roots are trusted.
        ///
        /// The certificates are trusted only if the environment Xcode is accepted and production is not accepted.
        /// Anyone who can use the Mac on which such a certificate was created can sign any purchase with it.
        public var trustsXcodeCertificates: Bool {
            environments.contains(.xcode) && !environments.contains(.production)
        }
    }

    /// The roots this verifier trusts, and the apps and environments it accepts.
    public let configuration: Configuration
    /// The environments that are accepted.
    public var environments: Set<AppStore.Environment> { configuration.environments }
    /// The roots, without certificates of Xcode.
    let roots: Set<TrustedRoot>
    /// Whether the certificates of Xcode among the roots are trusted.
    let trustsXcodeCertificates: Bool
    let addressee: ItemRequirements
    let cache = ChainCache()

    /// Creates a verifier.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration, trustsXcodeCertificates: configuration.trustsXcodeCertificates)
    }

    /// Creates a verifier for stored evidence, which trusts certificates of Xcode even if production is accepted.
    package convenience init(auditing configuration: Configuration) {
        self.init(configuration, trustsXcodeCertificates: configuration.environments.contains(.xcode))
    }

    private init(_ configuration: Configuration, trustsXcodeCertificates: Bool) {
        self.configuration = configuration
        self.trustsXcodeCertificates = trustsXcodeCertificates
        roots = Set(configuration.roots.filter { !$0.isXcodeCertificate })
        addressee = ItemRequirements(
            bundleID: configuration.bundleID, appAppleID: configuration.appAppleID,
            environments: configuration.environments)
    }

    /// Verifies a compact JWS; the members of the payload determine the kind of the evidence.
    ///
    /// - Parameter jws: Three segments joined by dots, without white space around them. The decoded header may have at
    ///   most 64 KiB, and the decoded payload at most 1 MiB.
    public func verify(_ jws: String) -> CheckedEvidence { verify(CompactJWS(jws)) }

    /// Verifies a compact JWS that was already split into segments.
    public func verify(_ jws: CompactJWS) -> CheckedEvidence {
        var recent: VerifiedChain?
        return verify(jws, for: addressee, recent: &recent)
    }

    /// Verifies the bytes of a compact JWS.
    ///
    /// - Parameter bytes: ASCII text; see ``verify(_:)-(String)``.
    public func verify(bytes: some Collection<UInt8>) -> CheckedEvidence { verify(CompactJWS(bytes)) }

    private func verify(_ jws: CompactJWS?) -> CheckedEvidence {
        guard let jws else { return .unreadable(Self.notThreeSegments, payload: nil) }
        return verify(jws)
    }

    static let notThreeSegments = VerificationError(
        .malformed, "the text is not three segments joined by dots (a compact JWS)")
}
