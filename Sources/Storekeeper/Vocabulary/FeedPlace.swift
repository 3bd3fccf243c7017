/// A place in what a storage has written, after which reading on begins.
///
/// What it means is the storage's own: two places can be told apart, and only the storage that gave them knows which
/// comes first, and what lies between. A subscriber keeps the place of the last row that it has dealt with, as text if
/// need be, and hands it back later, to the same storage.
///
/// ```swift
/// var place = FeedPlace(savedText) ?? .start
/// for try await event in store.events(after: place) { … place = event.place }
/// ```
public struct FeedPlace: Hashable, Sendable, LosslessStringConvertible {
    /// Before everything that was ever written.
    public static let start = FeedPlace(0)

    /// The number that a storage gave; a later row of the same storage has a greater one.
    package let number: Int64

    /// Makes a place of a storage's own number, which has to grow with each row that is written.
    ///
    /// - Parameter number: At least 1; 0 is ``start``.
    public init(_ number: Int64) { self.number = number }

    /// Reads a place as ``description`` has written it; `nil` for what is none.
    public init?(_ description: String) {
        guard let number = Int64(description), number >= 0, String(number) == description else { return nil }
        self.init(number)
    }

    /// The place as text, to be kept and read again.
    public var description: String { String(number) }

    /// Whether a row here was written after one at another place of the same storage.
    ///
    /// For those who look after a storage; a subscriber has no need to know.
    package func isAfter(_ other: FeedPlace) -> Bool { number > other.number }
}
