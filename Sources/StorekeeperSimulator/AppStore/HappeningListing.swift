package import Storekeeper

/// A query for a page of happenings (the events in a simulated store), newest first.
package struct HappeningQuery: Sendable {
    /// The customer; `nil` for all happenings.
    package var customer: CustomerID?
    /// Whether happenings about the whole store are selected in addition to the customer's happenings.
    package var includesStore = true
    /// Whether only happenings with a notification are selected.
    package var isOfNotifications = false
    /// The number of the page, from 1; ignored if the list is not counted.
    ///
    /// A list is counted if the store has at most ``countLimit`` happenings.
    package var page = 1
    /// If the list is not counted, the page contains only happenings before this happening; `nil` begins with the
    /// newest happening.
    package var before: Happening.ID?
    /// The number of happenings on a page.
    package var pageSize = 200
    /// The maximum number of happenings in the store for which lists are counted.
    package var countLimit = 50_000
    /// The maximum number of happenings that are visited for one page.
    package var visitLimit = 200_000

    /// Creates a query for all happenings.
    package init() {}
}

/// A page of the happenings that a query selects.
package struct HappeningListing: Sendable {
    /// The happenings, newest first.
    package let happenings: [Happening]
    /// The number of the page if the list is counted, or else 1.
    package let page: Int
    /// The number of all selected happenings; `nil` if not all were visited.
    package let count: Int?
    /// The number of happenings that were visited.
    package let visited: Int
    /// The value of ``HappeningQuery/before`` for the next page; `nil` on the last page and in counted lists.
    package let next: Happening.ID?
}

extension SimulatedAppStore {
    /// Returns a page of happenings, newest first.
    ///
    /// In a large store, only as many happenings are visited as the page needs.
    package func listing(_ query: HappeningQuery) -> HappeningListing {
        read { world in
            let all = world.journal.indices
            let isCounted = all.count <= query.countLimit
            let end = (isCounted ? nil : query.before.flatMap { world.journal.place(at: $0) }) ?? all.upperBound
            var places: [RowIndex<JournalEntry>] = []
            var visited = 0
            var next: Happening.ID?
            for place in JournalWalk(world, query, before: end) {
                if !isCounted, places.count >= query.pageSize || visited >= query.visitLimit {
                    next = place.index + 1
                    break
                }
                visited += 1
                if !query.isOfNotifications || world.journal[place].kind.notification != nil { places.append(place) }
            }
            let last = max(1, (places.count + query.pageSize - 1) / query.pageSize)
            let page = isCounted ? min(max(1, query.page), last) : 1
            let start = (page - 1) * query.pageSize
            let shown = places[start..<min(places.count, start + query.pageSize)]
            return HappeningListing(
                happenings: shown.map { world.happening($0) }, page: page, count: isCounted ? places.count : nil,
                visited: visited, next: next)
        }
    }

    /// Returns happenings in order, after skipping a number of happenings.
    ///
    /// - Parameters:
    ///   - count: The number of happenings to skip.
    ///   - limit: The maximum number of happenings.
    package func happenings(after count: Int, limit: Int) -> [Happening] {
        read { world in world.journal.indices(after: count).prefix(max(0, limit)).map { world.happening($0) } }
    }
}

/// Visits entries of the store's journal from the newest to the oldest: either all entries, or only the entries about a
/// customer and about the whole store.
private struct JournalWalk: Sequence, IteratorProtocol {
    private let journal: Table<JournalEntry>
    private let isOfAll: Bool
    /// The index of the next entry about the customer or, without a customer, of the next entry of the journal; -1 at
    /// the end.
    private var own: Int
    /// The index of the next entry about the whole store; -1 at the end.
    private var shared = -1

    init(_ world: borrowing World, _ query: HappeningQuery, before end: RowIndex<JournalEntry>) {
        journal = world.journal
        isOfAll = query.customer == nil
        guard let customer = query.customer else {
            own = end.index - 1
            return
        }
        own = world.accountPlaces[customer].map { Int(world.accounts[$0].lastEntryIndex) } ?? -1
        if query.includesStore { shared = Int(world.lastStoreEntryIndex) }
        while own >= end.index { own = previous(of: own) }
        while shared >= end.index { shared = previous(of: shared) }
    }

    /// Returns the index of the previous entry in the same list: about the same customer, or about the whole store.
    private func previous(of index: Int) -> Int {
        journal.place(at: index).map { Int(journal[$0].previousIndex) } ?? -1
    }

    mutating func next() -> RowIndex<JournalEntry>? {
        let place = journal.place(at: Swift.max(own, shared))
        if shared > own {
            shared = previous(of: shared)
        } else {
            own = isOfAll ? own - 1 : previous(of: own)
        }
        return place
    }
}
