package import Storekeeper

/// Selects, sorts and divides the rows of a transaction manager.
package struct TransactionQuery: Sendable {
    /// The order of the rows.
    package enum Order: String, Sendable, CaseIterable {
        case purchased, product, person, state, expires, id
    }

    /// The customer; `nil` for all customers.
    package var customer: CustomerID?
    /// The words of the search text, each of which must occur in the transaction's texts.
    ///
    /// The texts are the product's id and names, the customer's name, the state, the dates of purchase and expiration,
    /// and the ids of the transaction, its chain and its order.
    package var words: [String] = []
    /// The prefix of the product ids; `nil` for all products.
    package var product: String?
    /// The state; `nil` for all states.
    package var state: TransactionSummary.State?
    /// The earliest purchase date, which is included.
    package var from: Instant?
    /// The end of the range of purchase dates, which is not included.
    package var until: Instant?
    /// The order of the rows.
    package var order = Order.purchased
    /// Whether the order is ascending.
    package var isAscending = false
    /// Whether a purchase and its renewals are shown as one row.
    package var folds = true
    /// The opened rows, whose earlier periods are listed; each is identified by the id of its newest transaction.
    package var opened: Set<Transaction.ID> = []
    /// The number of the page, from 1.
    package var page = 1
    /// The number of rows on a page.
    package var pageSize = 200
    /// The maximum number of rows on a page.
    ///
    /// The number includes the earlier periods of opened rows. It also includes, for each opened row, a line of text
    /// that states how many periods do not fit.
    package var rowLimit = 300

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
        /// The number of refunded periods.
        package let refunded: Int
        /// The date of the first period; `nil` for an attempt that bought nothing.
        package let begunAt: Instant?
        /// The earlier periods of an opened row that fit on the page, newest first.
        package let earlier: [TransactionInspection]
    }

    /// The rows.
    package let rows: [Row]
    /// The number of the page, from 1.
    package let page: Int
    /// The number of matching transactions, and the number of their rows on all pages.
    package let counts: (transactions: Int, rows: Int)
    /// The number of transactions of the customer, or of all customers.
    package let total: Int
}

extension SimulatedAppStore {
    /// Returns a page of transactions.
    package func listing(_ query: TransactionQuery) -> TransactionListing {
        read { world in TransactionLister(world: copy world, query: query).listing() }
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
