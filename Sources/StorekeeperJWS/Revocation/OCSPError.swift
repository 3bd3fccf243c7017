public import StorekeeperEngine

/// The reason why it is not known whether a certificate was revoked.
public typealias OCSPError = CodedError<OCSPErrorCode>

/// A machine-readable code of the error.
public struct OCSPErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The responder has not been asked yet: call ``JWSVerifier/learnRevocation(of:)`` first, or run the checker.
    ///
    /// Remedy: Run the checker, or learn the status before verifying.
    public static let notAsked = Self(rawValue: "notAsked")
    /// The certificate does not name an OCSP responder.
    ///
    /// Remedy: Use `--revocation soft`, or no check, for certificates of this authority.
    public static let noResponder = Self(rawValue: "noResponder")
    /// The certificate, or the certificate of its issuer, cannot be read.
    ///
    /// Remedy: Use evidence of the App Store.
    public static let unreadableCertificate = Self(rawValue: "unreadableCertificate")
    /// The responder could not be reached, or sent something other than an OCSP response.
    ///
    /// Remedy: Check the network and the proxy, and try again.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The responder exceeded the time limit.
    ///
    /// Remedy: Try again.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The response exceeds the size limit.
    ///
    /// Remedy: Check a proxy that changes responses.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The response is not DER of an OCSP response.
    ///
    /// Remedy: Check a proxy that changes responses.
    public static let malformed = Self(rawValue: "malformed")
    /// The responder refused to answer.
    ///
    /// Remedy: Try again later.
    public static let refused = Self(rawValue: "refused")
    /// The response is signed neither by the issuer nor by a responder that the issuer has authorized.
    ///
    /// Remedy: Check a proxy that changes responses.
    public static let notAuthentic = Self(rawValue: "notAuthentic")
    /// The response is about other certificates.
    ///
    /// Remedy: Check a proxy that changes responses.
    public static let otherCertificate = Self(rawValue: "otherCertificate")
    /// The time of the response is in the future; check the clocks.
    ///
    /// Remedy: Check the clocks.
    public static let notYetValid = Self(rawValue: "notYetValid")
    /// The response has expired, has no expiration time, or is older than a response that the checker already has.
    ///
    /// Remedy: Check the clocks, and try again.
    public static let stale = Self(rawValue: "stale")
    /// The responder does not know the certificate.
    ///
    /// Remedy: Do not trust the evidence.
    public static let unknownCertificate = Self(rawValue: "unknownCertificate")
}
