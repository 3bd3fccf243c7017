/// A position in a vault's feed, after which reading continues.
///
/// Its meaning belongs to the vault: places can be compared for equality, and only the vault that made them knows their
/// order and the rows between them. A subscriber stores the place of the last row it has processed, as text if need be,
/// and passes it to the same vault later.
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

    /// Parses a place as ``description`` writes it; `nil` if the text is not a place.
    public init?(_ description: String) {
        guard let number = Int64(description), number >= 0, String(number) == description else { return nil }
        self.init(number)
    }

    /// The place as text, to be stored and parsed again.
    public var description: String { String(number) }

    /// Returns whether a row here was written after a row at another place of the same vault.
    ///
    /// For vaults; subscribers do not need it.
    package func isAfter(_ other: FeedPlace) -> Bool { number > other.number }
}
