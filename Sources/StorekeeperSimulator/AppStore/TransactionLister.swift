import Storekeeper

/// Finds the rows that a ``TransactionQuery`` selects in a world (the state of a store).
struct TransactionLister {
    private typealias Place = RowIndex<TransactionState>

    let world: World
    let query: TransactionQuery

    func listing() -> TransactionListing {
        var (total, matching) = (0, 0)
        // The matching periods of each purchase, oldest first, and the number of the purchase to which a period belongs.
        var purchases: [[Place]] = []
        var numbers: [Place: Int] = [:]
        for place in places {
            let earlier = world.transactions[place].renewed
            let known = query.folds && earlier != place ? numbers[earlier] : nil
            let number = known ?? purchases.count
            if known == nil { purchases.append([]) }
            numbers[place] = number
            guard !world.transactions[place].isDeleted else { continue }
            total += 1
            guard world.matches(place, query) else { continue }
            matching += 1
            purchases[number].append(place)
        }
        let found = sort(purchases.filter { !$0.isEmpty })
        let last = max(1, (found.count + query.pageSize - 1) / query.pageSize)
        let page = min(max(1, query.page), last)
        let start = (page - 1) * query.pageSize
        let shown = found[start..<min(found.count, start + query.pageSize)]
        return TransactionListing(
            rows: rows(Array(shown)), page: page, counts: (matching, found.count), total: total)
    }

    /// The transactions of the customer, or of all customers, oldest first.
    private var places: [Place] {
        guard let customer = query.customer else { return Array(world.transactions.indices) }
        let downloads = world.accountPlaces[customer].map { world.accounts[$0].downloads } ?? []
        return downloads.flatMap { world.transactions(of: $0) }.sorted()
    }

    private func record(of place: Place) -> TransactionRecord? {
        world.transactions[place].latest.map { world.records[$0] }
    }

    /// Returns purchases, sorted by their newest periods in the order of the query.
    ///
    /// Purchases with equal sort keys are sorted by id, newest first.
    private func sort(_ purchases: [[Place]]) -> [[Place]] {
        func sorted(by key: (Place) -> some Comparable) -> [[Place]] {
            purchases.compactMap { periods in periods.last.map { (periods: periods, place: $0, key: key($0)) } }
                .sorted { left, right in
                    if left.key == right.key { return left.place > right.place }
                    return query.isAscending ? left.key < right.key : left.key > right.key
                }.map(\.periods)
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

    private func rows(_ purchases: [[Place]]) -> [TransactionListing.Row] {
        func isOpen(_ periods: [Place]) -> Bool {
            periods.last.map { query.opened.contains(world.id(of: $0)) } ?? false
        }
        // For each opened row, reserve one line of text that states how many periods do not fit on the page.
        var room = max(0, query.rowLimit - purchases.count - purchases.count(where: isOpen))
        return purchases.compactMap { periods in
            guard let newest = periods.last else { return nil }
            let earlier = isOpen(periods) ? periods.dropLast().suffix(room).reversed() : []
            room -= earlier.count
            return TransactionListing.Row(
                newest: world.inspection(of: newest, periods: 0), periods: periods.count,
                refunded: periods.count { world.listedState(of: $0) == .refunded },
                begunAt: record(of: periods[0])?.purchasedAt,
                earlier: earlier.map { world.inspection(of: $0, periods: 0) })
        }
    }
}

extension World {
    /// Returns whether a transaction passes all filters of a query except that of the customer.
    func matches(_ place: RowIndex<TransactionState>, _ query: TransactionQuery) -> Bool {
        guard query.isFiltered else { return true }
        let item = summary(of: place)
        if let state = query.state, item.state != state { return false }
        if let prefix = query.product, !item.productID.rawValue.hasPrefix(prefix) { return false }
        if query.from != nil || query.until != nil {
            // A transaction without a purchase date passes no date filter.
            guard let at = item.purchasedAt, query.from.map({ at >= $0 }) ?? true, query.until.map({ at < $0 }) ?? true
            else { return false }
        }
        guard !query.words.isEmpty else { return true }
        let state = transactions[place]
        let product = app(of: state.download).product(state.latest.map { records[$0].product } ?? state.product)
        let texts: [String?] = [
            item.productID.rawValue, product.displayName, item.person.rawValue, item.state.rawValue,
            item.purchasedAt?.day, item.expiresAt?.day, item.id.rawValue, item.originalID?.rawValue, item.orderID,
        ]
        let text = (texts + product.localizations.map(\.displayName)).compactMap(\.self).joined(separator: "\n")
            .lowercased()
        return query.words.allSatisfy { text.contains($0.lowercased()) }
    }
}
