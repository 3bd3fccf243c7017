import Crypto
import FoundationEssentials
public import Storekeeper
import Synchronization

/// The access keys of all callers, with their rate limits.
public final class AccessKeys: Sendable {
    private let keys: Mutex<[AccessKey]>
    private let rates: RateLimits
    /// The clock for rate limits and expiry.
    let clock: any StoreClock

    /// Makes the collection of all keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of all callers.
    ///   - clock: The clock for rate limits and expiry.
    /// - Throws: ``AccessKeyFault`` if two keys have the same name or the same hash.
    public init(_ keys: [AccessKey], clock: any StoreClock = WallClock()) throws(AccessKeyFault) {
        try Self.check(keys)
        self.keys = Mutex(keys)
        self.clock = clock
        rates = RateLimits(clock: clock)
    }

    /// The number of keys.
    package var count: Int { keys.withLock { $0.count } }

    /// Replaces all keys.
    ///
    /// The rate limits are not reset, so a replaced key with the same name does not get a new burst of requests.
    ///
    /// - Throws: ``AccessKeyFault`` if two keys have the same name or the same hash; in this case, the previous keys
    ///   stay in use.
    public func replace(with keys: [AccessKey]) throws(AccessKeyFault) {
        try Self.check(keys)
        self.keys.withLock { $0 = keys }
    }

    private static func check(_ keys: [AccessKey]) throws(AccessKeyFault) {
        var names: Set<String> = []
        var hashes: [[UInt8]: String] = [:]
        for key in keys {
            let name = key.caller.name
            guard names.insert(name).inserted else {
                throw AccessKeyFault("two keys are named '\(name)'; give each a different name")
            }
            // If two keys had the same hash, the scopes of either key could apply to a request.
            if let other = hashes.updateValue(name, forKey: key.hash) {
                throw AccessKeyFault("the keys '\(other)' and '\(name)' have the same hash; remove one of them")
            }
        }
    }

    /// Authenticates and authorises a caller.
    ///
    /// - Parameters:
    ///   - authorization: The value of the `Authorization` header.
    ///   - scope: The required scope.
    ///   - isPerson: Whether the key may be sent as a password that a person types into a browser.
    /// - Throws: ``AccessRefusal`` if the key is missing, invalid or over its rate limit, or if it lacks the scope.
    package func caller(
        _ authorization: String?, for scope: Scope, _ isPerson: Bool = false
    ) throws(AccessRefusal) -> Caller {
        let key = try validKey(authorization, isPerson)
        if let rate = key.rate,
            let wait = rates.wait(ofKey: key.caller.name, perSecond: rate, burst: max(rate, 1))
        {
            throw .tooMany(key.caller, retryAfter: wait)
        }
        guard key.caller.has(scope) else { throw .forbidden(key.caller, needed: scope) }
        return key.caller
    }

    /// Returns whether a key still permits a response that has begun, such as a stream; this counts no request.
    ///
    /// - Parameters:
    ///   - authorization: The value of the `Authorization` header.
    ///   - scope: The required scope.
    func stillPermit(_ authorization: String?, _ scope: Scope) -> Bool {
        guard let key = try? validKey(authorization, false) else { return false }
        return key.caller.has(scope)
    }

    /// Returns the key that a request names, unless it is unknown or has expired.
    private func validKey(_ authorization: String?, _ isPerson: Bool) throws(AccessRefusal) -> AccessKey {
        let parts = authorization?.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map(Substring.init) ?? []
        guard parts.count == 2 else { throw .missing }
        let text: String
        switch parts[0].lowercased() {
        case "bearer": text = String(parts[1])
        case "basic" where isPerson:
            guard let password = Self.password(String(parts[1])) else { throw .unknown }
            text = password
        default: throw .missing
        }
        // Keys are ASCII. Any other text may differ from the text that was sent, because invalid UTF-8 was replaced.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .unknown }
        let digest = AccessKey.digest(of: text)
        // The digest is compared with all keys, so that the response time reveals nothing about the matching key.
        var found: AccessKey?
        for key in keys.withLock({ $0 }) where digest == key.hash { found = key }
        guard let key = found else { throw .unknown }
        if let end = key.expiresAt, clock.now >= end { throw .expired }
        return key
    }

    /// Decodes the password of basic authentication; `nil` if the text is malformed.
    ///
    /// - SeeAlso: RFC 7617, "The 'Basic' HTTP Authentication Scheme".
    private static func password(_ text: String) -> String? {
        guard let data = Data(base64Encoded: text), let pair = String(validating: data, as: UTF8.self) else {
            return nil
        }
        let parts = pair.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.dropFirst().first.map { String(Substring($0)) }
    }
}
