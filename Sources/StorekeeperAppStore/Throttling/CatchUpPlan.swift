public import Storekeeper

/// An estimate of the time that is needed to read the histories and statuses of many customers.
public struct CatchUpPlan: Hashable, Sendable {
    /// The limit that the requests reach first, and that therefore determines the duration.
    public enum Limit: Hashable, Sendable {
        /// The App Store's rate limit of an endpoint.
        case rate(AppStoreServerEndpoint)
        /// The limit of concurrent requests, together with the latency of each request.
        case concurrency
    }

    /// The number of customers and of requests, with the concurrency and the latency of the requests.
    public struct Load: Hashable, Sendable {
        /// The number of customers.
        public var customers: Int64
        /// The number of requests to each endpoint for one customer.
        public var requests: [AppStoreServerEndpoint: Int64]
        /// The number of concurrent requests.
        public var concurrency: Int64
        /// The latency of a request, in milliseconds.
        public var latency: Int64

        /// Creates a load; by default, each customer needs one page of history and one request for statuses.
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

    /// The minimum duration of the work.
    public let duration: Duration
    /// The limit that determines the duration; `nil` if the duration is zero.
    public let limit: Limit?

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - load: The number of customers and of requests. Negative numbers count as 0.
    ///   - limiter: The rate limiter whose rates apply.
    ///   - environment: The environment of the customers.
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

    /// Returns `count × each ÷ divisor`, rounded up and clamped to the range of the type.
    private static func share(_ count: Int64, _ each: Int64, of divisor: Int64) -> Int64 {
        let product = count.multipliedFullWidth(by: each)
        guard product.high < divisor else { return .max }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return remainder > 0 && quotient < .max ? quotient + 1 : quotient
    }
}
