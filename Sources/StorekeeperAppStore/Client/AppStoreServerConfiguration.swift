public import Storekeeper

/// The servers that are asked about a transaction whose environment is unknown.
///
/// App Review and TestFlight use the sandbox with the same build of the app that customers have. An app's server
/// therefore receives transactions of both environments.
public enum EnvironmentLookup: Hashable, Sendable {
    /// Only one server is asked.
    case only(AppStoreServerHost)
    /// The first server is asked, and then the second server if the first one does not have the transaction.
    case first(AppStoreServerHost, then: AppStoreServerHost)

    /// Only the App Store's production server is asked.
    public static let production = EnvironmentLookup.only(.production)
    /// Only Apple's sandbox is asked.
    public static let sandbox = EnvironmentLookup.only(.sandbox)
    /// The production server is asked, and then the sandbox if the production server does not have the transaction.
    public static let productionThenSandbox = EnvironmentLookup.first(.production, then: .sandbox)

    /// The servers, in the order in which they are asked.
    package var hosts: [AppStoreServerHost] {
        switch self {
        case .only(let host): [host]
        case .first(let first, let second): [first, second]
        }
    }
}

/// The settings of a client.
public struct AppStoreServerConfiguration: Sendable {
    /// The bundle id of the app.
    public var bundleID: String
    /// The App Store's number for the app, which is compared with the number in each response that contains one.
    ///
    /// `nil` skips the comparison.
    public var appAppleID: Int64?
    /// The servers that are asked, in order.
    public var lookup: EnvironmentLookup
    /// The time limit of a call with all its waits and retries.
    public var deadline: Duration
    /// The maximum number of attempts for a request, 1 or more.
    public var maximumAttempts: Int
    /// The waiting times between attempts.
    public var backoff: Backoff
    /// The maximum number of concurrent requests, 1 or more.
    public var concurrency: Int
    /// The number of consecutive failures after which requests pause, 1 or more.
    public var failuresBeforePause: Int
    /// The length of a pause after too many consecutive failures.
    public var pause: Duration
    /// The maximum number of pages in a customer's history, 1 or more; the App Store puts 20 transactions on a page.
    public var maximumHistoryPages: Int

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - bundleID: The bundle id of the app.
    ///   - appAppleID: The App Store's number for the app; `nil` skips the comparison.
    ///   - lookup: The servers that are asked, in order.
    ///   - deadline: The time limit of a call with all its waits and retries.
    ///   - maximumAttempts: The maximum number of attempts for a request, 1 or more.
    ///   - backoff: The waiting times between attempts.
    ///   - concurrency: The maximum number of concurrent requests, 1 or more.
    ///   - failuresBeforePause: The number of consecutive failures after which requests pause, 1 or more.
    ///   - pause: The length of a pause after too many consecutive failures.
    ///   - maximumHistoryPages: The maximum number of pages in a customer's history, 1 or more.
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
