public import Storekeeper

/// The queries of the App Store's history that fill gaps in the received notifications.
///
/// ``cheapest(for:at:in:)`` chooses the plan with the fewest requests. A plan reads the whole history of a period, or
/// only the undelivered notifications of the period, or the histories of some customers. A page has 20 notifications,
/// and each customer's history needs at least one page.
public struct RepairPlan: Hashable, Sendable {
    /// The estimate from which a plan is chosen: the period, the number and the customers of the missing notifications.
    public struct Situation: Hashable, Sendable {
        /// The start of the period in which notifications may be missing, in UTC.
        public var from: Instant
        /// The end of the period, in UTC.
        public var to: Instant
        /// The estimated number of notifications that the App Store sent or tried to send in the period.
        public var expected: Int
        /// The estimated number of notifications in the period that the App Store could not deliver.
        ///
        /// The value is `nil` if delivered notifications may be missing as well, for example after a restore from a
        /// backup.
        public var undelivered: Int?
        /// The customers about whom notifications may be missing; `nil` if any customer may be affected.
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
        /// A transaction of the customer.
        public var transactionID: Transaction.ID
        /// The estimated number of notifications sent about the customer.
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

    /// Returns the plan with the fewest requests.
    ///
    /// If several plans need equally few requests, the function returns the plan that reads the most of the history.
    ///
    /// - Parameters:
    ///   - situation: The notifications that may be missing.
    ///   - now: The current time, in UTC.
    ///   - environment: The environment. The App Store's history covers 180 days in production, and 30 days in other
    ///     environments.
    /// - Returns: The plan. The plan has no queries if the App Store's history does not reach back to the period, or if
    ///   the situation has an empty list of customers.
    public static func cheapest(
        for situation: Situation, at now: Instant, in environment: AppStore.Environment = .production
    ) -> RepairPlan {
        let days: Int64 = environment == .production ? 180 : 30
        // A minute is added, because a start exactly at the limit would be too old when the request arrives.
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
        // `min` returns the first of equally cheap plans, and the first of the plans above reads the most of the
        // history.
        return plans.min { $0.cost < $1.cost } ?? RepairPlan(queries: [], cost: 0)
    }

    /// Returns the number of requests needed to read a number of notifications; at least one.
    static func requests(for count: Int) -> Int {
        max(1, count / pageSize + (count.isMultiple(of: pageSize) ? 0 : 1))
    }
}
