import Crypto
import FoundationEssentials
public import Storekeeper

/// A bearer key as it is kept: its hash, never itself.
///
/// A key is 32 random bytes. Nobody finds such a one by trying, so that one round of SHA-256 hides it as well as a slow
/// hash would hide a password, and costs a request next to nothing.
public struct AccessKey: Hashable, Sendable {
    /// Who bears it.
    public let caller: Caller
    /// How many requests a second it may make; `nil` without limit.
    public let rate: Double?
    /// When it ends, exclusive, in UTC; `nil`: never.
    public let expiresAt: Instant?
    /// SHA-256 of its text.
    let hash: [UInt8]

    /// What all keys begin with, so that one that was published by mistake is recognised.
    static let prefix = "sk_"

    /// Reads a key as a file keeps it: name, scope, hash, and where there are any its rate and its end.
    ///
    /// - Throws: ``AccessKeyFault``.
    public init(
        name: String, scope: String, sha256: String, rate: Double? = nil, expiresAt: Instant? = nil
    ) throws(AccessKeyFault) {
        guard !name.isEmpty else { throw AccessKeyFault("a key has no name; give each one") }
        guard let scope = Scope(rawValue: scope) else {
            throw AccessKeyFault("'\(scope)' of the key '\(name)' is not a scope; use \(Scope.list)")
        }
        guard let hash = Self.bytes(hex: sha256), hash.count == SHA256.byteCount else {
            throw AccessKeyFault("the key '\(name)' has no hash; use what 'storekeeper serve --new-key' prints")
        }
        if let rate, !(rate > 0 && rate.isFinite) {
            throw AccessKeyFault("\(rate) of the key '\(name)' is not a rate; use a number above 0")
        }
        self.caller = Caller(name: name, scope: scope)
        self.hash = hash
        self.rate = rate
        self.expiresAt = expiresAt
    }

    /// Makes a new key.
    ///
    /// - Returns: The text that its bearer keeps, and what is kept of it here.
    public static func make(
        name: String, scope: Scope, rate: Double? = nil, expiresAt: Instant? = nil
    ) throws(AccessKeyFault) -> (text: String, key: AccessKey) {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let text = prefix + Base64URL.encode(bytes)
        let key = try AccessKey(
            name: name, scope: scope.rawValue, sha256: hex(digest(of: text)), rate: rate, expiresAt: expiresAt)
        return (text, key)
    }

    /// The hash as a file keeps it.
    public var sha256: String { Self.hex(hash) }

    /// What is compared with hashes, in a time that tells nothing of them.
    static func digest(of text: String) -> SHA256.Digest { SHA256.hash(data: Array(text.utf8)) }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

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

/// Why a key cannot be used.
public struct AccessKeyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do; quotes no key.
    public let description: String

    init(_ description: String) { self.description = description }
}
