import Crypto
import FoundationEssentials
public import Storekeeper
import Synchronization

/// Who may ask: the keys of all callers, and how often each has asked.
public final class AccessKeys: Sendable {
    private let keys: Mutex<[AccessKey]>
    private let rates: RateLimits
    /// The time by which rates and ends count.
    let clock: any StoreClock

    /// Makes keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of all callers.
    ///   - clock: The time by which rates and ends count.
    /// - Throws: ``AccessKeyFault`` where two have one name, or one hash.
    public init(_ keys: [AccessKey], clock: any StoreClock = WallClock()) throws(AccessKeyFault) {
        try Self.check(keys)
        self.keys = Mutex(keys)
        self.clock = clock
        rates = RateLimits(clock: clock)
    }

    /// How many there are.
    package var count: Int { keys.withLock { $0.count } }

    /// Puts other keys in the place of all.
    ///
    /// How often each has asked is not forgotten.
    ///
    /// - Throws: ``AccessKeyFault`` where two have one name, or one hash; then those of before stay.
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
                throw AccessKeyFault("two keys are named '\(name)'; give each a name of its own")
            }
            // Which of the two scopes counted would be chance.
            if let other = hashes.updateValue(name, forKey: key.hash) {
                throw AccessKeyFault("the keys '\(other)' and '\(name)' have the same hash; take one of them out")
            }
        }
    }

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
        case "basic" where isPerson:
            guard let password = Self.password(String(parts[1])) else { throw .unknown }
            text = password
        default: throw .missing
        }
        // What is not ASCII is no key, and may not be what was sent: bytes that are no UTF-8 were replaced.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .unknown }
        let digest = AccessKey.digest(of: text)
        // All are looked at, each to its end, so that time tells nothing of how near a guess was.
        var found: AccessKey?
        for key in keys.withLock({ $0 }) where digest == key.hash { found = key }
        guard let key = found else { throw .unknown }
        if let end = key.expiresAt, clock.now >= end { throw .expired }
        if let rate = key.rate,
            let wait = rates.wait(ofKey: key.caller.name, perSecond: rate, burst: max(rate, 1))
        {
            throw .tooMany(retryAfter: wait)
        }
        guard key.caller.scope.includes(scope) else { throw .forbidden(needed: scope) }
        return key.caller
    }

    /// The password of a name and password; `nil` where they are no text.
    ///
    /// - SeeAlso: RFC 7617, "The 'Basic' HTTP Authentication Scheme".
    private static func password(_ text: String) -> String? {
        guard let data = Data(base64Encoded: text), let pair = String(validating: data, as: UTF8.self) else {
            return nil
        }
        let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.dropFirst().first.map(String.init)
    }
}
