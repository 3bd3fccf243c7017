import Crypto
package import Storekeeper

/// A position in the stream of events: the place of an event in the feed, and a mark, which is a hash of the event.
///
/// A place is only a number. Another vault, or a vault that was restored from a backup, may have a different event at
/// the same place. The mark identifies the event, so that a cursor is valid only in a vault with that event, such as a
/// copy of the vault. In a database whose server may be replaced by a standby, the cursor also has the epoch of the feed:
/// a standby that lacked the last events may have equal events at other places.
package struct FeedCursor: Hashable, Sendable, LosslessStringConvertible {
    /// The position before the first event.
    package static let start = FeedCursor(place: .start, mark: nil, epoch: nil)

    /// The pattern of a cursor's text, for the OpenAPI document.
    static let pattern = "^(0|[1-9][0-9]{0,18})(-[0-9a-f]{16}(-[0-9a-f]{8})?)?$"

    /// The place of the event.
    package let place: FeedPlace
    /// The mark; `nil` if the cursor has only a place.
    let mark: String?
    /// The epoch of the feed; `nil` if the vault has none, or if the cursor does not state it.
    let epoch: String?

    private init(place: FeedPlace, mark: String?, epoch: String?) {
        (self.place, self.mark, self.epoch) = (place, mark, epoch)
    }

    /// Makes the cursor after an event.
    package init(after event: StoreEvent) { self.init(after: event, epoch: nil) }

    /// Makes the cursor after an event in an epoch of the feed.
    package init(after event: StoreEvent, epoch: String?) {
        self.init(place: event.place, mark: Self.mark(of: event), epoch: epoch)
    }

    /// Parses a cursor; a place without a mark, and a mark without an epoch, are valid.
    package init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let place = parts.first.flatMap({ FeedPlace($0) }), parts.count <= 1 + Self.lengths.count else {
            return nil
        }
        let marks = Array(parts.dropFirst())
        for (mark, length) in zip(marks, Self.lengths) {
            let digits = mark.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            guard mark.utf8.count == length, digits else { return nil }
        }
        self.init(place: place, mark: marks.first, epoch: marks.dropFirst().first)
    }

    /// The cursor as text, which is also the id of the event.
    package var description: String { ["\(place)", mark, epoch].compactMap(\.self).joined(separator: "-") }

    private static let markLength = 16
    /// The lengths of the mark and the epoch.
    private static let lengths = [markLength, 8]

    /// Returns the mark of an event, which does not depend on the event's place.
    private static func mark(of event: StoreEvent) -> String {
        let text = JSONText.object([
            "customer": .string(event.customer.rawValue), "change": event.change.json,
        ]).text()
        let digest = SHA256.hash(data: Array(text.utf8))
        return digest.prefix(markLength / 2).hexadecimal
    }

    /// Returns whether a vault has the event of the cursor.
    package func exists(in vault: any TransactionalVault) async throws(VaultError) -> Bool {
        guard place.number > 0 else { return mark == nil }
        let next = try await vault.events(after: FeedPlace(place.number - 1), of: nil, limit: 1).first
        // The vault knows its epoch after it was read.
        if let epoch, epoch != vault.feedEpoch { return false }
        guard let next, let mark else { return next != nil }
        return next.place == place && Self.mark(of: next) == mark
    }

    /// Returns the cursor after the newest event of a vault, found by a binary search.
    package static func newest(in vault: any TransactionalVault) async throws(VaultError) -> FeedCursor {
        // An older epoch is safe: the cursor is then gone when it is used.
        let epoch = vault.feedEpoch
        guard var newest = try await vault.events(after: .start, of: nil, limit: 1).first else { return .start }
        var step: Int64 = 1
        var isGrowing = true
        while step >= 1 {
            let (place, isTooFar) = newest.place.number.addingReportingOverflow(step - 1)
            let later = isTooFar ? nil : try await vault.events(after: FeedPlace(place), of: nil, limit: 1).first
            if let later { newest = later }
            isGrowing = isGrowing && later != nil
            step = isGrowing && step <= Int64.max / 2 ? step * 2 : step / 2
        }
        return FeedCursor(after: newest, epoch: epoch)
    }
}
