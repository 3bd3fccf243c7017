import Crypto
import FoundationEssentials
public import StorekeeperEngine

/// The secrets that the sender and a receiver of webhooks share to sign and verify messages by the Standard Webhooks
/// scheme.
///
/// While a secret is being replaced, several secrets are valid: a sender signs with each secret, and a receiver accepts
/// a message that was signed with any of its secrets.
///
/// ```swift
/// let secrets = try WebhookSecrets(["whsec_…"])
/// try secrets.verify(
///     body, id: headers["webhook-id"], timestamp: headers["webhook-timestamp"],
///     signature: headers["webhook-signature"], at: Instant(Date()))
/// ```
///
/// - SeeAlso: Standard Webhooks, "Specification", "Signature scheme".
public struct WebhookSecrets: Sendable, CustomReflectable {
    /// The prefix of all secrets, by which secret scanners recognize a published secret.
    private static let prefix = "whsec_"
    /// The version of the signature scheme.
    private static let version = "v1,"
    /// The allowed lengths of a secret in bytes.
    private static let lengths = 24...64

    private let keys: [SymmetricKey]

    /// Parses secrets.
    ///
    /// - Parameter texts: One or more secrets: `whsec_` and 24 to 64 bytes in Base64; the prefix is optional.
    /// - Throws: ``WebhookError`` with `invalidSecret`; the error does not quote the secret.
    public init(_ texts: [String]) throws(WebhookError) {
        guard !texts.isEmpty else { throw WebhookError(.invalidSecret, "there is no secret; give at least one") }
        var keys: [SymmetricKey] = []
        for (number, text) in texts.enumerated() {
            let content = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : text[...]
            guard let bytes = StandardBase64.decode(content.utf8), Self.lengths.contains(bytes.count) else {
                throw WebhookError(
                    .invalidSecret,
                    "secret \(number + 1) is not 'whsec_' and 24 to 64 bytes in Base64; use a secret as it was made")
            }
            keys.append(SymmetricKey(data: bytes))
        }
        self.keys = keys
    }

    /// Returns a new secret of 32 random bytes.
    public static func make() -> String {
        prefix + SymmetricKey(size: .bits256).withUnsafeBytes { StandardBase64.encode($0) }
    }

    /// A mirror that shows the number of secrets and never their content.
    public var customMirror: Mirror { Mirror(self, children: ["count": keys.count]) }

    // MARK: Signing

    /// Returns the value of the header `webhook-signature`: a signature with each secret.
    ///
    /// - Parameters:
    ///   - body: The exact bytes of the body.
    ///   - id: The value of the header `webhook-id`.
    ///   - timestamp: The value of the header `webhook-timestamp`: the time of the attempt, in seconds since 1970.
    public func signature(of body: [UInt8], id: String, timestamp: Int64) -> String {
        let content = Self.content(body, id: id, timestamp: String(timestamp))
        return keys.map { key in
            Self.version + StandardBase64.encode(HMAC<SHA256>.authenticationCode(for: content, using: key))
        }.joined(separator: " ")
    }

    private static func content(_ body: [UInt8], id: String, timestamp: String) -> [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }

    // MARK: Verifying

    /// Verifies that a message was signed with one of the secrets, and that the message was signed recently.
    ///
    /// A message with the same id arrives again if the sender did not receive the response. Store the ids of processed
    /// messages, so that you do not process a message twice.
    ///
    /// - Parameters:
    ///   - body: The exact bytes of the body, before any parsing.
    ///   - id: The value of the header `webhook-id`.
    ///   - timestamp: The value of the header `webhook-timestamp`.
    ///   - signature: The value of the header `webhook-signature`.
    ///   - now: The current time, in UTC.
    ///   - tolerance: The maximum difference between `timestamp` and `now`.
    /// - Throws: ``WebhookError`` if the message must be ignored.
    public func verify(
        _ body: [UInt8], id: String?, timestamp: String?, signature: String?, at now: Instant,
        tolerance: Duration = .seconds(300)
    ) throws(WebhookError) {
        guard let id, !id.isEmpty, let timestamp, let signature else {
            throw WebhookError(
                .missingHeader, "a header is missing; pass webhook-id, webhook-timestamp and webhook-signature")
        }
        guard let seconds = Int64(timestamp), String(seconds) == timestamp,
            let sentAt = Instant(millisecondsSince1970: seconds.multipliedReportingOverflow(by: 1_000).partialValue),
            sentAt.millisecondsSince1970 / 1_000 == seconds
        else { throw WebhookError(.malformedTimestamp, "webhook-timestamp is not a number of seconds since 1970") }
        let distance = sentAt < now ? sentAt.duration(to: now) : now.duration(to: sentAt)
        guard distance <= tolerance else {
            throw WebhookError(
                .wrongTime, "the message was not signed within the tolerance of this machine's clock; check both clocks"
            )
        }
        let content = Self.content(body, id: id, timestamp: timestamp)
        let codes = signature.split(separator: " ").filter { $0.hasPrefix(Self.version) }.compactMap {
            StandardBase64.decode($0.dropFirst(Self.version.count).utf8)
        }
        // Every signature is compared with every key, each in constant time, even after a match.
        var isSigned = false
        for key in keys {
            for code in codes where HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: key) {
                isSigned = true
            }
        }
        guard isSigned else {
            throw WebhookError(
                .invalidSignature,
                "no signature is by one of the secrets; verify the bytes as they arrived, and check the secrets")
        }
    }
}

/// The reason why a webhook secret or a message is refused.
public typealias WebhookError = CodedError<WebhookErrorCode>

/// A machine-readable code of the error.
public struct WebhookErrorCode: ErrorCode {
    /// The code as text.
    public let rawValue: String
    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A secret does not have the required form, or the list of secrets is empty.
    public static let invalidSecret = Self(rawValue: "invalidSecret")
    /// The message lacks one of the three headers.
    public static let missingHeader = Self(rawValue: "missingHeader")
    /// The time of the message cannot be read.
    public static let malformedTimestamp = Self(rawValue: "malformedTimestamp")
    /// The time of the message is too far before or after the current time.
    public static let wrongTime = Self(rawValue: "wrongTime")
    /// The message has no valid signature with one of the secrets.
    public static let invalidSignature = Self(rawValue: "invalidSignature")
}
