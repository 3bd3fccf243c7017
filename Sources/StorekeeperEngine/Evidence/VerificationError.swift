/// The reason why a piece of evidence failed verification.
public struct VerificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, for programs to switch on; the words are part of the command line's contract.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The word, which does not change between releases.
        public let rawValue: String
        /// Makes a code from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Not a compact JWS of the App Store: segments, base64url, size, JSON, members, dates.
        public static let malformed = Code(rawValue: "malformed")
        /// The header asks for another algorithm than ES256.
        public static let unsupportedAlgorithm = Code(rawValue: "unsupportedAlgorithm")
        /// The header has a member that could redirect verification.
        public static let forbiddenHeader = Code(rawValue: "forbiddenHeader")
        /// The header does not carry three certificates.
        public static let chainLength = Code(rawValue: "chainLength")
        /// The certificates do not lead to a trusted root.
        public static let untrustedChain = Code(rawValue: "untrustedChain")
        /// A certificate lacks the marker of certificates that sign App Store data.
        public static let missingMarker = Code(rawValue: "missingMarker")
        /// A certificate was expired, or not yet valid, when the evidence was signed.
        public static let certificateNotValidAtSigning = Code(rawValue: "certificateNotValidAtSigning")
        /// A certificate was revoked.
        public static let certificateRevoked = Code(rawValue: "certificateRevoked")
        /// The revocation status of a certificate could not be determined; retrying may help.
        public static let revocationUnknown = Code(rawValue: "revocationUnknown")
        /// The signature does not belong to this content.
        public static let invalidSignature = Code(rawValue: "invalidSignature")
        /// The evidence is about another app, by bundle id.
        public static let bundleMismatch = Code(rawValue: "bundleMismatch")
        /// The evidence is about another app, by the App Store's number for it.
        public static let appMismatch = Code(rawValue: "appMismatch")
        /// The evidence comes from an environment that is not accepted.
        public static let environmentRefused = Code(rawValue: "environmentRefused")
        /// The data has no signature.
        public static let unsignedEvidence = Code(rawValue: "unsignedEvidence")
    }

    /// The kind of fault.
    public var code: Code
    /// The fault in words; contains no part of a signature, key or account.
    public var message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Compares the code only.
    public static func == (left: VerificationError, right: VerificationError) -> Bool { left.code == right.code }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}
