public import Storekeeper

/// How gaps in what came are to be filled: which parts of the App Store's history to read.
///
/// A plan is made by a pure rule of what reading costs, in requests: the whole history of a time in pages of 20, or the
/// histories of some customers, each at least one page. What was seen already costs its place on a page and nothing more.
public struct RepairPlan: Hashable, Sendable {
    /// What is known of what may be missing.
    public struct Situation: Hashable, Sendable {
        /// Since when something may be missing, in UTC.
        public var from: Instant
        /// Until when, in UTC.
        public var to: Instant
        /// How many notifications are sent in that time, as far as it can be told.
        public var expected: Int
        /// How many of them the App Store could not deliver, as far as it can be told; `nil` where what was delivered
        /// may be missing, too, such as after a vault was restored from a backup.
        public var undelivered: Int?
        /// The customers about whom something may be missing, by one of their transactions each, with how many
        /// notifications were sent about them; `nil` where it may be anybody.
        public var customers: [Customer]?

        /// Makes a situation.
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

    /// A customer about whom something may be missing.
    public struct Customer: Hashable, Sendable {
        /// One of their transactions.
        public var transactionID: Transaction.ID
        /// How many notifications were sent about them, as far as it can be told.
        public var expected: Int

        /// Makes a customer.
        public init(transactionID: Transaction.ID, expected: Int = 1) {
            self.transactionID = transactionID
            self.expected = max(expected, 0)
        }
    }

    /// How many notifications a page has.
    public static let pageSize = 20

    /// What is to be read, in order.
    public let queries: [NotificationHistoryQuery]
    /// How many requests it will take, as far as it can be told.
    public let cost: Int

    /// Makes a plan of queries.
    public init(queries: [NotificationHistoryQuery], cost: Int) {
        self.queries = queries
        self.cost = cost
    }

    /// Chooses the cheapest way; of equal ones that which finds more.
    ///
    /// - Parameters:
    ///   - situation: What may be missing.
    ///   - now: The time, in UTC.
    ///   - environment: How far back the App Store's history goes: 180 days, elsewhere than in production 30.
    /// - Returns: The plan; without queries where the App Store's history does not reach that far back, or where it is
    ///   about nobody.
    public static func cheapest(
        for situation: Situation, at now: Instant, in environment: AppStore.Environment = .production
    ) -> RepairPlan {
        let days: Int64 = environment == .production ? 180 : 30
        // A minute of reserve: what is asked for at the very end is too old when the request arrives.
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
        // The first of the cheapest: the order above is that of how much they find.
        return plans.min { $0.cost < $1.cost } ?? RepairPlan(queries: [], cost: 0)
    }

    /// How many requests it takes to read so many notifications; one also for none.
    static func requests(for count: Int) -> Int {
        max(1, count / pageSize + (count.isMultiple(of: pageSize) ? 0 : 1))
    }
}
