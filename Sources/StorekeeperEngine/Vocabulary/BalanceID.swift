/// The name of a balance, which consumables credit and the app spends from.
public typealias BalanceID = ByteIdentifier<BalanceSubject>

/// The type parameter that distinguishes a ``BalanceID`` from other ids; this type has no values.
public enum BalanceSubject: Sendable {}
