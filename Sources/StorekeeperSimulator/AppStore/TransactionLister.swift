import Storekeeper

/// Finds the rows that a ``TransactionQuery`` selects in a world (the state of a store).
struct TransactionLister {
    private typealias Place = RowIndex<TransactionState>

    private let world: World
    private let query: TransactionQuery
    private var matcher: TransactionMatcher
    private var visited = 0
    /// The cached results of `newestMatch(from:)`, by the period that is the argument.
    private var covers: [Place: Place?] = [:]

    /// The maximum number of earlier periods of a purchase that are counted.
    static let periodLimit = 1000

    init(_ world: World, _ query: TransactionQuery) {
        self.world = world
        self.query = query
        matcher = TransactionMatcher(query, in: world)
    }

    mutating func listing() -> TransactionListing {
        let all = world.transactions.indices
        let accounts = query.customer.map { world.accountPlaces[$0].map { [$0] } ?? [] } ?? matcher.onlyAccounts
        if let accounts, query.customer != nil || all.count > query.sortLimit {
            let (places, isWhole) = transactions(of: accounts)
            let total = query.customer == nil ? all.count : nil
            if isWhole, places.count <= query.sortLimit { return sorted(places, of: total) }
            return streamed(transactions(of: accounts, before: firstIndex).places, of: total ?? places.count)
        }
        guard all.count > query.sortLimit else { return sorted(all.reversed()) }
        let end = world.transactions.place(at: firstIndex) ?? all.upperBound
        return streamed((all.lowerBound..<end).reversed(), of: all.count)
    }

    /// The exclusive upper bound of the indexes of the page's transactions, if the list is not sorted.
    private var firstIndex: Int {
        query.before.flatMap { Int64($0.rawValue) }.flatMap { number in
            number < world.firstTransactionID ? nil : Int(clamping: number - world.firstTransactionID)
        } ?? .max
    }

    /// Returns the transactions of some accounts before an index, newest first, and whether the list is complete.
    ///
    /// For each account and app, the list contains at most one transaction more than `visitLimit`.
    private func transactions(
        of accounts: [RowIndex<Account>], before end: Int = .max
    ) -> (places: [Place], isWhole: Bool) {
        var places: [Place] = []
        var isWhole = true
        for account in accounts {
            for download in world.accounts[account].downloads {
                var next = world.downloads[download].lastTransaction
                var count = 0
                while let place = next {
                    guard count <= query.visitLimit else {
                        isWhole = false
                        break
                    }
                    if place.index < end {
                        places.append(place)
                        count += 1
                    }
                    next = world.transactions[place].previous
                }
            }
        }
        return (places.sorted(by: >), isWhole)
    }

    // MARK: Sorted lists

    private mutating func sorted(_ places: some Collection<Place>, of all: Int? = nil) -> TransactionListing {
        var (total, matching) = (0, 0)
        var heads: [Place] = []
        for place in places where !world.transactions[place].isDeleted {
            total += 1
            visited += 1
            guard matcher.matches(place) else { continue }
            matching += 1
            if isHead(place) { heads.append(place) }
        }
        heads = sort(heads)
        let last = max(1, (heads.count + query.pageSize - 1) / query.pageSize)
        let page = min(max(1, query.page), last)
        let start = (page - 1) * query.pageSize
        let shown = heads[start..<min(heads.count, start + query.pageSize)]
        return TransactionListing(
            rows: rows(Array(shown)), page: page, counts: (matching, heads.count), total: all ?? total,
            visited: visited,
            next: nil)
    }

    /// Returns the newest transactions of rows, sorted in the order of the query.
    ///
    /// Rows with equal sort keys are sorted by id, newest first.
    private func sort(_ heads: [Place]) -> [Place] {
        func sorted(by key: (Place) -> some Comparable) -> [Place] {
            heads.map { (place: $0, key: key($0)) }.sorted { left, right in
                if left.key == right.key { return left.place > right.place }
                return query.isAscending ? left.key < right.key : left.key > right.key
            }.map(\.place)
        }
        // By date, pending purchases sort as the newest, and failed purchases sort by the instant of the attempt. By
        // expiration, transactions that do not expire sort as if they expired last.
        return switch query.order {
        case .purchased:
            sorted { place in
                let state = world.transactions[place]
                let isWaiting = state.stage == .awaitsApproval || state.stage == .interrupted
                return record(of: place)?.purchasedAt ?? (isWaiting ? .distantFuture : state.begunAt)
            }
        case .product:
            sorted { place in
                let state = world.transactions[place]
                return world.app(of: state.download).product(record(of: place)?.product ?? state.product).id
            }
        case .person:
            sorted { world.accounts[world.downloads[world.transactions[$0].download].account].name.rawValue }
        case .state: sorted { world.listedState(of: $0).rawValue }
        case .expires: sorted { record(of: $0)?.expiresAt ?? .distantFuture }
        case .id: sorted { $0 }
        }
    }

    // MARK: Lists that are too long to sort

    /// Lists the newest transactions first, and stops when the page is full.
    private mutating func streamed(_ places: some Collection<Place>, of total: Int) -> TransactionListing {
        let limit = visited + query.visitLimit
        var heads: [Place] = []
        var last: Place?
        var next: Place?
        for place in places {
            if heads.count >= query.pageSize || visited >= limit {
                next = last
                break
            }
            visited += 1
            last = place
            guard !world.transactions[place].isDeleted, matcher.matches(place), isHead(place) else { continue }
            heads.append(place)
        }
        return TransactionListing(
            rows: rows(heads), page: 1, counts: nil, total: total, visited: visited,
            next: next.map { world.id(of: $0) })
    }

    // MARK: Periods of one purchase

    private func record(of place: Place) -> TransactionRecord? {
        world.transactions[place].latest.map { world.records[$0] }
    }

    /// Returns whether a transaction is the newest period of its purchase that matches the query.
    private mutating func isHead(_ place: Place) -> Bool {
        guard query.folds else { return true }
        let following = world.transactions[place].renewal
        guard following != place else { return true }
        let cover = newestMatch(from: following)
        covers[place] = .some(cover ?? place)
        return cover == nil
    }

    /// Returns the newest matching period of a purchase, among a given period and all later periods.
    private mutating func newestMatch(from place: Place) -> Place? {
        if let known = covers[place] { return known }
        var at = place
        var newest: Place?
        while true {
            if let known = covers[at] {
                newest = known ?? newest
                break
            }
            visited += 1
            if !world.transactions[at].isDeleted, matcher.matches(at) {
                newest = at
                // Without a filter, any later period that is not deleted suffices.
                if !query.isFiltered { break }
            }
            let following = world.transactions[at].renewal
            if following == at { break }
            at = following
        }
        covers[place] = .some(newest)
        return newest
    }

    /// Returns the previous period of the same purchase.
    private mutating func predecessor(of place: Place) -> Place? {
        let earlier = world.transactions[place].renewed
        guard earlier != place else { return nil }
        visited += 1
        return earlier
    }

    private mutating func rows(_ heads: [Place]) -> [TransactionListing.Row] {
        // For each opened row, reserve one line of text that states how many periods do not fit on the page.
        let opened = heads.count { query.opened.contains(world.id(of: $0)) }
        var room = max(0, query.rowLimit - heads.count - opened)
        var rows: [TransactionListing.Row] = []
        for head in heads {
            var periods = [head]
            var steps = 0
            var next = query.folds ? predecessor(of: head) : nil
            while let place = next, steps < Self.periodLimit {
                if !world.transactions[place].isDeleted, matcher.matches(place) { periods.append(place) }
                steps += 1
                next = predecessor(of: place)
            }
            let hasMore = next != nil
            let isOpen = query.opened.contains(world.id(of: head))
            let earlier = isOpen ? periods.dropFirst().prefix(room) : []
            room -= earlier.count
            rows.append(
                TransactionListing.Row(
                    newest: world.inspection(of: head, periods: 0), periods: periods.count, hasMorePeriods: hasMore,
                    refunded: periods.count { world.listedState(of: $0) == .refunded },
                    begunAt: hasMore ? nil : periods.last.flatMap { record(of: $0)?.purchasedAt },
                    earlier: earlier.map { world.inspection(of: $0, periods: 0) }))
        }
        return rows
    }
}
