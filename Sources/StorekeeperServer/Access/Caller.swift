/// What a key may do; each may do what those before it may.
public enum Scope: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Ask what customers own.
    case check
    /// Move balances and hand in transactions.
    case spend
    /// All else: whose purchases are, what is put aside, events of everybody, erasing.
    case admin

    /// By what they may.
    public static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .check: 0
        case .spend: 1
        case .admin: 2
        }
    }
}

/// Who asks.
public struct Caller: Hashable, Sendable {
    /// What the configuration calls the key; for logs.
    public let name: String
    /// What it may do.
    public let scope: Scope

    /// Makes a caller.
    package init(name: String, scope: Scope) {
        self.name = name
        self.scope = scope
    }
}

/// Why a request is not answered.
package enum AccessRefusal: Error, Hashable, Sendable {
    /// It bears no key.
    case missing
    /// Its key is none that is known.
    case unknown
    /// Its key may not do this.
    case forbidden(needed: Scope)
    /// Its key has asked too often.
    case tooMany(retryAfter: Int)
}
