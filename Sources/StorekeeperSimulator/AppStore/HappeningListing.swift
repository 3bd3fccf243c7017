package import Storekeeper

/// Selects and limits happenings, the newest first.
package struct HappeningQuery: Sendable {
    /// The customer; `nil` for all happenings.
    package var customer: CustomerID?
    /// Whether happenings of the whole store count as those of any customer.
    package var includesStore = true
    /// Whether only happenings with a notification are selected.
    package var isOfNotifications = false
    /// The number of the page of a counted list, from 1.
    package var page = 1
    /// The last happening of the page before, in lists that are not counted; `nil` begins with the newest.
    package var before: Happening.ID?
    /// The number of happenings of a page.
    package var pageSize = 200
    /// The maximum number of happenings of a store whose lists are counted.
    package var countLimit = 50_000
    /// The maximum number of happenings that are visited for one page.
    package var visitLimit = 1_000_000

    /// Creates a query for all happenings.
    package init() {}
}

/// A page of the happenings that a query selects.
package struct HappeningListing: Sendable {
    /// The happenings, the newest first.
    package let happenings: [Happening]
    /// The number of the page, if the list is counted.
    package let page: Int
    /// The number of all selected happenings; `nil` if not all were visited.
    package let count: Int?
    /// The number of happenings that were visited.
    package let visited: Int
    /// The happening before which the next page begins; `nil` for the last page, and for counted lists.
    package let next: Happening.ID?
}

extension SimulatedAppStore {
    /// Returns a page of happenings, the newest first.
    ///
    /// Of a large store only as many happenings are visited as the page needs.
    package func listing(_ query: HappeningQuery) -> HappeningListing {
        read { world in
            let account = query.customer.flatMap { world.accountPlaces[$0] }
            func isMeant(_ entry: JournalEntry) -> Bool {
                if query.isOfNotifications, entry.kind.notification == nil { return false }
                guard query.customer != nil else { return true }
                return entry.account == nil ? query.includesStore : entry.account == account
            }
            let all = world.journal.indices
            let isCounted = all.count <= query.countLimit
            let end = isCounted ? nil : query.before.flatMap { world.journal.place(at: $0) }
            var places: [RowIndex<JournalEntry>] = []
            var visited = 0
            var next: Happening.ID?
            for place in (all.lowerBound..<(end ?? all.upperBound)).reversed() {
                if !isCounted, places.count >= query.pageSize || visited >= query.visitLimit {
                    next = place.index + 1
                    break
                }
                visited += 1
                if isMeant(world.journal[place]) { places.append(place) }
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

    /// Returns the first happenings after a number of them.
    ///
    /// - Parameters:
    ///   - count: The number to skip.
    ///   - limit: The maximum number of happenings.
    package func happenings(after count: Int, limit: Int) -> [Happening] {
        read { world in world.journal.indices(after: count).prefix(max(0, limit)).map { world.happening($0) } }
    }
}
