/// The name of a balance, which consumables feed and the app spends from.
public typealias BalanceID = ByteIdentifier<BalanceSubject>

/// What a ``BalanceID`` identifies; there are no values of it.
public enum BalanceSubject: Sendable {}
