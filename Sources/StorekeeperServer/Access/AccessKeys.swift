import Crypto
import FoundationEssentials
public import Storekeeper
import Synchronization

/// Who may ask: the keys of all callers, and how often each has asked.
public final class AccessKeys: Sendable {
    private let keys: [AccessKey]
    private let buckets: Mutex<[String: Bucket]>
    private let clock: any StoreClock

    private struct Bucket {
        var tokens: Double
        var at: Instant
    }

    /// Makes keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of all callers.
    ///   - clock: The time by which rates count.
    /// - Throws: ``AccessKeyFault`` where two have one name.
    public init(_ keys: [AccessKey], clock: any StoreClock = WallClock()) throws(AccessKeyFault) {
        var names: Set<String> = []
        for key in keys where !names.insert(key.caller.name).inserted {
            throw AccessKeyFault("two keys are named '\(key.caller.name)'; give each a name of its own")
        }
        self.keys = keys
        self.clock = clock
        buckets = Mutex([:])
    }

    /// How many there are.
    package var count: Int { keys.count }

    /// Finds who bears a key, and whether they may do something now.
    ///
    /// - Parameters:
    ///   - authorization: The header `Authorization`.
    ///   - scope: What is to be done.
    ///   - isPerson: Whether the key may be the password that somebody has typed into a browser.
    /// - Throws: ``AccessRefusal``.
    package func caller(
        _ authorization: String?, for scope: Scope, _ isPerson: Bool = false
    ) throws(AccessRefusal) -> Caller {
        let parts = authorization?.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map(Substring.init) ?? []
        guard parts.count == 2 else { throw .missing }
        let text: String
        switch parts[0].lowercased() {
        case "bearer": text = String(parts[1])
        case "basic" where isPerson: text = Self.password(String(parts[1]))
        default: throw .missing
        }
        let digest = AccessKey.digest(of: text)
        // All are looked at, each to its end, so that time tells nothing of how near a guess was.
        var found: AccessKey?
        for key in keys where digest == key.hash { found = key }
        guard let key = found else { throw .unknown }
        try count(key)
        guard key.caller.scope >= scope else { throw .forbidden(needed: scope) }
        return key.caller
    }

    /// The password of a name and password.
    ///
    /// - SeeAlso: RFC 7617, "The 'Basic' HTTP Authentication Scheme".
    private static func password(_ text: String) -> String {
        let pair = String(decoding: Data(base64Encoded: text) ?? Data(), as: UTF8.self)
        let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.dropFirst().first.map(String.init) ?? ""
    }

    /// Counts a request of a key that has a rate; a second's worth may come at once.
    private func count(_ key: AccessKey) throws(AccessRefusal) {
        guard let rate = key.rate else { return }
        let now = clock.now
        let wait = buckets.withLock { buckets -> Double? in
            var bucket = buckets[key.caller.name] ?? Bucket(tokens: max(rate, 1), at: now)
            let passed = Double(max(now.milliseconds(since: bucket.at), 0)) / 1000
            bucket.tokens = min(max(rate, 1), bucket.tokens + passed * rate)
            bucket.at = now
            defer { buckets[key.caller.name] = bucket }
            guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / rate }
            bucket.tokens -= 1
            return nil
        }
        if let wait { throw .tooMany(retryAfter: Int(min(wait.rounded(.up), 3600))) }
    }
}
