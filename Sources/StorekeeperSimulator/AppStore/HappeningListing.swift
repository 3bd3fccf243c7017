package import Storekeeper

/// A query for a page of happenings (the events in a simulated store), newest first.
package struct HappeningQuery: Sendable {
    /// The customer; `nil` for all happenings.
    package var customer: CustomerID?
    /// Whether happenings about the whole store are selected in addition to the customer's happenings.
    package var includesStore = true
    /// Whether only happenings with a notification are selected.
    package var isOfNotifications = false
    /// The number of the page, from 1.
    package var page = 1
    /// The number of happenings on a page.
    package var pageSize = 200

    /// Creates a query for all happenings.
    package init() {}
}

/// A page of the happenings that a query selects.
package struct HappeningListing: Sendable {
    /// The happenings, newest first.
    package let happenings: [Happening]
    /// The number of the page, from 1.
    package let page: Int
    /// The number of the selected happenings on all pages.
    package let count: Int
}

extension SimulatedAppStore {
    /// Returns a page of happenings, newest first.
    package func listing(_ query: HappeningQuery) -> HappeningListing {
        read { world in
            let customer = query.customer.flatMap { world.accountPlaces[$0] }
            let places = world.journal.indices.reversed().filter { place in
                let entry = world.journal[place]
                if query.isOfNotifications, entry.kind.notification == nil { return false }
                guard query.customer != nil else { return true }
                return entry.account.map { $0 == customer } ?? query.includesStore
            }
            let last = max(1, (places.count + query.pageSize - 1) / query.pageSize)
            let page = min(max(1, query.page), last)
            let start = (page - 1) * query.pageSize
            let shown = places[start..<min(places.count, start + query.pageSize)]
            return HappeningListing(
                happenings: shown.map { world.happening($0) }, page: page, count: places.count)
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
