package import Storekeeper

/// Selects, sorts and limits the rows of a transaction manager.
package struct TransactionQuery: Sendable {
    /// The order of the rows.
    package enum Order: String, Sendable, CaseIterable {
        case purchased, product, person, state, expires, id
    }

    /// The customer; `nil` for all customers.
    package var customer: CustomerID?
    /// The words that each must occur in a product's id or name, a customer's name, a state, a date, a transaction id
    /// or an order id.
    package var words: [String] = []
    /// The prefix of the product ids.
    package var product: String?
    /// The state.
    package var state: TransactionSummary.State?
    /// The first purchase date.
    package var from: Instant?
    /// The end of the purchase dates.
    package var until: Instant?
    /// The order, if the list is sorted.
    package var order = Order.purchased
    /// Whether the order is ascending.
    package var isAscending = false
    /// Whether the renewals of one purchase are one row.
    package var folds = true
    /// The rows whose earlier periods are listed, by the id of the row.
    package var opened: Set<Transaction.ID> = []
    /// The number of the page of a sorted list, from 1.
    package var page = 1
    /// The last row of the page before, in lists that are not sorted; `nil` begins with the newest transaction.
    package var before: Transaction.ID?
    /// The number of rows of a page.
    package var pageSize = 200
    /// The maximum number of rows, including the earlier periods of opened rows and, for each opened row, a line about
    /// the periods for which there is no room.
    package var rowLimit = 300
    /// The maximum number of transactions that are sorted and counted; of more the newest are listed first.
    package var sortLimit = 10_000
    /// The maximum number of transactions that are compared with the filters for one page.
    package var visitLimit = 200_000

    /// Creates a query for all transactions.
    package init() {}

    /// Whether some transactions are left out.
    var isFiltered: Bool { !words.isEmpty || product != nil || state != nil || from != nil || until != nil }
}

/// A page of the rows that a query selects.
package struct TransactionListing: Sendable {
    /// A purchase with its renewals.
    package struct Row: Sendable {
        /// The newest period.
        package let newest: TransactionInspection
        /// The number of periods, including the newest.
        package let periods: Int
        /// Whether there are more periods than were counted.
        package let hasMorePeriods: Bool
        /// The number of refunded periods among them.
        package let refunded: Int
        /// When the first of these periods was bought; `nil` if not all were counted.
        package let begunAt: Instant?
        /// The earlier periods if the row is opened, the newest first, as far as the page has room.
        package let earlier: [TransactionInspection]
    }

    /// The rows.
    package let rows: [Row]
    /// The number of the page, if the list is sorted.
    package let page: Int
    /// The number of matching transactions, and of their rows; `nil` if not all were compared.
    package let counts: (transactions: Int, rows: Int)?
    /// The number of transactions of the customer, or of all; including deleted ones if not all were compared.
    package let total: Int
    /// The number of transactions that were visited.
    package let visited: Int
    /// The transaction before which the next page begins; `nil` for the last page, and for sorted lists.
    package let next: Transaction.ID?

    /// Whether all matching transactions were sorted and counted.
    package var isSorted: Bool { counts != nil }
}

extension SimulatedAppStore {
    /// Returns a page of transactions.
    ///
    /// A store or customer with few transactions is sorted; of a large store only as many transactions are visited as
    /// the page needs, the newest first.
    package func listing(_ query: TransactionQuery) -> TransactionListing {
        read { world in
            var lister = TransactionLister(copy world, query)
            return lister.listing()
        }
    }

    /// Returns the transactions of customers who were asked to agree to a higher price and have not answered, the last
    /// question first.
    ///
    /// - Parameter limit: The maximum number; at most ten thousand questions are looked through.
    package func openPriceQuestions(limit: Int) -> [TransactionSummary] {
        read { world in
            var found: [TransactionSummary] = []
            var seen: Set<RowIndex<Subscription>> = []
            for place in world.askedForConsent.suffix(10_000).reversed() where found.count < limit {
                guard seen.insert(place).inserted, world.subscriptions[place].priceIncrease == .pending else {
                    continue
                }
                let summary = world.summary(of: world.subscriptions[place].current)
                if summary.awaitsPriceConsent { found.append(summary) }
            }
            return found
        }
    }
}
