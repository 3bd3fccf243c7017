import Crypto
import FoundationEssentials
public import Storekeeper

/// The stored form of a bearer key: its hash.
///
/// A key is 32 random bytes and cannot be guessed. One round of SHA-256 therefore protects it as well as a slow hash
/// protects a password, at almost no cost per request.
public struct AccessKey: Hashable, Sendable {
    /// The caller that the key authenticates.
    public let caller: Caller
    /// The maximum number of requests per second; `nil` for no limit.
    public let rate: Double?
    /// The instant from which the key is no longer valid; `nil` if the key never expires.
    public let expiresAt: Instant?
    /// The SHA-256 hash of the key's text.
    let hash: [UInt8]

    /// The prefix of all keys, by which secret scanners recognize a published key.
    static let prefix = "sk_"

    /// Reads a stored key.
    ///
    /// - Parameters:
    ///   - name: The name of the caller, for the log and for the accounts of customers.
    ///   - scope: A scope, or several with commas between them, such as `grant,claim`.
    ///   - sha256: The digest of the key's text, in hexadecimal digits.
    ///   - rate: The maximum number of requests in a second; `nil` for no limit.
    ///   - expiresAt: The instant from which the key is no longer valid; `nil` if the key never expires.
    /// - Throws: ``AccessKeyFault`` if an argument is invalid.
    public init(
        name: String, scope: String, sha256: String, rate: Double? = nil, expiresAt: Instant? = nil
    ) throws(AccessKeyFault) {
        guard !name.isEmpty else { throw AccessKeyFault("a key has no name; name every key") }
        guard let scopes = Scope.several(scope), let first = scopes.first else {
            throw AccessKeyFault("'\(scope)' of the key '\(name)' is not a scope; use \(Scope.list)")
        }
        guard let hash = Self.bytes(hex: sha256), hash.count == SHA256.byteCount else {
            throw AccessKeyFault("the key '\(name)' has no hash; use what 'storekeeper serve --new-key' prints")
        }
        if let rate, !(rate > 0 && rate.isFinite) {
            throw AccessKeyFault("\(rate) of the key '\(name)' is not a rate; use a number above 0")
        }
        self.caller = Caller(name: name, scope: first, furtherScopes: Array(scopes.dropFirst()))
        self.hash = hash
        self.rate = rate
        self.expiresAt = expiresAt
    }

    /// Makes a new key.
    ///
    /// - Returns: The text of the key for the caller, and the form of the key to be stored.
    public static func make(
        name: String, scope: Scope, rate: Double? = nil, expiresAt: Instant? = nil
    ) throws(AccessKeyFault) -> (text: String, key: AccessKey) {
        try make(name: name, scopes: [scope], rate: rate, expiresAt: expiresAt)
    }

    /// Makes a new key with one or several scopes.
    package static func make(
        name: String, scopes: [Scope], rate: Double? = nil, expiresAt: Instant? = nil
    ) throws(AccessKeyFault) -> (text: String, key: AccessKey) {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let text = prefix + Base64URL.encode(bytes)
        let key = try AccessKey(
            name: name, scope: scopes.map(\.rawValue).joined(separator: ","), sha256: digest(of: text).hexadecimal,
            rate: rate, expiresAt: expiresAt)
        return (text, key)
    }

    /// The hash in hexadecimal digits, as it is stored.
    public var sha256: String { hash.hexadecimal }

    /// Returns the hash of a key's text, as a type whose comparison takes constant time.
    static func digest(of text: String) -> SHA256.Digest { SHA256.hash(data: Array(text.utf8)) }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for position in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[position], let low = digits[position + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

/// The reason why an access key cannot be used.
public struct AccessKeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure and its remedy; the text never quotes a key.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
