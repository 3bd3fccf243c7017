public import FoundationEssentials
import Storekeeper

/// An uploaded image.
///
/// - SeeAlso: Apple, "Retention Messaging API: GetImageListResponseItem".
public struct UploadedRetentionImage: Hashable, Sendable {
    /// The id of the image.
    public let id: UUID?
    /// The state of Apple's review.
    public let state: RetentionReviewState?
    /// The size, which depends on the purpose of the image.
    public let size: RetentionImageSize?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]
}

/// An uploaded message.
///
/// - SeeAlso: Apple, "Retention Messaging API: GetMessageListResponseItem".
public struct UploadedRetentionMessage: Hashable, Sendable {
    /// The id of the message.
    public let id: UUID?
    /// The state of Apple's review.
    public let state: RetentionReviewState?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]
}

/// The images of an app.
///
/// - SeeAlso: Apple, "Retention Messaging API: GetImageListResponse".
struct RetentionImageList: Sendable {
    let images: [UploadedRetentionImage]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        images = try reader.objects("imageIdentifiers") { item throws(AppStoreServerError) in
            let id = try item.uuid("imageIdentifier")
            let state = try item.text("imageState").map(RetentionReviewState.init)
            let size = try item.text("imageSize").map(RetentionImageSize.init)
            return UploadedRetentionImage(id: id, state: state, size: size, unknownMembers: item.unknownMembers)
        }
    }
}

/// The messages of an app.
///
/// - SeeAlso: Apple, "Retention Messaging API: GetMessageListResponse".
struct RetentionMessageList: Sendable {
    let messages: [UploadedRetentionMessage]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        messages = try reader.objects("messageIdentifiers") { item throws(AppStoreServerError) in
            let id = try item.uuid("messageIdentifier")
            let state = try item.text("messageState").map(RetentionReviewState.init)
            return UploadedRetentionMessage(id: id, state: state, unknownMembers: item.unknownMembers)
        }
    }
}

/// A performance test that has begun.
///
/// - SeeAlso: Apple, "Retention Messaging API: PerformanceTestResponse".
public struct PerformanceTest: Hashable, Sendable {
    /// The number of requests and the thresholds of a test.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: PerformanceTestConfig".
    public struct Configuration: Hashable, Sendable {
        /// The maximum number of concurrent requests.
        public let maximumConcurrentRequests: Int64?
        /// The number of requests.
        public let totalRequests: Int64?
        /// The duration, in milliseconds.
        public let totalDuration: Int64?
        /// The maximum response time, in milliseconds.
        public let responseTimeThreshold: Int64?
        /// The minimum share of successful requests, in percent.
        public let successRateThreshold: Int64?
        /// JSON members that this version of the package does not read, by name, each as JSON text.
        public let unknownMembers: [String: String]

        init(_ reader: inout AnswerReader) throws(AppStoreServerError) {
            maximumConcurrentRequests = try reader.whole("maxConcurrentRequests")
            totalRequests = try reader.whole("totalRequests")
            totalDuration = try reader.whole("totalDuration")
            responseTimeThreshold = try reader.whole("responseTimeThreshold")
            successRateThreshold = try reader.whole("successRateThreshold")
            unknownMembers = reader.unknownMembers
        }
    }

    /// The id with which the result is requested.
    public let requestID: String
    /// The number of requests and the thresholds of the test.
    public let configuration: Configuration?
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        requestID = try reader.requiredText("requestId")
        configuration = try reader.object("config") { config throws(AppStoreServerError) in try Configuration(&config) }
        unknownMembers = reader.unknownMembers
    }
}

/// The result of a performance test.
///
/// - SeeAlso: Apple, "Retention Messaging API: PerformanceTestResultResponse".
public struct PerformanceTestResult: Hashable, Sendable {
    /// The response times, in milliseconds.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: PerformanceTestResponseTimes".
    public struct ResponseTimes: Hashable, Sendable {
        /// The mean response time.
        public let average: Int64?
        /// The time that 50 percent of the responses did not exceed.
        public let p50: Int64?
        /// The time that 90 percent of the responses did not exceed.
        public let p90: Int64?
        /// The time that 95 percent of the responses did not exceed.
        public let p95: Int64?
        /// The time that 99 percent of the responses did not exceed.
        public let p99: Int64?

        init(_ reader: inout AnswerReader) throws(AppStoreServerError) {
            average = try reader.whole("average")
            p50 = try reader.whole("p50")
            p90 = try reader.whole("p90")
            p95 = try reader.whole("p95")
            p99 = try reader.whole("p99")
        }
    }

    /// The number of requests and the thresholds of the test.
    public let configuration: PerformanceTest.Configuration?
    /// The tested URL.
    public let target: String?
    /// Whether the server passed the test; pending while the test runs.
    public let status: PerformanceTestStatus?
    /// The share of successful requests, in percent.
    public let successRate: Int64?
    /// The number of requests without a response yet.
    public let pendingCount: Int64?
    /// The response times.
    public let responseTimes: ResponseTimes?
    /// The number of failed requests, by the kind of failure.
    public let failures: [SendAttemptResult: Int64]
    /// JSON members that this version of the package does not read, by name, each as JSON text.
    public let unknownMembers: [String: String]

    init(_ value: JSONValue) throws(AppStoreServerError) {
        var reader = try AnswerReader(value)
        configuration = try reader.object("config") { config throws(AppStoreServerError) in
            try PerformanceTest.Configuration(&config)
        }
        target = try reader.text("target")
        status = try reader.text("result").map(PerformanceTestStatus.init)
        successRate = try reader.whole("successRate")
        pendingCount = try reader.whole("numPending")
        responseTimes = try reader.object("responseTimes") { times throws(AppStoreServerError) in
            try ResponseTimes(&times)
        }
        var failures: [SendAttemptResult: Int64] = [:]
        for (word, count) in try reader.wholes("failures") { failures[SendAttemptResult(rawValue: word)] = count }
        self.failures = failures
        unknownMembers = reader.unknownMembers
    }
}
