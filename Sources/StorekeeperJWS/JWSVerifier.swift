public import StorekeeperEngine

/// Verifies what the App Store signs, or what a ``LocalAuthority`` signs in its place.
///
/// The rules are fixed: ES256 only; three certificates in `x5c`, of which the last is a trusted root byte for byte; the
/// App Store's markers in the other two; certificates valid on the item's signing date; then the
/// signature; then app, environment and kind. No environment skips the signature check. No call waits for a network.
///
/// Xcode signs with a single self-signed certificate. If the verifier's owner names this certificate as a root, accepts
/// the environment Xcode and does not accept production, evidence counts whose header contains it alone, byte for byte.
///
/// A verifier may be used from many tasks at once. It caches recently verified chains, so that further items signed
/// with the same certificates cost one signature check each.
///
/// - SeeAlso: Apple, "App Store Server API: JWSTransaction"; RFC 7515, "JSON Web Signature (JWS)".
public final class JWSVerifier: TransactionVerifier {
    /// The roots a verifier trusts, and the apps and environments it accepts.
    public struct Configuration: Sendable {
        /// The trusted roots; without any, nothing is trusted.
        ///
        /// May contain certificates of Xcode, see ``trustsXcodeCertificates``.
        public var roots: [TrustedRoot]
        /// The bundle id of the app; `nil` skips the check.
        ///
        /// Renewal infos name no app: they count only together with a transaction of their chain.
        public var bundleID: String?
        /// The App Store's number for the app, compared in production if an item can carry it (app transactions and
        /// notifications); `nil` skips the check.
        public var appAppleID: Int64?
        /// The environments that are accepted.
        public var environments: Set<AppStore.Environment>
        /// The revocation checker; `nil`, the default, skips the check.
        public var revocation: (any RevocationChecker)?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - roots: The trusted root certificates.
        ///   - bundleID: The app that evidence must be about; `nil` accepts evidence of every app, which is for
        ///     inspecting evidence, not for granting access.
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

        /// Whether the certificates of Xcode among the roots are trusted: the environment Xcode is accepted, and
        /// production is not, because anyone with that Mac can sign any purchase.
        public var trustsXcodeCertificates: Bool {
            environments.contains(.xcode) && !environments.contains(.production)
        }
    }

    /// The roots this verifier trusts, and the apps and environments it accepts.
    public let configuration: Configuration
    /// The roots of chains.
    let roots: Set<TrustedRoot>
    /// Whether the certificates of Xcode among the roots are trusted.
    let trustsXcodeCertificates: Bool
    let addressee: ItemRequirements
    let cache = ChainCache()

    /// Creates a verifier.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration, trustsXcodeCertificates: configuration.trustsXcodeCertificates)
    }

    /// Creates a verifier for stored evidence, in which the certificates of Xcode count together with production.
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

    /// Verifies a compact JWS; the payload's members determine the kind.
    ///
    /// - Parameter jws: Three segments joined by dots, without white space around them. A decoded header may have 64
    ///   KiB, a payload 1 MiB.
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
