/// A position in a vault's feed, after which reading continues.
///
/// Subscribers can only compare places for equality. The order of two places, and the rows between them, are known only
/// to the vault that created the places. A subscriber stores the place of the last row that it has processed, for
/// example as text, and later passes this place to the same vault.
///
/// ```swift
/// var place = FeedPlace(savedText) ?? .start
/// for try await event in store.events(after: place) { … place = event.place }
/// ```
public struct FeedPlace: Hashable, Sendable, LosslessStringConvertible {
    /// The position before the first row.
    public static let start = FeedPlace(0)

    /// The number that the vault assigned; later rows of the same vault have greater numbers.
    package let number: Int64

    /// Creates a place from a vault's row number, which must grow with each row that is written.
    ///
    /// - Parameter number: At least 1; 0 is ``start``.
    public init(_ number: Int64) { self.number = number }

    /// Parses the text of a place from ``description``; `nil` if the text is not a place.
    public init?(_ description: String) {
        guard let number = Int64(description), number >= 0, String(number) == description else { return nil }
        self.init(number)
    }

    /// The place as text, to be stored and parsed again.
    public var description: String { String(number) }

    /// Returns whether the row at this place was written after the row at another place of the same vault.
    ///
    /// Only vaults call this method.
    package func isAfter(_ other: FeedPlace) -> Bool { number > other.number }
}
