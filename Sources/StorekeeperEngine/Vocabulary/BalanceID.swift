/// The name of a balance, which consumables credit and the app spends from.
public typealias BalanceID = ByteIdentifier<BalanceSubject>

/// The subject that a ``BalanceID`` identifies; there are no values of it.
public enum BalanceSubject: Sendable {}
