import FoundationEssentials
import Storekeeper
import Synchronization

/// The images and messages that apps uploaded for retention messaging, with review results that tests can set.
final class RetentionMessages: Sendable {
    /// Apple's review of an image or a message.
    enum Review: String, Sendable, CaseIterable {
        case pending = "PENDING", approved = "APPROVED", rejected = "REJECTED"
    }

    /// The purpose of an image.
    enum ImageSize: String, Sendable { case fullSize = "FULL_SIZE", bulletPoint = "BULLET_POINT" }

    struct Image: Hashable, Sendable {
        let id: UUID
        let size: ImageSize
        var review: Review
    }

    struct Message: Hashable, Sendable {
        let id: UUID
        let text: RetentionText
        var review: Review
    }

    /// A product and a locale for which a default message can be set.
    struct Target: Hashable, Sendable {
        let product: Product.ID
        let locale: String
    }

    /// The state of one app.
    struct App: Sendable {
        var images: [Image] = []
        var messages: [Message] = []
        var defaults: [Target: UUID] = [:]
        var realtimeURL: String?
        /// The review that later uploads receive.
        var nextReview: Review
        var tests: [PerformanceRun] = []

        func image(_ id: UUID) -> Image? { images.first { $0.id == id } }
        func message(_ id: UUID) -> Message? { messages.first { $0.id == id } }

        /// Returns the reason why a message cannot be displayed; `nil` if the message can be displayed.
        func obstacle(toDisplaying id: UUID) -> APIError? {
            guard let message = message(id) else { return .messageNotFound }
            guard message.review == .approved else { return .messageNotApproved }
            return message.text.images.allSatisfy { image($0)?.review == .approved } ? nil : .imageNotApproved
        }
    }

    private let firstReview: Review
    private let apps: Mutex<[String: App]>
    private let journal: Journal?

    /// A function that writes changes to durable storage.
    typealias Journal = @Sendable ([MessagingRecord]) throws -> Void

    /// Creates the state of retention messaging.
    ///
    /// - Parameters:
    ///   - environment: The environment. The sandbox approves uploads immediately; in production, a test must approve
    ///     them.
    ///   - records: Earlier changes from a journal, in order.
    ///   - journal: Records changes before they take effect; `nil` if changes are stored in memory only.
    init(
        environment: AppStore.Environment, records: [MessagingRecord] = [],
        journal: Journal? = nil
    ) {
        firstReview = environment == .production ? .pending : .approved
        self.journal = journal
        var known: [String: App] = [:]
        for record in records { record.apply(to: &known[record.app, default: App(nextReview: firstReview)]) }
        apps = Mutex(known)
    }

    /// Returns the state of an app.
    func state(of app: String) -> App { apps.withLock { $0[app] ?? App(nextReview: firstReview) } }

    /// Changes the state of an app; nothing is changed if the change throws.
    func change(_ app: String, _ change: (inout App) throws(APIError) -> Void) throws(APIError) {
        try apps.withLock { apps throws(APIError) in
            let before = apps[app] ?? App(nextReview: firstReview)
            var state = before
            try change(&state)
            try record(app, from: before, to: state)
            apps[app] = state
        }
    }

    /// Records the differences between two states of an app.
    private func record(_ app: String, from before: App, to after: App) throws(APIError) {
        guard let journal else { return }
        let records = MessagingRecord.changes(of: app, from: before, to: after)
        guard !records.isEmpty else { return }
        do { try journal(records) } catch { throw .internalError("\(error)") }
    }

    /// Returns the performance tests that have not begun, and marks them as begun.
    func takeNewTests() -> [(app: String, test: PerformanceRun)] {
        apps.withLock { apps in
            var taken: [(app: String, test: PerformanceRun)] = []
            for (app, state) in apps.sorted(by: { $0.key < $1.key }) {
                for index in state.tests.indices where !state.tests[index].hasBegun {
                    apps[app]?.tests[index].hasBegun = true
                    taken.append((app, state.tests[index]))
                }
            }
            return taken
        }
    }
}

/// The text of a retention message.
struct RetentionText: Hashable, Sendable {
    struct BulletPoint: Hashable, Sendable {
        let text: String
        let image: UUID
    }

    let header: String
    let body: String
    let headerPosition: String?
    let image: UUID?
    let bulletPoints: [BulletPoint]

    /// The images that the message displays.
    var images: [UUID] { [image].compactMap(\.self) + bulletPoints.map(\.image) }

    /// Reads the body of an upload.
    ///
    /// - Parameter app: The state of the app, with the images that a message may use.
    /// - SeeAlso: Apple, "Retention Messaging API: UploadMessageRequestBody".
    init(_ json: JSONObject, in app: RetentionMessages.App) throws(APIError) {
        guard let header = json["header"]?.string, let body = json["body"]?.string else {
            throw .badRequest("a message needs a header and a body")
        }
        guard header.unicodeScalars.count <= 66 else { throw .headerTooLong }
        guard body.unicodeScalars.count <= 144 else { throw .bodyTooLong }
        image = try json["image"].map { value throws(APIError) in
            try Self.image(value.object, of: .fullSize, in: app)
        }
        headerPosition = json["headerPosition"]?.string
        if json["headerPosition"] != nil {
            guard let headerPosition, ["ABOVE_BODY", "ABOVE_IMAGE"].contains(headerPosition) else {
                throw .badRequest("headerPosition must be ABOVE_BODY or ABOVE_IMAGE")
            }
        }
        guard headerPosition != "ABOVE_IMAGE" || image != nil else { throw .aboveImageRequiresAnImage }
        var points: [BulletPoint] = []
        if let value = json["bulletPoints"] {
            guard let list = value.array.map(Array.init) else { throw .badRequest("bulletPoints must be an array") }
            guard list.count <= 5 else { throw .tooManyBulletPoints }
            for point in list {
                guard let text = point.object?["text"]?.string else { throw .badRequest("a bullet point needs a text") }
                guard text.unicodeScalars.count <= 66 else { throw .bulletPointTextTooLong }
                points.append(
                    BulletPoint(text: text, image: try Self.image(point.object, of: .bulletPoint, in: app)))
            }
        }
        bulletPoints = points
        self.header = header
        self.body = body
    }

    /// Returns the id of the image that an object with `imageIdentifier` and `altText` names.
    private static func image(
        _ json: JSONObject?, of size: RetentionMessages.ImageSize, in app: RetentionMessages.App
    ) throws(APIError) -> UUID {
        guard let id = json?["imageIdentifier"]?.string.flatMap(UUID.init(uuidString:)),
            let description = json?["altText"]?.string
        else { throw .badRequest("an image needs an imageIdentifier and an altText") }
        guard description.unicodeScalars.count <= 150 else { throw .altTextTooLong }
        guard let image = app.image(id) else { throw .imageNotFound }
        guard image.size == size else { throw .invalidImageSize }
        return id
    }
}

/// A performance test of an app's server.
///
/// - SeeAlso: Apple, "Retention Messaging API: Initiate Performance Test".
struct PerformanceRun: Sendable {
    /// The number of requests, the concurrency, the duration and the thresholds of a test.
    ///
    /// These values are examples, because the App Store's values are not published.
    static let (requests, concurrency, duration, responseTime, successRate): (Int, Int, Int, Int, Int) =
        (20, 4, 10_000, 500, 95)

    let id: UUID
    let target: String
    let request: RealtimeQuestion
    var hasBegun = false
    /// The results so far.
    var results: [RealtimeReply] = []

    var isComplete: Bool { results.count >= Self.requests }

    static var configuration: JSONText {
        .object([
            "maxConcurrentRequests": .whole(concurrency), "totalRequests": .whole(requests),
            "totalDuration": .whole(duration), "responseTimeThreshold": .whole(responseTime),
            "successRateThreshold": .whole(successRate),
        ])
    }

    /// Whether the server has passed the test.
    var hasPassed: Bool { isComplete && rate >= Self.successRate && (percentile(95) ?? .max) <= Self.responseTime }

    private var successes: [RealtimeReply] { results.filter { $0.result == .success } }
    private var rate: Int { results.isEmpty ? 0 : successes.count * 100 / results.count }

    private func percentile(_ share: Int) -> Int? {
        let times = successes.map(\.milliseconds).sorted()
        guard !times.isEmpty else { return nil }
        return times[min(times.count - 1, max(0, (times.count * share + 99) / 100 - 1))]
    }

    /// The result in the format of the Retention Messaging API.
    ///
    /// - SeeAlso: Apple, "Retention Messaging API: PerformanceTestResultResponse".
    var json: JSONText {
        let times = successes.map(\.milliseconds)
        var failures: [String: JSONText] = [:]
        for (result, items) in Dictionary(grouping: results, by: \.result) where result != .success {
            failures[result.rawValue] = .whole(items.count)
        }
        return .object([
            "config": Self.configuration, "target": .string(target),
            "result": .string(!isComplete ? "PENDING" : hasPassed ? "PASS" : "FAIL"), "successRate": .whole(rate),
            "numPending": .whole(max(0, Self.requests - results.count)),
            "responseTimes": times.isEmpty
                ? .null
                : .object([
                    "average": .whole(times.reduce(0, +) / times.count), "p50": .whole(percentile(50)),
                    "p90": .whole(percentile(90)), "p95": .whole(percentile(95)), "p99": .whole(percentile(99)),
                ]),
            "failures": failures.isEmpty ? .null : .object(failures),
        ])
    }
}
