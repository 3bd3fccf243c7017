package import Storekeeper

/// Selects, sorts and limits the rows of a transaction manager.
package struct TransactionQuery: Sendable {
    /// The order of the rows.
    package enum Order: String, Sendable, CaseIterable {
        case purchased, product, person, state, expires, id
    }

    /// The customer; `nil` for all customers.
    package var customer: CustomerID?
    /// The words of the search text.
    ///
    /// Each word must occur in a product's id or name, a customer's name, a state, a date, a transaction id or an order
    /// id.
    package var words: [String] = []
    /// The prefix of the product ids; `nil` for all products.
    package var product: String?
    /// The state; `nil` for all states.
    package var state: TransactionSummary.State?
    /// The earliest purchase date, which is included.
    package var from: Instant?
    /// The end of the range of purchase dates, which is not included.
    package var until: Instant?
    /// The order of the rows; ignored if the list is not sorted.
    package var order = Order.purchased
    /// Whether the order is ascending.
    package var isAscending = false
    /// Whether a purchase and its renewals are shown as one row.
    package var folds = true
    /// The opened rows, whose earlier periods are listed; each is identified by the id of its newest transaction.
    package var opened: Set<Transaction.ID> = []
    /// The number of the page of a sorted list, from 1.
    package var page = 1
    /// If the list is not sorted, the page contains only transactions before this transaction; `nil` begins with the
    /// newest transaction.
    package var before: Transaction.ID?
    /// The number of rows on a page.
    package var pageSize = 200
    /// The maximum number of rows on a page.
    ///
    /// The number includes the earlier periods of opened rows. It also includes, for each opened row, a line of text
    /// that states how many periods do not fit.
    package var rowLimit = 300
    /// The maximum number of transactions that are sorted and counted.
    ///
    /// A longer list is not sorted, and begins with the newest transactions.
    package var sortLimit = 10_000
    /// The maximum number of transactions that are compared with the filters for one page.
    package var visitLimit = 200_000

    /// Creates a query for all transactions.
    package init() {}

    /// Whether the query has a filter.
    var isFiltered: Bool { !words.isEmpty || product != nil || state != nil || from != nil || until != nil }
}

/// A page of the rows that a query selects.
package struct TransactionListing: Sendable {
    /// A row of the list, which is a purchase with its renewals.
    package struct Row: Sendable {
        /// The newest period.
        package let newest: TransactionInspection
        /// The number of periods, including the newest period.
        package let periods: Int
        /// Whether the purchase has more periods than were counted.
        package let hasMorePeriods: Bool
        /// The number of refunded periods among the counted periods.
        package let refunded: Int
        /// The date of the first period; `nil` if not all periods were counted.
        package let begunAt: Instant?
        /// The earlier periods of an opened row that fit on the page, newest first.
        package let earlier: [TransactionInspection]
    }

    /// The rows.
    package let rows: [Row]
    /// The number of the page if the list is sorted, or else 1.
    package let page: Int
    /// The number of matching transactions, and the number of their rows; `nil` if not all transactions were compared.
    package let counts: (transactions: Int, rows: Int)?
    /// The number of transactions of the customer, or of all customers.
    ///
    /// If not all transactions were compared, the number includes deleted transactions.
    package let total: Int
    /// The number of transactions that were compared with the filters.
    package let visited: Int
    /// The value of ``TransactionQuery/before`` for the next page; `nil` on the last page and in sorted lists.
    package let next: Transaction.ID?

    /// Whether all matching transactions were sorted and counted.
    package var isSorted: Bool { counts != nil }
}

extension SimulatedAppStore {
    /// Returns a page of transactions.
    ///
    /// The list is sorted if the store or the customer has few transactions. In a large store, only as many
    /// transactions are visited as the page needs, newest first.
    package func listing(_ query: TransactionQuery) -> TransactionListing {
        read { world in
            var lister = TransactionLister(copy world, query)
            return lister.listing()
        }
    }

    /// Returns the newest transactions of subscriptions whose customers have not answered a request for consent to a
    /// higher price, beginning with the latest request.
    ///
    /// - Parameter limit: The maximum number of transactions. At most ten thousand requests are examined.
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
