public import Storekeeper

/// The parts of the App Store's history to read in order to fill gaps in the received notifications.
///
/// A plan is chosen by a pure rule over the cost in requests: the whole history of a time in pages of 20, or the
/// histories of some customers, each at least one page. Known notifications cost only their place on a page.
public struct RepairPlan: Hashable, Sendable {
    /// The facts about the missing notifications.
    public struct Situation: Hashable, Sendable {
        /// The start of the time in which notifications may be missing, in UTC.
        public var from: Instant
        /// The end of that time, in UTC.
        public var to: Instant
        /// The estimated number of notifications sent in that time.
        public var expected: Int
        /// The estimated number that the App Store could not deliver; `nil` if delivered notifications may be missing
        /// as well, such as after a vault was restored from a backup.
        public var undelivered: Int?
        /// The customers about whom notifications may be missing, by one of their transactions each, with the number of
        /// notifications sent about them; `nil` if it may be any customer.
        public var customers: [Customer]?

        /// Creates a situation.
        public init(
            from: Instant, to: Instant, expected: Int, undelivered: Int? = nil, customers: [Customer]? = nil
        ) {
            self.from = from
            self.to = to
            self.expected = max(expected, 0)
            self.undelivered = undelivered.map { max($0, 0) }
            self.customers = customers
        }
    }

    /// A customer about whom notifications may be missing.
    public struct Customer: Hashable, Sendable {
        /// One of their transactions.
        public var transactionID: Transaction.ID
        /// The estimated number of notifications sent about them.
        public var expected: Int

        /// Creates a customer.
        public init(transactionID: Transaction.ID, expected: Int = 1) {
            self.transactionID = transactionID
            self.expected = max(expected, 0)
        }
    }

    /// The number of notifications on a page.
    public static let pageSize = 20

    /// The queries, in order.
    public let queries: [NotificationHistoryQuery]
    /// The estimated number of requests.
    public let cost: Int

    /// Creates a plan from queries.
    public init(queries: [NotificationHistoryQuery], cost: Int) {
        self.queries = queries
        self.cost = cost
    }

    /// Chooses the cheapest plan; among equally cheap ones, the one that finds more.
    ///
    /// - Parameters:
    ///   - situation: The notifications that may be missing.
    ///   - now: The current time, in UTC.
    ///   - environment: The environment, which limits the App Store's history: 180 days in production, otherwise 30.
    /// - Returns: The plan; without queries if the App Store's history does not reach that far back, or no customer is
    ///   affected.
    public static func cheapest(
        for situation: Situation, at now: Instant, in environment: AppStore.Environment = .production
    ) -> RepairPlan {
        let days: Int64 = environment == .production ? 180 : 30
        // A minute of reserve: a start at the very limit would be too old when the request arrives.
        let oldest = now.adding(milliseconds: -days * 86_400_000 + 60_000)
        let (from, to) = (max(situation.from, oldest), min(situation.to, now))
        guard from < to else { return RepairPlan(queries: [], cost: 0) }
        var plans = [
            RepairPlan(
                queries: [NotificationHistoryQuery(from: from, to: to)], cost: requests(for: situation.expected))
        ]
        if let undelivered = situation.undelivered {
            plans.append(
                RepairPlan(
                    queries: [NotificationHistoryQuery(from: from, to: to, onlyFailures: true)],
                    cost: requests(for: undelivered)))
        }
        if let customers = situation.customers {
            plans.append(
                RepairPlan(
                    queries: customers.map {
                        NotificationHistoryQuery(from: from, to: to, transactionID: $0.transactionID)
                    },
                    cost: customers.reduce(0) { sum, customer in
                        let (cost, overflow) = sum.addingReportingOverflow(requests(for: customer.expected))
                        return overflow ? .max : cost
                    }))
        }
        // The first of the cheapest: the plans above are ordered by how much they find.
        return plans.min { $0.cost < $1.cost } ?? RepairPlan(queries: [], cost: 0)
    }

    /// Returns the number of requests that a number of notifications takes; at least one.
    static func requests(for count: Int) -> Int {
        max(1, count / pageSize + (count.isMultiple(of: pageSize) ? 0 : 1))
    }
}
