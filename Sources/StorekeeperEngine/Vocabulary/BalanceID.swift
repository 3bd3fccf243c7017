/// The name of a balance of units, such as coins.
///
/// A purchase of a consumable credits a balance, and the app spends from the balance.
public typealias BalanceID = ByteIdentifier<BalanceSubject>

/// The type parameter that distinguishes a ``BalanceID`` from other ids; this type has no values.
public enum BalanceSubject: Sendable {}
