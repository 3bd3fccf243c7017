public import Storekeeper

/// Where a transaction is looked for whose environment nobody knows.
///
/// App Review and TestFlight use the sandbox with the same build that customers have, so that a server sees both.
public enum EnvironmentLookup: Hashable, Sendable {
    /// One server.
    case only(AppStoreServerHost)
    /// One server, and where it does not know the transaction, another.
    case first(AppStoreServerHost, then: AppStoreServerHost)

    /// The App Store.
    public static let production = EnvironmentLookup.only(.production)
    /// Apple's sandbox.
    public static let sandbox = EnvironmentLookup.only(.sandbox)
    /// The App Store, and where it does not know the transaction, the sandbox.
    public static let productionThenSandbox = EnvironmentLookup.first(.production, then: .sandbox)

    /// The servers, in the order in which they are asked.
    package var hosts: [AppStoreServerHost] {
        switch self {
        case .only(let host): [host]
        case .first(let first, let second): [first, second]
        }
    }
}

/// How a client behaves.
public struct AppStoreServerConfiguration: Sendable {
    /// The app that is asked about.
    public var bundleID: String
    /// The App Store's number for the app; compared with answers that name one.
    ///
    /// `nil` compares none.
    public var appAppleID: Int64?
    /// Which servers are asked, in which order.
    public var lookup: EnvironmentLookup
    /// How long a call may take with all its waits and repetitions.
    public var deadline: Duration
    /// How often a request is sent at most, 1 or more.
    public var maximumAttempts: Int
    /// How long to wait before a request is sent again.
    public var backoff: Backoff
    /// How many requests are under way at the same time, 1 or more.
    public var concurrency: Int
    /// After how many failures in a row nothing is sent for a while, 1 or more.
    public var failuresBeforePause: Int
    /// How long nothing is sent then.
    public var pause: Duration
    /// How many pages a customer's history may have, 1 or more; the App Store puts 20 transactions on a page.
    public var maximumHistoryPages: Int

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - bundleID: The app that is asked about.
    ///   - appAppleID: The App Store's number for the app; `nil` compares none.
    ///   - lookup: Which servers are asked, in which order.
    ///   - deadline: How long a call may take with all its waits and repetitions.
    ///   - maximumAttempts: How often a request is sent at most, 1 or more.
    ///   - backoff: How long to wait before a request is sent again.
    ///   - concurrency: How many requests are under way at the same time, 1 or more.
    ///   - failuresBeforePause: After how many failures in a row nothing is sent for a while, 1 or more.
    ///   - pause: How long nothing is sent then.
    ///   - maximumHistoryPages: How many pages a customer's history may have, 1 or more.
    public init(
        bundleID: String, appAppleID: Int64? = nil, lookup: EnvironmentLookup = .productionThenSandbox,
        deadline: Duration = .seconds(60), maximumAttempts: Int = 4,
        backoff: Backoff = Backoff(first: .seconds(1), longest: .seconds(30)), concurrency: Int = 8,
        failuresBeforePause: Int = 8, pause: Duration = .seconds(30), maximumHistoryPages: Int = 5_000
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.lookup = lookup
        self.deadline = deadline
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.concurrency = concurrency
        self.failuresBeforePause = failuresBeforePause
        self.pause = pause
        self.maximumHistoryPages = maximumHistoryPages
    }
}
