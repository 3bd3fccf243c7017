/// The reason why evidence failed verification.
public typealias VerificationError = CodedError<VerificationErrorCode>

/// A machine-readable code of the error; the codes are part of the command line's contract.
public struct VerificationErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text is not a compact JWS of the App Store: its segments, base64url, size, JSON, members or dates are
    /// invalid.
    ///
    /// Remedy: Use the text as the App Store sent it, on one line, without changes.
    public static let malformed = Self(rawValue: "malformed")
    /// The algorithm in the header is not ES256.
    ///
    /// Remedy: Use evidence of the App Store; it is always signed with ES256.
    public static let unsupportedAlgorithm = Self(rawValue: "unsupportedAlgorithm")
    /// The header has a member that could make a verifier use another key or other signed bytes.
    ///
    /// Remedy: Use evidence of the App Store; it has none of these members.
    public static let forbiddenHeader = Self(rawValue: "forbiddenHeader")
    /// The header does not contain three certificates.
    ///
    /// Remedy: Use the whole `x5c` member; the App Store sends three certificates. For evidence from Xcode, name
    /// its certificate with `--root`, with `--environment Xcode`.
    public static let chainLength = Self(rawValue: "chainLength")
    /// The certificates do not lead to a trusted root.
    ///
    /// Remedy: Name the root that signed it with `--root`. For the App Store that is Apple Root CA - G3; a local
    /// App Store and Xcode have another.
    public static let untrustedChain = Self(rawValue: "untrustedChain")
    /// A certificate lacks the extension that marks certificates for App Store data.
    ///
    /// Remedy: Use evidence of the App Store; other certificates of Apple do not sign purchases.
    public static let missingMarker = Self(rawValue: "missingMarker")
    /// A certificate was expired, or not yet valid, when the evidence was signed.
    ///
    /// Remedy: Fetch the evidence again; if it is from a test, check the clock of its authority.
    public static let certificateNotValidAtSigning = Self(rawValue: "certificateNotValidAtSigning")
    /// A certificate was revoked.
    ///
    /// Remedy: Do not trust it; fetch the evidence again.
    public static let certificateRevoked = Self(rawValue: "certificateRevoked")
    /// It could not be determined whether a certificate was revoked; a retry may help.
    ///
    /// Remedy: Try again later, or use `--revocation soft`.
    public static let revocationUnknown = Self(rawValue: "revocationUnknown")
    /// The signature does not match the content.
    ///
    /// Remedy: Use the text as the App Store sent it; the content was changed or cut off.
    public static let invalidSignature = Self(rawValue: "invalidSignature")
    /// The bundle id in the evidence differs from the bundle id that the verifier requires.
    ///
    /// Remedy: Check `--bundle-id`; the evidence is about another app.
    public static let bundleMismatch = Self(rawValue: "bundleMismatch")
    /// The Apple app id in the evidence differs from the app id that the verifier requires.
    ///
    /// Remedy: Check `--app-apple-id`; the evidence is about another app.
    public static let appMismatch = Self(rawValue: "appMismatch")
    /// The evidence comes from an environment that the verifier does not accept.
    ///
    /// Remedy: Accept the environment with `--environment`, if testers should have access.
    public static let environmentRefused = Self(rawValue: "environmentRefused")
    /// The receipt was made for another device.
    ///
    /// Remedy: Check `--device`; the receipt was made for another device.
    public static let deviceMismatch = Self(rawValue: "deviceMismatch")
    /// The data has no signature.
    ///
    /// Remedy: Use the signed text, or `--unsigned` to ask what the answer would be.
    public static let unsignedEvidence = Self(rawValue: "unsignedEvidence")

    /// All codes of this version.
    package static let all: [Self] = [
        malformed, unsupportedAlgorithm, forbiddenHeader, chainLength, untrustedChain, missingMarker,
        certificateNotValidAtSigning, certificateRevoked, revocationUnknown, invalidSignature, bundleMismatch,
        appMismatch, environmentRefused, deviceMismatch, unsignedEvidence,
    ]
}

extension VerificationError {
    /// Returns the error for evidence about another app, which names both apps by their bundle ids.
    ///
    /// - Parameters:
    ///   - what: The kind of the evidence, such as `item`.
    ///   - found: The bundle id in the evidence; empty if there is none.
    ///   - expected: The bundle id that is required; `nil` if any is accepted.
    package static func bundleMismatch(
        _ what: String = "item", found: String, expected: String?
    ) -> VerificationError {
        // The longest bundle id has 155 characters; forged evidence may contain a longer text.
        var name = ""
        name.unicodeScalars.append(contentsOf: found.unicodeScalars.prefix(155))
        let app = found.isEmpty ? "names no app" : "is about the app '\(name)'"
        return VerificationError(.bundleMismatch, "the \(what) \(app)" + (expected.map { ", not '\($0)'" } ?? ""))
    }

    /// Returns the error for an item about another app, which names both apps by their Apple ids.
    ///
    /// - Parameter found: The Apple id in the item; `nil` if there is none.
    package static func appMismatch(found: Int64?, expected: Int64) -> VerificationError {
        let app = found.map { "is about the app with the Apple id \($0)" } ?? "does not name its app by Apple id"
        return VerificationError(.appMismatch, "the item \(app), not \(expected)")
    }
}
