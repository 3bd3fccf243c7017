public import Storekeeper

/// How long it takes to read the histories and statuses of many customers, and what it waits for.
public struct CatchUpPlan: Hashable, Sendable {
    /// What decides how long it takes.
    public enum Limit: Hashable, Sendable {
        /// The App Store's rate of a call.
        case rate(AppStoreServerEndpoint)
        /// How many requests go at the same time, and how long each takes.
        case concurrency
    }

    /// How much there is to do, and with what.
    public struct Load: Hashable, Sendable {
        /// How many customers.
        public var customers: Int64
        /// How many requests of each call a customer needs.
        public var requests: [AppStoreServerEndpoint: Int64]
        /// How many requests go at the same time.
        public var concurrency: Int64
        /// How long a request takes, in milliseconds.
        public var latency: Int64

        /// Makes a load: by default one page of history and one request for statuses a customer.
        public init(
            customers: Int64, requests: [AppStoreServerEndpoint: Int64] = [.history: 1, .statuses: 1],
            concurrency: Int64 = 8, latency: Int64 = 100
        ) {
            self.customers = customers
            self.requests = requests
            self.concurrency = concurrency
            self.latency = latency
        }
    }

    /// How long it takes at least.
    public let duration: Duration
    /// What decides that; `nil` where there is nothing to do.
    public let limit: Limit?

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - load: How much there is to do. Numbers below nothing count as nothing.
    ///   - limiter: Whose rates hold.
    ///   - environment: Where the customers are.
    public init(_ load: Load, limiter: RateLimiter, in environment: AppStore.Environment) {
        var (longest, limit): (Int64, Limit?) = (0, nil)
        func consider(_ milliseconds: Int64, _ candidate: Limit) {
            if milliseconds > longest { (longest, limit) = (milliseconds, candidate) }
        }
        var total: Int64 = 0
        for endpoint in AppStoreServerEndpoint.allCases {
            let count = Self.product(load.customers, load.requests[endpoint] ?? 0)
            total = total.addingReportingOverflow(count).overflow ? .max : total + count
            guard let rate = limiter.hourlyRate(of: endpoint, in: environment) else { continue }
            consider(Self.share(count, 3_600_000, of: rate), .rate(endpoint))
        }
        consider(Self.share(total, max(load.latency, 0), of: max(load.concurrency, 1)), .concurrency)
        duration = .milliseconds(longest)
        self.limit = limit
    }

    private static func product(_ left: Int64, _ right: Int64) -> Int64 {
        let (product, overflow) = max(left, 0).multipliedReportingOverflow(by: max(right, 0))
        return overflow ? .max : product
    }

    /// `count × each ÷ divisor`, rounded up, kept within the bounds of the number.
    private static func share(_ count: Int64, _ each: Int64, of divisor: Int64) -> Int64 {
        let product = count.multipliedFullWidth(by: each)
        guard product.high < divisor else { return .max }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return remainder > 0 && quotient < .max ? quotient + 1 : quotient
    }
}
